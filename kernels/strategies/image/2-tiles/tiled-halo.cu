// A tile whose block covers its output: the input tile, halo included, is larger, so the threads load it in a loop.
// Traffic: (T+M−1)²/T² loads per output for tiles of T × T; DRAM sees the image once.
// Limits: shared memory holds (T+2r)² pixels, so large tiles leave room for few blocks; every tap is one load from
// shared memory, which is the next bottleneck.
#include "kernels/device/parts/output_tile.h"

namespace convoscope::CONVOSCOPE_TARGET::tiled_halo {

__constant__ float weights[max_filter_weights];

template <class Pixel, int Sums, bool Several>
__global__ void __launch_bounds__(1024)
    filter_tiled_halo(ImageView<const Pixel> in, ImageView<Pixel> out, int rx, int ry, Border border, Epilogue epilogue,
                      int pitch, int outputs) {
  // A tile may have more outputs than a block may have threads: then a thread makes several, a block's height apart.
  const int tx = threadIdx.x, ty = threadIdx.y, width = blockDim.x, rows = blockDim.y,
            height = Several ? rows * outputs : rows;
  // Blocks lie side by side as their outputs do; what they load overlaps by the halo.
  const int x0 = static_cast<int>(blockIdx.x) * width, y0 = static_cast<int>(blockIdx.y) * height;

  // Rows of the tile are `pitch` elements apart: more than it is wide where a block is narrower than a warp, whose rows
  // would meet at the same banks.
  const int tile_width = width + 2 * rx, tile_height = height + 2 * ry;
  const Shared<Pixel> tile = shared_memory<Pixel>(0, pitch * tile_height);
  // The block goes over the tile like a stamp. Its last turn along each row has work for 2r threads only.
  for (int j = ty; j < tile_height; j += rows)
    for (int i = tx; i < tile_width; i += width) tile[j * pitch + i] = load_pixel(in, x0 - rx + i, y0 - ry + j, border);
  // Nobody may read what a neighbour has not written yet.
  __syncthreads();

  const auto write = [&](int j) {
    const int x = x0 + tx, y = y0 + j;
    // Threads outside the image sum as well: for a large filter the block's warps wait for each other at each of its
    // rows, since a multiprocessor's constant cache holds only 2 KB of the weights.
    const auto sums = sum_of_tile<Sums, Rows::together>(tile, pitch, tx, j, 2 * rx + 1, 2 * ry + 1, weights);
    if (x < out.width && y < out.height) *pixel_at(out, x, y) = sums.finish(epilogue, tile[(j + ry) * pitch + tx + rx]);
  };
  // A single output is compiled without the loop, which costs a quarter of the time.
  if constexpr (Several) {
    // In steps of the block's height, so that the threads of a warp stay in one row of outputs.
    for (int j = ty; j < height; j += rows) write(j);
  } else {
    write(ty);
  }
}

constexpr Lesson lesson{
    {"tiled-halo", "Tile, block = output", "PMPP 4th ed., ch. 7.4, second thread organisation", "filter_tiled_halo"},
    "The block is the output tile. Its threads load the larger input tile into shared memory together, in a loop, and "
    "then each computes an output, or several, from there: no thread idles, and global memory is read about once.",
    "The threads of the block load the tile together, one block after another across it and down, and then compute {} "
    "from shared memory."};

extern const Strategy strategy = output_tiles<lesson, tile_of_several_outputs>(
    several_outputs_tunables, [](const Problem& p, const Device&, const Tuned& t) {
      const OutputTile tile = tile_of_several_outputs(p, t);
      const auto kernels = [&]<class Pixel, int Sums>() {
        return tile.outputs > 1 ? filter_tiled_halo<Pixel, Sums, true> : filter_tiled_halo<Pixel, Sums, false>;
      };
      return plan_for_image(p, lesson.names.kernel, kernels, launch_of(tile, p), upload_to<weights>, tile.pitch,
                            tile.outputs);
    });

}  // namespace convoscope::CONVOSCOPE_TARGET::tiled_halo
