// expected: are never written
#include "convoscope_kernel.h"

// clang-format off
CONVOSCOPE_TABLE(
  kind signal;
  fill taps with filter;
  launch blur(in, out, radius, border, epilogue)
    grid (ceil_div(width, 64), height)
    block (64);
)
// clang-format on

__constant__ float taps[max_filter_taps_1d];

__global__ void blur(ImageView<const float> in, ImageView<float> out, int radius, Border border, Epilogue epilogue) {
  const unsigned char i = blockIdx.x * blockDim.x + threadIdx.x, channel = blockIdx.y;
  if (i >= out.width) return;
  float sum = 0;
  for (int tap = 0; tap <= 2 * radius; ++tap)
    sum = fmaf(taps[tap], load_sample(in, i - radius + tap, channel, border), sum);
  *pixel_at(out, i, channel) = apply(epilogue, sum);
}
