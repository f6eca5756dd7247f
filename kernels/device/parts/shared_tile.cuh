#pragma once
// What the tiled strategies have in common: how a tile lies in shared memory and how an output is summed from it. How
// the tile gets there is what tells them apart.
#include "kernels/device/constant_weights.cuh"
#include "kernels/device/pixel.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

// Elements from row to row of a tile. Shared memory has 32 banks of 4 bytes; a warp of a block narrower than 32 reads
// several rows at once, and these fall on different banks when the pitch is congruent to the block's width.
constexpr int tile_pitch(int width, int block_width) {
  if (block_width >= 32) return width;
  return width + (32 + block_width - width % 32) % 32;
}

// A multiprocessor's first constant cache holds some 2 KB. Warps that are at taps far apart of a larger filter evict
// each other's weights (33 × 33 taps then take ten times as long), so the block's warps wait for each other at each
// row.
__device__ inline void stay_together(int filter_weights) {
  constexpr int few = 256;
  if (filter_weights > few) __syncthreads();
}

enum class Rows { alone, together };

// The weighted sum of the filter_width × filter_height elements from (x, y) of the tile on. The weights are the whole
// __constant__ array: a second set follows the first. Rows::together: all threads of the block call it, as often.
template <int Sums, Rows How = Rows::alone, class Pixel>
__device__ inline Accumulator<Pixel, Sums> sum_of_tile(const Shared<Pixel>& tile, int pitch, int x, int y,
                                                       int filter_width, int filter_height,
                                                       const float (&weights)[max_filter_weights]) {
  const int count = filter_width * filter_height;
  Accumulator<Pixel, Sums> sums;
  for (int dy = 0, tap = 0; dy < filter_height; ++dy) {
    const int row = (y + dy) * pitch + x;
    if (How == Rows::together) stay_together(Sums * count);
    for (int dx = 0; dx < filter_width; ++dx, ++tap) {
      const Pixel pixel = tile[row + dx];
      for (int s = 0; s < Sums; ++s) sums.add(pixel, weights[s * count + tap], s);
    }
  }
  return sums;
}

}  // namespace convoscope::CONVOSCOPE_TARGET
