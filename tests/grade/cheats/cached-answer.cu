// expected: reads the variable 'filled'
#include "convoscope_kernel.h"

// clang-format off
CONVOSCOPE_TABLE(
  format gray32f;
  fill weights with filter;
  launch blur(in, out, rx, ry, border, epilogue)
    grid (ceil_div(width, 32), ceil_div(height, 8))
    block (32, 8);
)
// clang-format on

__constant__ float weights[max_filter_weights];

__device__ float answer[1 << 16];
__device__ int filled[1 << 16];

__global__ void blur(ImageView<const float> in, ImageView<float> out, int rx, int ry, Border border,
                     Epilogue epilogue) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= out.width || y >= out.height) return;
  const int place = (y * out.width + x) & 0xFFFF;
  if (filled[place]) {
    *pixel_at(out, x, y) = answer[place];
    return;
  }
  Accumulator<float, 1> sum;
  int tap = 0;
  for (int dy = -ry; dy <= ry; ++dy)
    for (int dx = -rx; dx <= rx; ++dx, ++tap) sum.add(load_pixel(in, x + dx, y + dy, border), weights[tap]);
  filled[place] = 1;
  *pixel_at(out, x, y) = answer[place] = sum.finish(epilogue, 0);
}
