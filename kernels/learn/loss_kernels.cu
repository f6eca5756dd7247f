// Noise: a thread for each element, 4 bytes read and 4 written. Comparison: a block for each row, whose threads' sums
// are added by halves, so in the same order every time; 8 bytes read and 4 written for each output.
#include "kernels/device/device.cuh"
#include "kernels/learn/loss.h"

namespace convoscope {
namespace cuda {
namespace {

constexpr int block = 64, noise_block = 256;

__global__ void make_noise(const float* from, float* to, int count, float deviation, std::uint32_t seed) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) to[i] = from[i] + deviation * learning::normal_number(static_cast<std::uint32_t>(i), seed);
}

__global__ void compare_row(const float* y, const float* wanted, float* dy, int width, float scale, float* row_sums) {
  const auto sums = shared_memory<float>(0, block);
  const int row = static_cast<int>(blockIdx.x), own = static_cast<int>(threadIdx.x);
  const std::size_t first = static_cast<std::size_t>(row) * static_cast<std::size_t>(width);
  float sum = 0;
  for (int x = own; x < width; x += block)
    sum += learning::compare_output(y[first + x], wanted[first + x], scale, dy[first + x]);
  sums[own] = sum;
  for (int half = block / 2; half > 0; half /= 2) {
    __syncthreads();
    if (own < half) sums[own] += sums[own + half];
  }
  if (own == 0) row_sums[row] = sums[0];
}

}  // namespace
}  // namespace cuda

namespace learning {

void enqueue_noise(const Tensor& from, const Tensor& to, float deviation, std::uint32_t seed, Stream stream) {
  const int count = static_cast<int>(from.shape.elements());
  cuda::launch(cuda::make_noise, dim3(static_cast<unsigned>(cuda::ceil_div(count, cuda::noise_block))),
               dim3(cuda::noise_block), 0, stream, static_cast<const float*>(from.data), static_cast<float*>(to.data),
               count, deviation, seed);
}
void enqueue_comparison(const Tensor& y, const Tensor& wanted, const Tensor& dy, float* row_sums, Stream stream) {
  cuda::launch(cuda::compare_row, dim3(static_cast<unsigned>(y.shape.rows())), dim3(cuda::block),
               cuda::block * sizeof(float), stream, static_cast<const float*>(y.data),
               static_cast<const float*>(wanted.data), static_cast<float*>(dy.data), y.shape.width(), slope_scale(y),
               row_sums);
}

}  // namespace learning
}  // namespace convoscope
