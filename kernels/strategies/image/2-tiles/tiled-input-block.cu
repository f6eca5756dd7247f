// A tile whose block covers its input: as many threads as elements, so that loading is simple; but where the filter is
// wide most of them idle: of a 32 × 32 block with r = 8, three quarters.
// Traffic: (T+M−1)²/T² loads per output for output tiles of T × T, T = input tile − 2r; DRAM sees the image once.
#include "kernels/device/parts/input_tile.h"
#include "kernels/device/parts/shared_tile.cuh"

namespace convoscope::CONVOSCOPE_TARGET::tiled_input_block {

__constant__ float weights[max_filter_weights];

template <class Pixel, int Sums, bool Leading>
__global__ void __launch_bounds__(1024) filter_tiled_input_block(ImageView<const Pixel> in, ImageView<Pixel> out,
                                                                 int rx, int ry, Border border, Epilogue epilogue) {
  const int tx = threadIdx.x, ty = threadIdx.y, width = blockDim.x, height = blockDim.y;
  // Outputs are fewer than threads: those at the tile's edge have no neighbours in it.
  const int out_width = width - 2 * rx, out_height = height - 2 * ry;
  // So blocks lie closer than they are wide, and the aprons of neighbours overlap: these elements are loaded twice.
  const int x0 = static_cast<int>(blockIdx.x) * out_width, y0 = static_cast<int>(blockIdx.y) * out_height;

  // A warp's elements lie side by side in global memory, and in shared memory each in a bank of its own.
  // Every thread loads one element, also one outside the image: load_pixel answers with what the border says.
  // As much shared memory as the launch asked for; only this block's threads see it.
  const Shared<Pixel> tile = shared_memory<Pixel>(0, width * height);
  tile[ty * width + tx] = load_pixel(in, x0 + tx - rx, y0 + ty - ry, border);
  // Nobody may read what a neighbour has not written yet.
  __syncthreads();

  // Leading: the first out_width × out_height threads sum, as the book's listing has it, so that whole warps idle;
  // else each inner thread makes the output at the place of the element that it has loaded.
  const int i = Leading ? tx : tx - rx, j = Leading ? ty : ty - ry;  // of the output tile
  const bool sums_one = i >= 0 && i < out_width && j >= 0 && j < out_height;
  // The last blocks reach over the image's edge.
  // Leaving is allowed from here on: there is no further barrier to be missed at.
  if (!sums_one || x0 + i >= out.width || y0 + j >= out.height) return;
  // All M² taps come from shared memory; the window of output (i, j) begins at element (i, j) of the tile.
  const auto sums = sum_of_tile<Sums>(tile, width, i, j, 2 * rx + 1, 2 * ry + 1, weights);
  // The pixel in the middle, whose alpha the output has, is in the tile as well.
  *pixel_at(out, x0 + i, y0 + j) = sums.finish(epilogue, tile[(j + ry) * width + i + rx]);
}

constexpr Lesson lesson{
    {"tiled-input-block", "Tile, block = input", "PMPP 4th ed., ch. 7.4", "filter_tiled_input_block"},
    "The block is the input tile, halo included: each thread loads one element into shared memory and the inner "
    "threads compute. Loading is simple, but the threads of the apron idle while the others work.",
    "Each thread loads the one element of the tile at its own place."};

extern const Strategy strategy = input_tiles<lesson>([](const Problem& p, const Device&, const Tuned& t) {
  const InputTile tile = input_tile(p.filter, t);
  const auto kernels = [leading = tile.leading]<class Pixel, int Sums>() {
    return leading ? filter_tiled_input_block<Pixel, Sums, true> : filter_tiled_input_block<Pixel, Sums, false>;
  };
  return plan_for_image(p, lesson.names.kernel, kernels, launch_of(tile, p), upload_to<weights>);
});

}  // namespace convoscope::CONVOSCOPE_TARGET::tiled_input_block
