// A tile whose regions are loaded by different threads: each its own place of the centre, then those next to a side
// that side of the halo, and those next to a corner the corner.
// Traffic: (T+M−1)²/T² loads per output for tiles of T × T; DRAM sees the image once.
// Limits: shared memory holds (T+2r)² pixels; nine short loops, where the plain one of tiled-halo keeps warps together.
#include "kernels/device/parts/output_tile.h"

namespace convoscope::CONVOSCOPE_TARGET::tiled_halo_regions {

__constant__ float weights[max_filter_weights];

template <class Pixel, int Sums>
__global__ void __launch_bounds__(1024, 1)
    filter_tiled_halo_regions(ImageView<const Pixel> in, ImageView<Pixel> out, int rx, int ry, Border border,
                              Epilogue epilogue, int pitch) {
  const int tx = threadIdx.x, ty = threadIdx.y, width = blockDim.x, height = blockDim.y;
  const int x0 = static_cast<int>(blockIdx.x) * width, y0 = static_cast<int>(blockIdx.y) * height;

  // Rows of the tile are `pitch` elements apart: more than it is wide where a block is narrower than a warp, whose rows
  // would meet at the same banks.
  const Shared<Pixel> tile = shared_memory<Pixel>(0, pitch * (height + 2 * ry));
  const auto load = [&](int i, int j) { tile[j * pitch + i] = load_pixel(in, x0 - rx + i, y0 - ry + j, border); };
  // The thread at the very left starts at the left side's first column, the one at the very right at the right side's
  // last; a side that is wider than the block takes several turns.
  const int from_right = width - 1 - tx, from_bottom = height - 1 - ty;
  const int last_column = width + 2 * rx - 1, last_row = height + 2 * ry - 1;
  load(rx + tx, ry + ty);  // centre
  // For a small radius few threads of each warp load a side, and the others wait for them.
  for (int i = tx; i < rx; i += width) load(i, ry + ty);                        // left
  for (int i = from_right; i < rx; i += width) load(last_column - i, ry + ty);  // right
  // Above and below whole warps load, or none does.
  for (int j = ty; j < ry; j += height) load(rx + tx, j);                      // top
  for (int j = from_bottom; j < ry; j += height) load(rx + tx, last_row - j);  // bottom
  for (int j = ty; j < ry; j += height) {
    for (int i = tx; i < rx; i += width) load(i, j);                        // top left
    for (int i = from_right; i < rx; i += width) load(last_column - i, j);  // top right
  }
  for (int j = from_bottom; j < ry; j += height) {
    for (int i = tx; i < rx; i += width) load(i, last_row - j);                        // bottom left
    for (int i = from_right; i < rx; i += width) load(last_column - i, last_row - j);  // bottom right
  }
  // Nobody may read what a neighbour has not written yet.
  __syncthreads();

  // Threads outside the image sum as well: for a large filter the block's warps wait for each other at each of its
  // rows, since a multiprocessor's constant cache holds only 2 KB of the weights.
  const int x = x0 + tx, y = y0 + ty;
  const auto sums = sum_of_tile<Sums, Rows::together>(tile, pitch, tx, ty, 2 * rx + 1, 2 * ry + 1, weights);
  if (x < out.width && y < out.height) *pixel_at(out, x, y) = sums.finish(epilogue, tile[(ty + ry) * pitch + tx + rx]);
}

constexpr Lesson lesson{
    {"tiled-halo-regions", "Tile, halo by regions", "PMPP 4th ed., ch. 7.4, halo cells", "filter_tiled_halo_regions"},
    "Like tiled-halo, but different threads load the parts of the input tile. Each loads its own place in the centre; "
    "those at an edge of the block also load that side of the halo, and those at a corner the corner.",
    "Each thread loads its own place in the centre; the threads at an edge of the block also load that side of the "
    "halo, and those at a corner the corner. Then each computes an output from shared memory."};

extern const Strategy strategy =
    output_tiles<lesson, tile_with_halo>(output_tile_tunables, [](const Problem& p, const Device&, const Tuned& t) {
      const OutputTile tile = tile_with_halo(p, t);
      return plan_for_image(
          p, lesson.names.kernel, []<class Pixel, int Sums>() { return filter_tiled_halo_regions<Pixel, Sums>; },
          launch_of(tile, p), upload_to<weights>, tile.pitch);
    });

}  // namespace convoscope::CONVOSCOPE_TARGET::tiled_halo_regions
