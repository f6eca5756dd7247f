// expected: the halo on the left is one short
#include "convoscope_kernel.h"

// clang-format off
CONVOSCOPE_TABLE(
  format gray32f;
  fill weights with filter;
  launch blur(in, out, rx, ry, border, epilogue)
    grid (ceil_div(width, 16), ceil_div(height, 8))
    block (16, 8)
    shared (16 + 2 * rx) * (8 + 2 * ry) * pixel_bytes;
)
// clang-format on

__constant__ float weights[max_filter_weights];

__global__ void blur(ImageView<const float> in, ImageView<float> out, int rx, int ry, Border border,
                     Epilogue epilogue) {
  const int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 16, y0 = blockIdx.y * 8;
  const int x = x0 + tx, y = y0 + ty, tile_width = 16 + 2 * rx, tile_height = 8 + 2 * ry;
  extern __shared__ float tile[];
  for (int j = ty; j < tile_height; j += 8)
    for (int i = tx; i < tile_width; i += 16)
      if (i > 0) tile[j * tile_width + i] = load_pixel(in, x0 - rx + i, y0 - ry + j, border);
  __syncthreads();
  if (x >= out.width || y >= out.height) return;
  float sum = 0;
  for (int dy = 0; dy <= 2 * ry; ++dy)
    for (int dx = 0; dx <= 2 * rx; ++dx)
      sum = fmaf(weights[dy * (2 * rx + 1) + dx], tile[(ty + dy) * tile_width + tx + dx], sum);
  *pixel_at(out, x, y) = apply(epilogue, sum);
}
