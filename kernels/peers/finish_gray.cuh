#pragma once
// What libraries leave to their callers: gain, bias, absolute value and edge magnitude of float32 sums.
#include "kernels/device/parts/wide_pixel.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

template <int Sums>
__global__ void finish_gray_sums(ImageView<float> out, const float* second, Epilogue epilogue) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= out.width || y >= out.height) return;
  float* const place = pixel_at(out, x, y);
  const float other = Sums == 2 ? second[static_cast<std::size_t>(y) * out.width + x] : 0.0f;
  *place = finish_channel<Sums>(epilogue, *place, other);
}

// `out` holds the first filter's sums; `second` those of the other for edge magnitude, rows without padding.
inline void finish_gray(const Filter& filter, const Image& out, const float* second, Stream stream) {
  constexpr int width = 32, height = 8;
  const dim3 grid(ceil_div(out.width, width), ceil_div(out.height, height)), block(width, height);
  const Epilogue epilogue = make_epilogue(filter, PixelFormat::gray32f);
  if (filter.is_magnitude())
    launch(finish_gray_sums<2>, grid, block, 0, stream, out.view<float>(), second, epilogue);
  else if (filter.gain != 1 || filter.bias != 0 || filter.absolute)
    launch(finish_gray_sums<1>, grid, block, 0, stream, out.view<float>(), second, epilogue);
}

}  // namespace convoscope::CONVOSCOPE_TARGET
