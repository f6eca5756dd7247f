#pragma once
// Libraries want one float plane for each channel. Two kernels that every such strategy pays for: into planes, with the
// border written out, and back into pixels.
#include "kernels/device/parts/wide_pixel.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

// Where the planes lie: element (x, y) of plane i is data[i · stride + y · pitch + x], in floats.
struct Planes {
  float* data = nullptr;
  int width = 0, height = 0;
  int pitch = 0;
  std::size_t stride = 0;
};

__device__ inline void store_channels(float pixel, float* first, std::size_t) { *first = pixel; }
__device__ inline void store_channels(Rgba8 pixel, float* first, std::size_t stride) {
  first[0] = static_cast<float>(pixel.r);
  first[stride] = static_cast<float>(pixel.g);
  first[2 * stride] = static_cast<float>(pixel.b);
}

__device__ inline void load_channels(float& sum, const float* first, std::size_t) { sum = *first; }
__device__ inline void load_channels(Rgba32f& sum, const float* first, std::size_t stride) {
  sum.r = first[0];
  sum.g = first[stride];
  sum.b = first[2 * stride];
}

// planes(x, y) = in(x − rx, y − ry) with the border applied, for (in.width + 2rx) × (in.height + 2ry); zeros beyond.
template <class Pixel>
__global__ void pad_to_planes(ImageView<const Pixel> in, Planes planes, int rx, int ry, Border border) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= planes.width || y >= planes.height) return;
  const bool inside = x < in.width + 2 * rx && y < in.height + 2 * ry;
  store_channels(inside ? load_pixel(in, x - rx, y - ry, border) : Pixel{},
                 planes.data + static_cast<std::size_t>(y) * planes.pitch + x, planes.stride);
}

// Sums of filter s and channel c in plane s · filter_planes + c · channel_planes of `sums`.
template <class Pixel, int Sums>
__global__ void finish_planes(Planes sums, ImageView<const Pixel> in, ImageView<Pixel> out, int filter_planes,
                              int channel_planes, Epilogue epilogue) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= out.width || y >= out.height) return;
  Wide<Pixel> sum[Sums] = {};
  for (int s = 0; s < Sums; ++s)
    load_channels(sum[s], sums.data + s * filter_planes * sums.stride + static_cast<std::size_t>(y) * sums.pitch + x,
                  channel_planes * sums.stride);
  carry_alpha(sum[0], *pixel_at(in, x, y));
  *pixel_at(out, x, y) = finish_pixel<Sums>(epilogue, sum);
}

inline constexpr int planes_block_width = 32, planes_block_height = 8;
inline dim3 planes_block() { return dim3(planes_block_width, planes_block_height); }
inline dim3 planes_grid(int width, int height) {
  return dim3(ceil_div(width, planes_block_width), ceil_div(height, planes_block_height));
}

}  // namespace convoscope::CONVOSCOPE_TARGET
