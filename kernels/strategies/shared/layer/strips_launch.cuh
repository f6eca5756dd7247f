#pragma once
// Launches of kernels whose warps walk down strips of outputs and multiply with tensor cores; who makes an output
// there.
#include "kernels/strategies/shared/layer/explain.cuh"
#include "kernels/strategies/shared/layer/map_order.cuh"
#include "kernels/strategies/shared/layer/strips.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

struct StripsLaunch {
  int maps, map_groups, map_tiles, rows;  // of a block; tiles of maps; of a strip
  dim3 grid;
};
// maps: of a block, at most; asked_rows: of a strip, 0: what is thought best.
template <class Tile>
StripsLaunch strips_launch_of(const Correlation& c, int maps, const Device& device, int asked_rows = 0) {
  int groups = 1;
  while (groups < Tile::warps && groups * Tile::maps < maps) groups *= 2;
  const int tiles = ceil_div(c.targets, groups * Tile::maps),
            across = ceil_div(c.out_width, Tile::warps / groups * Tile::width);
  const int rows = asked_rows ? asked_rows
                              : strip_rows(c.out_height, c.filter, across * tiles * c.samples,
                                           Tile::resident * std::max(device.multiprocessors, 1), Tile::least_turns);
  return {maps, groups, tiles, rows,
          dim3(across, ceil_div(c.out_height, rows), static_cast<unsigned>(tiles * c.samples))};
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

template <class Tile>
KernelStep explain_strips_of(const Correlation& c, const StripsLaunch& launch, const MatrixProduct& product,
                             const OutputIndex& at) {
  using Order = implicit_gemm_tensor::MapOrder<Tile::maps>;
  const int strips = Tile::warps / launch.map_groups, strip = at.x / Tile::width, block = strip / strips,
            maps = launch.map_groups * Tile::maps, map_tile = product.row / maps, group = product.row / Tile::maps,
            first_target = at.sample * c.targets;
  const PixelArea made{block * strips * Tile::width, at.y / launch.rows * launch.rows, strips * Tile::width,
                       launch.rows};
  const int warp = strip % strips * launch.map_groups + group % launch.map_groups,
            lane = Order::lane_of(product.row % Tile::maps), x = at.x % 8;
  KernelStep step;
  step.block = {block, at.y / launch.rows, at.sample * launch.map_tiles + map_tile};
  step.thread = {warp * 32 + x * 4 + lane, 0, 0};
  step.block_size = {Tile::threads, 1, 1};
  step.outputs = {made};
  step.output_planes = run_of_planes(first_target + map_tile * maps, std::min(maps, c.targets - map_tile * maps));
  for (int i = x; i < Tile::width; i += 8)
    step.thread_outputs.push_back({strip * Tile::width + i, made.y, 1, launch.rows});
  step.thread_planes = held_planes<Order>(first_target, group * Tile::maps, Tile::maps, c.targets, lane);
  step.direct = windows_of(c, clipped(made, c.out_width, c.out_height));
  step.input_planes = source_planes(c, at);
  return step;
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
