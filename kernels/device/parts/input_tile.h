#pragma once
// A block with a thread for each element of its input tile, of which the inner ones, or as many, make an output each:
// what a user may choose, and what follows from it. Host code.
#include "kernels/contract/theory/model.h"
#include "kernels/device/one_launch.cuh"
#include "kernels/device/parts/lesson.h"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr int input_tile_sides[] = {4, 8, 16, 32, 64};
inline constexpr int input_tile_choices[] = {0, 1};
inline constexpr Tunable input_tile_tunables[] = {
    {"tile_width", "Tile width", "Elements of the tile along x; of an input tile, also the threads of the block",
     input_tile_sides, 32},
    {"tile_height", "Tile height", "Elements of the tile along y; of an input tile, also the threads of the block",
     input_tile_sides, 32},
    {"output_tile", "Sizes of the output",
     "0: the tile's sizes are those of the input, and the filter decides how many outputs are left; 1: they are those "
     "of the output, and the block grows with the filter",
     input_tile_choices, 0},
    {"leading", "Leading threads sum",
     "0: an inner thread sums at its own place; 1: the first threads of the block sum, as in the book's listing",
     input_tile_choices, 0},
};

struct InputTile {
  int width, height;          // of the input
  int out_width, out_height;  // may be 0 or less: then the filter is too large
  bool leading;
};
inline InputTile input_tile(const Filter& filter, const Tuned& t) {
  const int width = t["tile_width"], height = t["tile_height"];
  const bool leading = t["leading"] != 0;
  const int apron_x = 2 * filter.rx(), apron_y = 2 * filter.ry();
  if (t["output_tile"] != 0) return {width + apron_x, height + apron_y, width, height, leading};
  return {width, height, width - apron_x, height - apron_y, leading};
}

inline std::string input_tile_reason(const Problem& p, const Device& device, const Tuned& t) {
  if (std::string reason = constant_memory_reason(p.filter); !reason.empty()) return reason;
  const InputTile tile = input_tile(p.filter, t);
  if (tile.out_width < 1 || tile.out_height < 1)
    return "An input tile of " + std::to_string(tile.width) + " × " + std::to_string(tile.height) +
           " leaves no outputs for a filter of " + std::to_string(p.filter.width) + " × " +
           std::to_string(p.filter.height) + ": choose a larger tile or another strategy";
  return block_size_reason(tile.width, tile.height, device);
}

inline LaunchShape launch_of(const InputTile& tile, const Problem& p) {
  return {dim3(ceil_div(p.width, tile.out_width), ceil_div(p.height, tile.out_height)), dim3(tile.width, tile.height),
          tile.width * tile.height * bytes_per_pixel(p.format)};
}

inline Explanation explain_input_tile(const Lesson& lesson, const InputTile& tile, const Problem& p,
                                      const OutputIndex& at) {
  const int rx = p.filter.rx(), ry = p.filter.ry();
  KernelStep step = one_thread_per_output(lesson.names.kernel, tile.out_width, tile.out_height, at.x, at.y);
  step.block_size = {tile.width, tile.height, 1};
  if (!tile.leading) {  // the threads of the apron come first
    step.thread[0] += rx;
    step.thread[1] += ry;
  }
  step.tile = {grown(step.outputs[0], rx, ry)};
  step.words = lesson.how + (" Then " + std::to_string(tile.out_width * tile.out_height)) + " of the " +
               std::to_string(tile.width * tile.height) + " threads compute an output each, " +
               (tile.leading ? "the leading ones" : "the inner ones") + ", while the others idle.";
  return {.steps = {std::move(step)}, .words = {}};
}

// The strategy of such tiles whose weights are in constant memory.
template <const Lesson& lesson>
constexpr Strategy input_tiles(decltype(Strategy::plans) plans) {
  return strategy_of(
      lesson, input_tile_tunables, input_tile_reason, plans,
      [](const Problem& p, const Tuned& t) {
        const InputTile tile = input_tile(p.filter, t);  // one without outputs is refused, but theory still answers
        return tiled_cost(p, std::max(1, tile.out_width), std::max(1, tile.out_height));
      },
      [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
        return explain_input_tile(lesson, input_tile(p.filter, t), p, at);
      });
}

}  // namespace convoscope::CONVOSCOPE_TARGET
