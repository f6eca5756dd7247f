#pragma once
// The tile of outputs that a block makes, one or several a thread: what the strategies with such tiles let a user
// choose, and what follows from it. Host code.
#include "kernels/contract/theory/model.h"
#include "kernels/device/one_launch.cuh"
#include "kernels/device/parts/lesson.h"
#include "kernels/device/parts/shared_tile.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr int output_tile_widths[] = {8, 16, 32, 64};
inline constexpr int output_tile_heights[] = {4, 8, 16, 32, 64};
inline constexpr Tunable output_tile_width{
    "tile_width", "Tile width", "Outputs of a tile along x, and threads of the block", output_tile_widths, 32};
inline constexpr Tunable output_tile_tunables[] = {
    output_tile_width,
    {"tile_height", "Tile height", "Outputs of a tile along y, and threads of the block", output_tile_heights, 16},
};

inline constexpr int outputs_of_a_thread[] = {1, 2, 4, 8, 16};
inline constexpr Tunable several_outputs_tunables[] = {
    output_tile_width,
    {"tile_height", "Tile height",
     "Outputs of a tile along y; the block has as many threads, or fewer if each makes several outputs",
     output_tile_heights, 16},
    {"outputs", "Outputs a thread",
     "Along y, a block's height apart: a tile of 64 × 64 outputs is made by 64 × 8 threads with 8 outputs each",
     outputs_of_a_thread, 1},
};

enum class Halo { in_shared_memory, in_caches };

struct OutputTile {
  int width, height;  // of the outputs
  int pitch;          // elements from row to row in shared memory
  std::size_t shared_bytes;
  int outputs = 1;  // of a thread, a block's height apart
  Halo halo = Halo::in_shared_memory;
  int block_height() const { return height / outputs; }
};
inline OutputTile output_tile(const Problem& p, const Tuned& tuning, Halo halo = Halo::in_shared_memory) {
  const int width = tuning["tile_width"], height = tuning["tile_height"];
  const bool shared = halo == Halo::in_shared_memory;
  const int pitch = shared ? tile_pitch(width + 2 * p.filter.rx(), width) : width;
  const auto elements = static_cast<std::size_t>(pitch) * (height + (shared ? 2 * p.filter.ry() : 0));
  return {width, height, pitch, elements * bytes_per_pixel(p.format), 1, halo};
}

inline OutputTile tile_with_halo(const Problem& p, const Tuned& t) { return output_tile(p, t); }
inline OutputTile tile_without_halo(const Problem& p, const Tuned& t) { return output_tile(p, t, Halo::in_caches); }
inline OutputTile tile_of_several_outputs(const Problem& p, const Tuned& t) {
  OutputTile tile = output_tile(p, t);
  tile.outputs = t["outputs"];
  return tile;
}

// Why it cannot be, empty when it can.
inline std::string output_tile_reason(const OutputTile& tile, const Problem& p, const Device& device) {
  if (tile.outputs > 1 && tile.outputs > tile.height)
    return "A tile of " + std::to_string(tile.height) + " rows has no " + std::to_string(tile.outputs) +
           " outputs for a thread: choose a higher tile or fewer outputs";
  if (std::string reason = constant_memory_reason(p.filter); !reason.empty()) return reason;
  if (std::string reason = block_size_reason(tile.width, tile.block_height(), device); !reason.empty()) return reason;
  return shared_memory_reason(tile.shared_bytes, device);
}

inline LaunchShape launch_of(const OutputTile& tile, const Problem& p) {
  return {dim3(ceil_div(p.width, tile.width), ceil_div(p.height, tile.height)), dim3(tile.width, tile.block_height()),
          tile.shared_bytes};
}

// Without what is loaded.
inline KernelStep output_tile_step(const char* kernel, const OutputTile& tile, const OutputIndex& at) {
  KernelStep step = one_thread_per_output(kernel, tile.width, tile.height, at.x, at.y);
  const int rows = tile.block_height();
  step.thread[1] %= rows;
  step.block_size[1] = rows;
  step.thread_outputs.clear();
  for (int k = 0; k < tile.outputs; ++k)
    step.thread_outputs.push_back({at.x, step.outputs[0].y + step.thread[1] + k * rows, 1, 1});
  return step;
}

// "{}" in `how` becomes what a thread computes.
inline Explanation explain_output_tile(const Lesson& lesson, const OutputTile& tile, const Problem& p,
                                       const OutputIndex& at) {
  KernelStep step = output_tile_step(lesson.names.kernel, tile, at);
  const int rx = p.filter.rx(), ry = p.filter.ry();
  step.tile = step.outputs;
  if (tile.halo == Halo::in_shared_memory)
    step.tile = {grown(step.outputs[0], rx, ry)};
  else
    step.direct = {grown(clipped(step.outputs[0], p.width, p.height), rx, ry)};
  step.words = words_of(lesson, tile.outputs == 1 ? "an output each"
                                                  : std::to_string(tile.outputs) + " outputs each, " +
                                                        std::to_string(tile.block_height()) + " rows apart,");
  return {.steps = {std::move(step)}, .words = {}};
}

// The strategy of such tiles whose weights are in constant memory.
template <const Lesson& lesson, OutputTile (*tile_of)(const Problem&, const Tuned&)>
constexpr Strategy output_tiles(std::span<const Tunable> tunables, decltype(Strategy::plans) plans) {
  return strategy_of(
      lesson, tunables,
      [](const Problem& p, const Device& device, const Tuned& t) {
        return output_tile_reason(tile_of(p, t), p, device);
      },
      plans,
      [](const Problem& p, const Tuned& t) {
        const OutputTile tile = tile_of(p, t);
        const bool shared = tile.halo == Halo::in_shared_memory;
        return shared ? tiled_cost(p, tile.width, tile.height) : cached_halo_cost(p, tile.width, tile.height);
      },
      [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
        return explain_output_tile(lesson, tile_of(p, t), p, at);
      });
}

}  // namespace convoscope::CONVOSCOPE_TARGET
