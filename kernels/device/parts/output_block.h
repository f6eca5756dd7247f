#pragma once
// A block whose threads make an output each and load what it takes where they need it: what a user may choose, and what
// follows from it. Host code.
#include "kernels/contract/theory/model.h"
#include "kernels/device/one_launch.cuh"
#include "kernels/device/parts/lesson.h"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr int output_block_widths[] = {4, 8, 16, 32, 64};
inline constexpr int output_block_heights[] = {4, 8, 16};
inline constexpr Tunable output_block_width{
    "block_width", "Block width", "Threads of a block along x; a warp reads neighbouring pixels when this is 32",
    output_block_widths, 32};
inline constexpr Tunable output_block_height{"block_height", "Block height", "Threads of a block along y",
                                             output_block_heights, 8};
inline constexpr Tunable output_block_tunables[] = {output_block_width, output_block_height};

inline dim3 output_block(const Tuned& tuning) { return dim3(tuning["block_width"], tuning["block_height"]); }

inline LaunchShape launch_of(dim3 block, const Problem& p) {
  return {dim3(ceil_div(p.width, block.x), ceil_div(p.height, block.y)), block};
}

// Every output loads an input for each tap that is no ghost cell.
inline Cost output_block_cost(dim3 block, const Problem& p) {
  Cost cost = direct_cost(p);
  cost.diverging_warps = diverging_warps(p, block.x, block.y);
  return cost;
}

inline std::string output_block_reason(const Problem&, const Device& device, const Tuned& t) {
  const dim3 block = output_block(t);
  return block_size_reason(block.x, block.y, device);
}
inline Explanation explain_output_block(const char* kernel, const char* how, dim3 block, const Problem& p,
                                        const OutputIndex& at) {
  return explain_windows(kernel, block.x, block.y, p.filter.rx(), p.filter.ry(), p.width, p.height, at.x, at.y, how);
}

// The strategy of such blocks whose weights are in constant memory.
template <const Lesson& lesson>
constexpr Strategy output_blocks(decltype(Strategy::plans) plans) {
  return strategy_of(
      lesson, output_block_tunables,
      [](const Problem& p, const Device& device, const Tuned& t) {
        const std::string reason = constant_memory_reason(p.filter);
        return reason.empty() ? output_block_reason(p, device, t) : reason;
      },
      plans, [](const Problem& p, const Tuned& t) { return output_block_cost(output_block(t), p); },
      [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
        return explain_output_block(lesson.names.kernel, lesson.how, output_block(t), p, at);
      });
}

}  // namespace convoscope::CONVOSCOPE_TARGET
