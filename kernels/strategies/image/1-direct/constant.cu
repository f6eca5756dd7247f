// The filter in constant memory: all threads of a warp read the same weight at the same time, which costs one
// broadcast. Traffic: M² loads of the input per output for a filter of width M, 2 op for each 4 bytes: 0.5 op/B without
// caches. Limits: 64 KB of weights, so 127 × 127; neighbours load the same inputs again, and only L1 and L2 save DRAM
// from it.
#include "kernels/device/parts/output_block.h"

namespace convoscope::CONVOSCOPE_TARGET::constant {

__constant__ float weights[max_filter_weights];

template <class Pixel, int Sums>
__global__ void filter_constant(ImageView<const Pixel> in, ImageView<Pixel> out, int rx, int ry, Border border,
                                Epilogue epilogue) {
  // Neighbouring threads have neighbouring x: what a warp loads at a time lies side by side in memory.
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  // The last blocks of a row and of a column reach over the image's edge, where there is nothing to compute.
  if (x >= out.width || y >= out.height) return;

  const int count = (2 * rx + 1) * (2 * ry + 1);
  // One sum a channel; for the magnitude of an edge two (Sums), whose weights lie one set after the other.
  Accumulator<Pixel, Sums> sums;
  int tap = 0;
  for (int dy = -ry; dy <= ry; ++dy) {
    // The row whose pixels stand for those of a row outside the image; below 0 where they are zeros.
    const int sy = border_index(y + dy, in.height, border);
    for (int dx = -rx; dx <= rx; ++dx, ++tap) {
      const int sx = border_index(x + dx, in.width, border);
      if (sx < 0 || sy < 0) continue;  // a ghost cell of the zero border
      const Pixel pixel = *pixel_at(in, sx, sy);
      // The index does not depend on the thread: one read serves the warp, and one pixel goes into all sums.
      for (int s = 0; s < Sums; ++s) sums.add(pixel, weights[s * count + tap], s);
    }
  }
  // Gain, bias and rounding; alpha is that of the pixel in the middle.
  *pixel_at(out, x, y) = sums.finish(epilogue, *pixel_at(in, x, y));
}

constexpr Lesson lesson{
    {"constant", "Constant memory", "PMPP 4th ed., ch. 7.3", "filter_constant"},
    "The weights sit in constant memory: a warp reads one weight in one broadcast, so only the image is loaded "
    "from global memory, M² times per output.",
    "Each thread reads the inputs under the filter from global memory; the threads of a warp read one weight at a time "
    "from constant memory, in one broadcast."};

extern const Strategy strategy = output_blocks<lesson>([](const Problem& p, const Device&, const Tuned& t) {
  return plan_for_image(
      p, lesson.names.kernel, []<class Pixel, int Sums>() { return filter_constant<Pixel, Sums>; },
      launch_of(output_block(t), p), upload_to<weights>);
});

}  // namespace convoscope::CONVOSCOPE_TARGET::constant
