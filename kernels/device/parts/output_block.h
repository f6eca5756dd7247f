#pragma once
// A block whose threads make an output each and load what it takes where they need it: what a user may choose, and what
// follows from it. Host code.
#include "kernels/contract/theory/model.h"
#include "kernels/device/one_launch.cuh"

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

}  // namespace convoscope::CONVOSCOPE_TARGET
