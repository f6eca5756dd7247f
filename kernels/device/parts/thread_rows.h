#pragma once
// A tile of outputs of which each thread makes several that lie directly below one another: what a user may choose, and
// what follows from it. Host code.
#include "kernels/contract/theory/model.h"
#include "kernels/device/one_launch.cuh"
#include "kernels/device/parts/lesson.h"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr int thread_rows_widths[] = {32, 64, 128};
inline constexpr int thread_rows_heights[] = {1, 2, 4, 8};
inline constexpr int thread_rows_outputs[] = {2, 4, 8};
inline constexpr Tunable thread_rows_tunables[] = {
    {"block_width", "Block width", "Threads of a block along x, one output column each", thread_rows_widths, 32},
    {"block_height", "Block height", "Threads of a block along y", thread_rows_heights, 8},
    {"outputs", "Outputs per thread", "Rows that one thread computes: the tile is this many times the block's height",
     thread_rows_outputs, 8},
};

struct ThreadRows {
  int block_width, block_height, outputs, pitch;
  std::size_t shared_bytes;
  int height() const { return block_height * outputs; }  // of the tile
};
inline ThreadRows thread_rows(const Problem& p, const Tuned& t) {
  const int width = t["block_width"], height = t["block_height"], outputs = t["outputs"];
  const int pitch = width + 2 * p.filter.rx();
  const auto elements = static_cast<std::size_t>(pitch) * (height * outputs + 2 * p.filter.ry());
  return {width, height, outputs, pitch, elements * bytes_per_pixel(p.format)};
}

inline std::string thread_rows_reason(const Problem& p, const Device& device, const Tuned& t, int most_threads) {
  if (std::string reason = constant_memory_reason(p.filter); !reason.empty()) return reason;
  const ThreadRows tile = thread_rows(p, t);
  if (tile.outputs != 2 && tile.outputs != 4 && tile.outputs != 8)
    return std::to_string(tile.outputs) + " outputs per thread are not built: choose 2, 4 or 8";
  if (std::string reason = block_size_reason(tile.block_width, tile.block_height, device); !reason.empty())
    return reason;
  if (tile.block_width * tile.block_height > most_threads)
    return "A block of " + std::to_string(tile.block_width) + " × " + std::to_string(tile.block_height) +
           " is more than the " + std::to_string(most_threads) + " threads whose registers fit";
  return shared_memory_reason(tile.shared_bytes, device);
}

inline LaunchShape launch_of(const ThreadRows& tile, const Problem& p) {
  return {dim3(ceil_div(p.width, tile.block_width), ceil_div(p.height, tile.height())),
          dim3(tile.block_width, tile.block_height), tile.shared_bytes};
}

// For plan_for_image(): the kernel has the pitch before the border, and the weights by columns, the order in which a
// thread goes through them that makes outputs below one another.
template <class Pixel>
struct ThreadRowsViews : ImageViews<Pixel> {
  using ImageViews<Pixel>::ImageViews;
  template <class Pitch>
  using Kernel = void (*)(ImageView<const Pixel>, ImageView<Pixel>, int rx, int ry, Pitch, Border, Epilogue);
  static std::vector<float> weights(const Filter& filter) {
    Filter columns = filter;
    transpose(columns);
    return both_sets(columns);
  }
  static auto in_order(const std::tuple<int, int, Border, Epilogue>& arguments, const std::tuple<int>& pitch) {
    const auto& [rx, ry, border, epilogue] = arguments;
    return std::tuple(rx, ry, std::get<0>(pitch), border, epilogue);
  }
};

// "{}" in `how` becomes the number of a thread's outputs.
inline Explanation explain_thread_rows(const Lesson& lesson, const ThreadRows& tile, const Problem& p,
                                       const OutputIndex& at) {
  KernelStep step = one_thread_per_output(lesson.names.kernel, tile.block_width, tile.height(), at.x, at.y);
  const int ty = step.thread[1] / tile.outputs;
  step.thread[1] = ty;
  step.block_size[1] = tile.block_height;
  step.thread_outputs = {{at.x, step.outputs[0].y + ty * tile.outputs, 1, tile.outputs}};
  step.tile = {grown(step.outputs[0], p.filter.rx(), p.filter.ry())};
  step.words = words_of(lesson, std::to_string(tile.outputs));
  return {.steps = {std::move(step)}, .words = {}};
}

// The strategy of such tiles whose weights are in constant memory.
template <const Lesson& lesson, int most_threads>
constexpr Strategy tiles_of_thread_rows(decltype(Strategy::plans) plans) {
  return strategy_of(
      lesson, thread_rows_tunables,
      [](const Problem& p, const Device& device, const Tuned& t) {
        return thread_rows_reason(p, device, t, most_threads);
      },
      plans,
      [](const Problem& p, const Tuned& t) {
        const ThreadRows tile = thread_rows(p, t);
        Cost cost = tiled_cost(p, tile.block_width, tile.height());
        cost.shared_loads_per_output = p.filter.width * (p.filter.height + tile.outputs - 1.0) / tile.outputs;
        return cost;
      },
      [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
        return explain_thread_rows(lesson, thread_rows(p, t), p, at);
      });
}

}  // namespace convoscope::CONVOSCOPE_TARGET
