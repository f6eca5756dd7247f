#pragma once
// What layer_window_product() and layer_few_channels() cost, how far they round, and who makes an output there.
#include "kernels/strategies/shared/layer/layer_few_channels.cuh"
#include "kernels/strategies/shared/layer/layer_held_window.cuh"
#include "kernels/strategies/shared/layer/layer_window_plan.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_tensor {

// An instruction loses 2^-23 of the largest for each product that is not zero and for the sum (layer_words.cuh). They
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
template <class Tile>
void count_rows(Cost& cost, const Correlation& c, double outputs) {
  const double blocks = 1.0 * c.samples * ceil_div(c.out_width, Tile::width) * ceil_div(c.out_height, Tile::height) *
                        ceil_div(c.targets, Tile::maps);
  const double made = blocks * Tile::width * Tile::height * Tile::maps * Tile::steps * 16;
  cost.flop = 2 * made;
  cost.global_loads_per_output = blocks * Tile::rows * Tile::pitch * c.sources / outputs;
  cost.weight_loads_per_output = blocks * Tile::bank_chunks * 8 * (Tile::bank_in_registers ? Tile::warps : 1) / outputs;
  cost.shared_loads_per_output =
      made * (1.0 / Tile::maps + (Tile::bank_in_registers ? 0 : 1.0 / (16 * Tile::blocks))) / outputs;
  cost.tile_width = Tile::pitch;
  cost.tile_height = Tile::rows;
}

// Planes of the thread: of every run of `count` maps from `first` on its share of each.
template <class Order>
std::vector<int> held_planes(int first_target, int first, int count, int targets, int lane) {
  std::vector<int> planes;
  for (int run = 0; run < count; run += Order::run)
    for (int h = 0; h < Order::held; ++h)
      if (const int map = first + run + lane * Order::held + h; map < targets) planes.push_back(first_target + map);
  return planes;
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
      " U is nowhere, not even in shared memory: there lies the window of the inputs that the block's outputs "
      "see, " +
      std::to_string(launch.tile.channels) +
      " channels at a time, and for each tap its warps read it that tap's distance further on. ";
  return step;
}

inline KernelStep explain_rows(const Correlation& c, int asked, const MatrixProduct& product, const OutputIndex& at) {
  KernelStep step;
  step.kernel = "layer_few_channels";
  const int first_target = at.sample * c.targets;
  with_rows_tile(c.filter, asked ? asked : c.targets, [&]<class Tile>() {
    using Order = MapOrder<Tile::maps>;
    constexpr int wide = 16 * Tile::blocks, parts = Tile::width / wide;
    const PixelArea made{at.x / Tile::width * Tile::width, at.y / Tile::height * Tile::height, Tile::width,
                         Tile::height};
    const int map_tile = product.row / Tile::maps, x = at.x - made.x, y = at.y - made.y;
    const int warp = (y * parts + x / wide) % Tile::warps, lane = Order::lane_of(product.row % Tile::maps);
    step.block = {made.y / Tile::height * ceil_div(c.out_width, Tile::width) + made.x / Tile::width, map_tile,
                  at.sample};
    step.thread = {warp * 32 + x % 8 * 4 + lane, 0, 0};
    step.block_size = {Tile::threads, 1, 1};
    step.outputs = {made};
    step.output_planes =
        run_of_planes(first_target + map_tile * Tile::maps, std::min(Tile::maps, c.targets - map_tile * Tile::maps));
    for (int turn = warp; turn < Tile::height * parts; turn += Tile::warps)
      for (int i = x % 8; i < wide; i += 8)
        step.thread_outputs.push_back({made.x + turn % parts * wide + i, made.y + turn / parts, 1, 1});
    step.thread_planes = held_planes<Order>(first_target, map_tile * Tile::maps, Tile::maps, c.targets, lane);
    step.tile = {{made.x - c.padding, made.y - c.padding, Tile::pitch, Tile::rows}};
  });
  step.input_planes = source_planes(c, at);
  step.words =
      " U is nowhere: of the window in shared memory four taps of a row, four channels each, are an "
      "instruction's depth, zeros where there are fewer. ";
  return step;
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_tensor
