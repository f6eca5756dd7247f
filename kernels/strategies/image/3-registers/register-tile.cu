// Several outputs per thread, below one another. For one column of the filter it walks down the tile with a window of N
// pixels in registers: each step takes one new pixel from shared memory and one weight, and feeds N sums.
// Traffic: (T_x+2r)(T_y+2r)/(T_x·T_y) global loads per output, T_y = N × threads; M·(M+N−1)/N shared loads, not M².
// Limits: registers (N pixels and N sums for each channel), and fewer threads to hide latency with.
#include "kernels/device/parts/shared_tile.cuh"
#include "kernels/device/parts/thread_rows.h"

namespace convoscope::CONVOSCOPE_TARGET::register_tile {

__constant__ float weights[max_filter_weights];  // by columns, as add_column() goes

constexpr int most_threads = 512;  // of a block: leaves a thread the 128 registers that 8 outputs want

// A pixel whose channels have been converted once, for all the sums that it goes into.
template <class Pixel>
struct Unpacked;
template <>
struct Unpacked<float> {
  float value;
};
template <>
struct Unpacked<Rgba8> {
  float r, g, b;
};
__device__ inline Unpacked<float> unpack(float pixel) { return {pixel}; }
__device__ inline Unpacked<Rgba8> unpack(Rgba8 pixel) {
  return {static_cast<float>(pixel.r), static_cast<float>(pixel.g), static_cast<float>(pixel.b)};
}
template <int Sums>
__device__ inline void add(Accumulator<float, Sums>& sums, Unpacked<float> pixel, float weight, int s) {
  sums.add(pixel.value, weight, s);
}
template <int Sums>
__device__ inline void add(Accumulator<Rgba8, Sums>& sums, Unpacked<Rgba8> pixel, float weight, int s) {
  sums.r[s] = fmaf(weight, pixel.r, sums.r[s]);
  sums.g[s] = fmaf(weight, pixel.g, sums.g[s]);
  sums.b[s] = fmaf(weight, pixel.b, sums.b[s]);
}

// The filter column whose weights begin at `first_weight`, over the tile column whose elements begin at `element`.
template <class Pixel, int Sums, int N>
__device__ inline void add_column(Accumulator<Pixel, Sums> (&sums)[N], const Shared<Pixel>& tile, int element,
                                  int pitch, int first_weight, int height, int count) {
  // Slot i mod N holds the pixel of row i, so that the window slides without moving anything: a new pixel takes the
  // place of the one that no sum needs any more. All slot numbers are known when this is compiled.
  Unpacked<Pixel> window[N];
#pragma unroll
  for (int i = 0; i < N - 1; ++i) window[i] = unpack(tile[element + i * pitch]);

  // One weight goes into N sums: so many products for one load from constant memory and one from shared memory.
  const auto step = [&](int slot, int dy) {
    window[(slot + N - 1) % N] = unpack(tile[element + (dy + N - 1) * pitch]);
#pragma unroll
    for (int s = 0; s < Sums; ++s) {
      const float weight = weights[s * count + first_weight + dy];
#pragma unroll
      for (int o = 0; o < N; ++o) add(sums[o], window[(slot + o) % N], weight, s);
    }
  };
  // N steps at a time, after which the window is where it began: so slots have the same numbers in every turn.
  int dy = 0;
  for (; dy + N <= height; dy += N) {
#pragma unroll
    for (int slot = 0; slot < N; ++slot) step(slot, dy + slot);
  }
  // What is left of the column.
#pragma unroll
  for (int slot = 0; slot < N - 1; ++slot)
    if (dy + slot < height) step(slot, dy + slot);
}

template <class Pixel, int Sums, int N>
__global__ void __launch_bounds__(most_threads)
    filter_register_tile(ImageView<const Pixel> in, ImageView<Pixel> out, int rx, int ry, int pitch, Border border,
                         Epilogue epilogue) {
  const int tx = threadIdx.x, ty = threadIdx.y, width = blockDim.x, rows = blockDim.y;
  const int x0 = static_cast<int>(blockIdx.x) * width, y0 = static_cast<int>(blockIdx.y) * rows * N;

  // The tile is loaded as in tiled-halo; it is N blocks high.
  const int tile_width = width + 2 * rx, tile_height = rows * N + 2 * ry;
  const Shared<Pixel> tile = shared_memory<Pixel>(0, pitch * tile_height);
  for (int j = ty; j < tile_height; j += rows)
    for (int i = tx; i < tile_width; i += width) tile[j * pitch + i] = load_pixel(in, x0 - rx + i, y0 - ry + j, border);
  // Nobody may read what a neighbour has not written yet.
  __syncthreads();

  const int filter_width = 2 * rx + 1, filter_height = 2 * ry + 1;
  // All N sums stay in registers from the first column of the filter to the last.
  Accumulator<Pixel, Sums> sums[N];
  for (int dx = 0; dx < filter_width; ++dx)
    add_column<Pixel, Sums, N>(sums, tile, ty * N * pitch + tx + dx, pitch, dx * filter_height, filter_height,
                               filter_width * filter_height);

  // The N outputs of a thread lie below one another, so those of a warp are whole pieces of N rows.
  const int x = x0 + tx, y = y0 + ty * N;
  if (x >= out.width) return;
#pragma unroll
  for (int o = 0; o < N; ++o)
    if (y + o < out.height)
      *pixel_at(out, x, y + o) = sums[o].finish(epilogue, tile[(ty * N + o + ry) * pitch + tx + rx]);
}

constexpr Lesson lesson{
    {"register-tile", "Register tile", "PMPP 4th ed., ch. 6.3, thread coarsening, applied to ch. 7.4",
     "filter_register_tile"},
    "Each thread computes several outputs below one another and keeps a sliding window of pixels in registers: "
    "a pixel that has been loaded from shared memory and converted once goes into several sums.",
    "The threads load the tile together. Each then walks down every column of the filter with a window of {} pixels in "
    "registers, so that one shared load feeds as many outputs, one below the other."};

extern const Strategy strategy =
    tiles_of_thread_rows<lesson, most_threads>([](const Problem& p, const Device&, const Tuned& t) {
      const ThreadRows tile = thread_rows(p, t);
      return with_number<2, 4, 8>(tile.outputs, [&]<int N>() {
        return plan_for_image<ThreadRowsViews>(
            p, lesson.names.kernel, []<class Pixel, int Sums>() { return filter_register_tile<Pixel, Sums, N>; },
            launch_of(tile, p), upload_to<weights>, tile.pitch);
      });
    });

}  // namespace convoscope::CONVOSCOPE_TARGET::register_tile
