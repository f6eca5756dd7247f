#pragma once
// How an image is cut up for a kernel whose threads walk down strips of a few columns. A block's warps have strips one
// below the other and share halos in L1. Host only.
#include "kernels/device/device.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

struct StripLayout {
  static constexpr int lanes = 32, warps = 4;  // of a block
  int columns = 0, rows = 0;                   // outputs of a thread
  dim3 grid;
};

inline dim3 strip_block() { return {StripLayout::lanes, StripLayout::warps}; }

// `chosen_rows` 0: as many rows as make all blocks resident in two full turns: not all then wait for memory at the same
// time, and blocks that take longer begin in the first. A turn with a few blocks in it would take as long as a full
// one. Four columns of three channels have more to compute than to wait for at radius 1, and few blocks at radius 2.
// `chosen_turns`: what was measured for the kernel at hand.
template <class Kernel>
StripLayout lay_out_strips(const Problem& problem, const Device& device, Kernel kernel, std::size_t shared_bytes,
                           int columns, int chosen_rows, int radius, double chosen_turns = 0) {
  // Fewer would repeat more at their ends than they gain: measured with 1280×720 and 1920×1080, too.
  const int fewest_rows = radius == 1 ? 4 : channels(problem.format) == 1 ? std::max(4, radius) : 2 * radius + 4;
  const int across = ceil_div(problem.width, StripLayout::lanes * columns);
  int rows = chosen_rows;
  if (rows == 0) {
    const double measured = columns * channels(problem.format) < 12 ? 2 : radius == 1 ? 1 : 3;
    const int resident = device.multiprocessors * blocks_per_multiprocessor(kernel, strip_block(), shared_bytes);
    const double turns = chosen_turns > 0 ? chosen_turns : measured;
    const int down = std::max(1, static_cast<int>(turns * resident) / across);
    rows = std::max(fewest_rows, ceil_div(problem.height, down * StripLayout::warps));
  }
  return {columns, rows, dim3(across, ceil_div(problem.height, StripLayout::warps * rows))};
}

}  // namespace convoscope::CONVOSCOPE_TARGET
