// expected: results are cut off instead of rounded
#include "convoscope_kernel.h"

// clang-format off
CONVOSCOPE_TABLE(
  format rgba8;
  fill weights with filter;
  launch blur(in, out, rx, ry, border, epilogue)
    grid (ceil_div(width, 32), ceil_div(height, 8))
    block (32, 8);
)
// clang-format on

__constant__ float weights[max_filter_weights];

__global__ void blur(ImageView<const Rgba8> in, ImageView<Rgba8> out, int rx, int ry, Border border,
                     Epilogue epilogue) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= out.width || y >= out.height) return;
  Accumulator<Rgba8, 1> sum;
  int tap = 0;
  for (int dy = -ry; dy <= ry; ++dy)
    for (int dx = -rx; dx <= rx; ++dx, ++tap) sum.add(load_pixel(in, x + dx, y + dy, border), weights[tap]);
  const auto code = [&](float value) {
    return static_cast<unsigned char>(fminf(fmaxf(apply(epilogue, value), 0.0f), 255.0f));
  };
  *pixel_at(out, x, y) = {code(sum.r[0]), code(sum.g[0]), code(sum.b[0]), pixel_at(in, x, y)->a};
}
