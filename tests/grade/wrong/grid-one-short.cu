// expected: too few blocks
#include "convoscope_kernel.h"

// clang-format off
CONVOSCOPE_TABLE(
  format gray32f;
  fill weights with filter;
  launch blur(in, out, rx, ry, border, epilogue)
    grid (ceil_div(width, 32), max(ceil_div(height, 8) - 1, 1))
    block (32, 8);
)
// clang-format on

__constant__ float weights[max_filter_weights];

__global__ void blur(ImageView<const float> in, ImageView<float> out, int rx, int ry, Border border,
                     Epilogue epilogue) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= out.width || y >= out.height) return;
  Accumulator<float, 1> sum;
  int tap = 0;
  for (int dy = -ry; dy <= ry; ++dy)
    for (int dx = -rx; dx <= rx; ++dx, ++tap) sum.add(load_pixel(in, x + dx, y + dy, border), weights[tap]);
  *pixel_at(out, x, y) = sum.finish(epilogue, *pixel_at(in, x, y));
}
