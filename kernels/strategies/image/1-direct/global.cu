// The naive kernel: one thread for each output; filter and image both lie in global memory.
// Traffic: M² loads of the input and as many of the filter per output for a filter of width M: 2 op for each 8 bytes,
// 0.25 op/B without caches, which are all that keeps it from waiting for DRAM at every tap.
#include "kernels/device/global_weights.cuh"
#include "kernels/device/parts/output_block.h"

namespace convoscope::CONVOSCOPE_TARGET::global {

template <class Pixel, int Sums>
__device__ inline void filter_output(const ImageView<const Pixel>& in, const ImageView<Pixel>& out,
                                     const float* weights, int rx, int ry, Border border, const Epilogue& epilogue) {
  // Which output is this thread's follows from its place in the block and the block's in the grid.
  // Neighbours in a warp have neighbouring x, so that they load and store side by side.
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  // The last blocks of a row and of a column reach over the image's edge, where there is nothing to compute.
  if (x >= out.width || y >= out.height) return;

  // Both radii are arguments, so no loop is unrolled: one kernel serves filters of every size.
  const int count = (2 * rx + 1) * (2 * ry + 1);
  // One sum for each channel; for the magnitude of an edge two (Sums), whose weights lie one set after the other.
  Accumulator<Pixel, Sums> sums;
  int tap = 0;  // weights lie row by row, as the loops go
  for (int dy = -ry; dy <= ry; ++dy) {
    // The row that stands for one outside the image; below 0 where its pixels are zeros.
    const int sy = border_index(y + dy, in.height, border);
    for (int dx = -rx; dx <= rx; ++dx, ++tap) {
      const int sx = border_index(x + dx, in.width, border);
      if (sx < 0 || sy < 0) continue;  // a ghost cell of the zero border
      // The neighbour to the right reads this pixel as well, one tap later: nothing but a cache knows.
      const Pixel pixel = *pixel_at(in, sx, sy);
      // All threads of a warp read the same weight, and each asks global memory for it.
      for (int s = 0; s < Sums; ++s) sums.add(pixel, weights[s * count + tap], s);
    }
  }
  // Gain, bias and rounding; alpha is that of the pixel in the middle.
  *pixel_at(out, x, y) = sums.finish(epilogue, *pixel_at(in, x, y));
}

template <class Pixel, int Sums>
__global__ void __launch_bounds__(1024) filter_global(ImageView<const Pixel> in, ImageView<Pixel> out, int rx, int ry,
                                                      Border border, Epilogue epilogue, const float* weights) {
  // Blocks may have 1,024 threads; without the bound the compiler could give a thread more registers than so many have.
  // The compiler may not assume that what it stores is no weight, so each is loaded as data that may change.
  filter_output<Pixel, Sums>(in, out, weights, rx, ry, border, epilogue);
}

template <class Pixel, int Sums>
__global__ void __launch_bounds__(1024)
    filter_global_read_only(ImageView<const Pixel> in, ImageView<Pixel> out, int rx, int ry, Border border,
                            Epilogue epilogue, const float* __restrict__ weights) {
  // The same with __restrict__: what it points at is reached through no other pointer.
  // A promise that nobody writes the weights: they come through the read-only path.
  filter_output<Pixel, Sums>(in, out, weights, rx, ry, border, epilogue);
}

constexpr Tunable tunables[] = {output_block_width, output_block_height, read_only_weights};
constexpr Lesson lesson{
    {"global", "Global memory", "PMPP 4th ed., ch. 7.2", "filter_global"},
    "One thread computes one output and loads everything from global memory: every input under the filter and "
    "every weight. 8 bytes for each multiply and add: 0.25 operations per byte (gray32f; 0.75 in rgba8).",
    "Each thread reads the inputs under the filter, and every weight, from global memory; neighbours read nearly the "
    "same ones again, and only L1 and L2 save loads."};

const char* kernel_name(const Tuned& t) { return t["read_only"] ? "filter_global_read_only" : lesson.names.kernel; }

extern const Strategy strategy = strategy_of(
    lesson, tunables, output_block_reason,
    [](const Problem& p, const Device&, const Tuned& t) {
      return plan_with_global_weights(
          p, kernel_name(t),
          [read_only = t["read_only"]]<class Pixel, int Sums>() {
            return read_only ? filter_global_read_only<Pixel, Sums> : filter_global<Pixel, Sums>;
          },
          launch_of(output_block(t), p));
    },
    [](const Problem& p, const Tuned& t) { return with_weights_loaded(output_block_cost(output_block(t), p), p); },
    [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
      return explain_output_block(kernel_name(t), lesson.how, output_block(t), p, at);
    });

}  // namespace convoscope::CONVOSCOPE_TARGET::global
