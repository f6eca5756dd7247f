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

// blockIdx of the block there, for explain().
inline std::array<int, 3> block_of(BlockPlace place, const dim3& grid) {
  const int across = static_cast<int>(grid.x), down = static_cast<int>(grid.y), columns = across - 2;
  if (across < 3) return {place.x, place.y, 0};
  const bool edge = place.x == 0 || place.x == across - 1;
  const int index = edge ? 2 * place.y + (place.x == 0 ? 0 : 1) : 2 * down + place.y * columns + place.x - 1;
  return {index % across, index / across, 0};
}

}  // namespace convoscope::CONVOSCOPE_TARGET
