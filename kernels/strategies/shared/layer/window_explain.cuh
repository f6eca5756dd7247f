#pragma once
// What layer_window_product() and layer_few_channels() cost, how far they round, and who makes an output there.
#include "kernels/strategies/shared/layer/few_channels.cuh"
#include "kernels/strategies/shared/layer/held_window.cuh"
#include "kernels/strategies/shared/layer/window_plan.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_tensor {

// An instruction loses 2^-23 of the largest for each product that is not zero and for the sum (words.cuh). They
// end with a tap's channels here, or with a row of taps, so that there may be more of them than products fill.
inline int window_roundings(const Problem& p) {
  const Correlation c = correlation_of(p);
  const int taps = c.filter * c.filter,
            instructions = std::max(taps * ceil_div(c.group_sources(), 16), c.filter * ceil_div(c.filter, 4));
  return 2 * (taps * c.group_sources() + instructions);
}

inline void count_window(Cost& cost, const Correlation& c, const WindowLaunch& launch, double outputs) {
  const double blocks = 1.0 * launch.rectangles() * launch.map_tiles * c.samples * c.groups;
  const double depth = 1.0 * launch.slabs * launch.tile.channels * c.filter * c.filter;
  const double made = blocks * launch.tile.pixels * launch.tile.maps * depth;
  cost.flop = 2 * made;
  cost.global_loads_per_output = blocks * launch.shape.halo_pixels * launch.slabs * launch.tile.channels / outputs;
  cost.weight_loads_per_output = blocks * launch.tile.maps * depth / outputs;
  cost.shared_loads_per_output = made * (1.0 / 64 + 1.0 / std::min(launch.tile.maps, 64)) / outputs;
  cost.tile_width = launch.shape.halo_width;
  cost.tile_height = launch.shape.halo_pixels / launch.shape.halo_width;
}
inline Cost count_strips(Cost cost, const Correlation& c, const StripsLaunch& launch, double outputs) {
  with_strip_tile(c, launch.maps, [&]<class Tile>() {
    const double warps = 1.0 * launch.grid.x * launch.grid.y * launch.grid.z * Tile::warps,
                 rows = warps * (launch.rows + c.filter - 1);
    constexpr int instructions = (Tile::filter * Tile::words + 1) / 2, more = Tile::sixteen ? 0 : 1;
    cost.flop = 2 * rows * Tile::width * Tile::maps * 16 * instructions;
    cost.global_loads_per_output = rows * Tile::width * 4 * 2 * (Tile::words + more) / outputs;
    cost.weight_loads_per_output = warps * Tile::bank_words * 2 / outputs;
    cost.shared_loads_per_output = 0;
  });
  return cost;
}

inline KernelStep explain_window(const Correlation& c, const WindowLaunch& launch, const MatrixProduct& product,
                                 const OutputIndex& at) {
  const WindowShape& shape = launch.shape;
  const int across = at.x / shape.width, down = at.y / shape.height, map_tile = product.row / launch.tile.maps;
  const PixelArea made{across * shape.width, down * shape.height, shape.width, shape.height};
  const int pixel = (at.y - made.y) * shape.width + at.x - made.x, map = product.row % launch.tile.maps;
  const int first_target = at.sample * c.targets + at.channel - product.row, first_map = map_tile * launch.tile.maps;
  KernelStep step;
  step.kernel = "layer_window_product";
  step.block = {(down * shape.across + across) * launch.map_tiles + map_tile, 0,
                at.sample * c.groups + at.channel / c.group_targets()};
  step.outputs = {made};
  step.output_planes =
      run_of_planes(first_target + first_map, std::min(launch.tile.maps, c.group_targets() - first_map));
  with_window_tile(launch.tile, [&]<class Tile>() {
    using Order = MapOrder<Tile::warp_maps>;
    const int row = pixel / Tile::warp_pixels, lane = Order::lane_of(map);
    step.thread = {(row + map / Tile::warp_maps * Tile::down) * 32 + pixel % 8 * 4 + lane, 0, 0};
    step.block_size = {Tile::threads, 1, 1};
    for (int i = row * Tile::warp_pixels + pixel % 8; i < (row + 1) * Tile::warp_pixels; i += 8)
      if (i < shape.width * shape.height)
        step.thread_outputs.push_back({made.x + i % shape.width, made.y + i / shape.width, 1, 1});
    step.thread_planes = held_planes<Order>(first_target, first_map + map / Tile::warp_maps * Tile::warp_maps,
                                            Tile::warp_maps, c.group_targets(), lane);
  });
  step.input_planes = source_planes(c, at);
  step.tile = windows_of(c, clipped(made, c.out_width, c.out_height));
  step.words =
      " U is nowhere, not even in shared memory. There lies the window of the inputs that the block's outputs see, " +
      std::to_string(launch.tile.channels) +
      " channels at a time, and for each tap its warps read it that tap's distance further on. ";
  return step;
}

inline KernelStep explain_strips(const Correlation& c, const StripsLaunch& launch, const MatrixProduct& product,
                                 const OutputIndex& at) {
  KernelStep step =
      with_strip_tile(c, launch.maps, [&]<class Tile>() { return explain_strips_of<Tile>(c, launch, product, at); });
  step.kernel = "layer_few_channels";
  step.words =
      " U is nowhere: what an output sees of a row lies together and is the depth of instructions as it is. Each warp "
      "walks down a strip, without shared memory, and multiplies a row with all rows of the bank. ";
  return step;
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_tensor
