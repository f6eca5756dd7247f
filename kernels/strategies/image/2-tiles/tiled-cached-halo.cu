// Only the inner tile in shared memory: a block's halo is the inner part of its neighbours' tiles, which they load at
// about the same time, so it is likely in L2 when it is wanted. The tile is as large as the block.
// Traffic: 1 load per output for the tile; the halo's M² minus the taps inside of it are loads that caches serve.
// Limits: every tap asks where it lies; a filter much wider than the tile finds little in it and becomes `constant`.
#include "kernels/device/parts/output_tile.h"

namespace convoscope::CONVOSCOPE_TARGET::tiled_cached_halo {

__constant__ float weights[max_filter_weights];

template <class Pixel, int Sums>
__global__ void __launch_bounds__(1024) filter_tiled_cached_halo(ImageView<const Pixel> in, ImageView<Pixel> out,
                                                                 int rx, int ry, Border border, Epilogue epilogue) {
  const int tx = threadIdx.x, ty = threadIdx.y, width = blockDim.x, height = blockDim.y;
  const int x0 = static_cast<int>(blockIdx.x) * width, y0 = static_cast<int>(blockIdx.y) * height;

  // One element a thread, its own: there is no loop, and nobody idles.
  const int x = x0 + tx, y = y0 + ty;
  const Shared<Pixel> tile = shared_memory<Pixel>(0, width * height);
  const Pixel own = load_pixel(in, x, y, border);
  tile[ty * width + tx] = own;
  // Nobody may read what a neighbour has not written yet.
  __syncthreads();

  const bool inside = x < out.width && y < out.height;
  const int count = (2 * rx + 1) * (2 * ry + 1);
  // One sum for each channel; for the magnitude of an edge two (Sums), whose weights lie one set after the other.
  Accumulator<Pixel, Sums> sums;
  int tap = 0;
  for (int dy = -ry; dy <= ry; ++dy) {
    const int j = ty + dy;
    const bool row_inside = j >= 0 && j < height;
    // For a large filter the block's warps wait for each other at each of its rows: a multiprocessor's constant cache
    // holds only 2 KB of the weights. So threads outside the image may not leave before the last row.
    stay_together(Sums * count);
    if (!inside) continue;
    for (int dx = -rx; dx <= rx; ++dx, ++tap) {
      const int i = tx + dx;
      // At the tile's edge the threads of a warp answer differently, and both ways are gone one after the other.
      const Pixel pixel =
          row_inside && i >= 0 && i < width ? tile[j * width + i] : load_pixel(in, x + dx, y + dy, border);
      for (int s = 0; s < Sums; ++s) sums.add(pixel, weights[s * count + tap], s);
    }
  }
  if (inside) *pixel_at(out, x, y) = sums.finish(epilogue, own);
}

constexpr Lesson lesson{
    {"tiled-cached-halo", "Tile, halo in the cache", "PMPP 4th ed., ch. 7.5", "filter_tiled_cached_halo"},
    "Shared memory holds only the tile that the block is made for. The halo is left to the caches: it belongs to "
    "neighbouring blocks that load it at about the same time, so L2 has it.",
    "Each thread loads its own element of the tile. Inputs of the window that lie in the tile come from shared memory, "
    "those of the halo from global memory, where neighbouring blocks have just put them in L2."};

extern const Strategy strategy =
    output_tiles<lesson, tile_without_halo>(output_tile_tunables, [](const Problem& p, const Device&, const Tuned& t) {
      return plan_for_image(
          p, lesson.names.kernel, []<class Pixel, int Sums>() { return filter_tiled_cached_halo<Pixel, Sums>; },
          launch_of(tile_without_halo(p, t), p), upload_to<weights>);
    });

}  // namespace convoscope::CONVOSCOPE_TARGET::tiled_cached_halo
