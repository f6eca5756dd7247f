#pragma once
// In which order a launch's blocks make the parts of an image. Those at its left and right edge look up what lies
// beyond and take longer than the others, so they come first: what begins last should not keep the whole device
// waiting.
#include "kernels/device/device.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

// Of blocks in rows and columns, as they lie on the image.
struct BlockPlace {
  int x, y;
};

__device__ inline BlockPlace edges_first() {
  const int across = static_cast<int>(gridDim.x), down = static_cast<int>(gridDim.y);
  const int x = static_cast<int>(blockIdx.x), y = static_cast<int>(blockIdx.y), index = y * across + x;
  if (across < 3) return {x, y};
  if (index < 2 * down) return {index % 2 * (across - 1), index / 2};
  const int inner = index - 2 * down, columns = across - 2;
  return {1 + inner % columns, inner / columns};
}

// For explain(), when step.words are there: of the block, where it lies among the image's becomes its number in the
// launch.
inline void number_edges_first(KernelStep& step, const dim3& grid) {
  const int across = static_cast<int>(grid.x), down = static_cast<int>(grid.y), columns = across - 2;
  if (across < 3) return;
  const auto [x, y, z] = step.block;
  const bool edge = x == 0 || x == across - 1;
  const int index = edge ? 2 * y + (x == 0 ? 0 : 1) : 2 * down + y * columns + x - 1;
  step.block = {index % across, index / across, z};
  step.words += " Blocks of the left and right edge, which take longer, have the lowest numbers.";
}

}  // namespace convoscope::CONVOSCOPE_TARGET
