// Noise: a thread for each element, 4 bytes read and 4 written. Comparison: a block for each row; 8 bytes read and 4
// written for each output. Back through the epilogue: a block for each map; 8 bytes read and 4 written for each output
// that ReLU cut off. A block's sums are added by halves, so in the same order every time.
#include "kernels/device/device.cuh"
#include "kernels/learn/loss.h"

namespace convoscope::CONVOSCOPE_TARGET::learn {
namespace {

constexpr int row_block = 64, map_block = 256, noise_block = 256;

__global__ void make_noise(const float* from, float* to, int count, float deviation, std::uint32_t seed) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) to[i] = from[i] + deviation * learning::normal_number(static_cast<std::uint32_t>(i), seed);
}

// Of all threads; the first one has the sum.
template <int Block>
__device__ float sum_of_block(float own_sum) {
  const auto sums = shared_memory<float>(0, Block);
  const int own = static_cast<int>(threadIdx.x);
  sums[own] = own_sum;
  for (int half = Block / 2; half > 0; half /= 2) {
    __syncthreads();
    if (own < half) sums[own] += sums[own + half];
  }
  return sums[own];
}

__global__ void compare_row(const float* y, const float* added, const float* wanted, float* dy, int width, float scale,
                            float* row_sums) {
  const int row = static_cast<int>(blockIdx.x), own = static_cast<int>(threadIdx.x);
  const std::size_t first = static_cast<std::size_t>(row) * static_cast<std::size_t>(width);
  float sum = 0;
  for (int x = own; x < width; x += row_block) {
    const float is = added ? y[first + x] + added[first + x] : y[first + x];
    sum += learning::compare_output(is, wanted[first + x], scale, dy[first + x]);
  }
  const float all = sum_of_block<row_block>(sum);
  if (own == 0) row_sums[row] = all;
}

__global__ void pass_map_back(const float* y, bool relu, float* dy, int samples, int plane, float* map_sums) {
  const int map = static_cast<int>(blockIdx.x), maps = static_cast<int>(gridDim.x);
  const int own = static_cast<int>(threadIdx.x);
  float sum = 0;
  for (int n = 0; n < samples; ++n) {
    const std::size_t first = static_cast<std::size_t>(n * maps + map) * static_cast<std::size_t>(plane);
    for (int i = own; i < plane; i += map_block) sum += learning::slope_of_sum(y[first + i], relu, dy[first + i]);
  }
  const float all = sum_of_block<map_block>(sum);
  if (own == 0) map_sums[map] = all;
}

const float* floats_of(const Tensor& tensor) { return static_cast<const float*>(tensor.data); }

}  // namespace

void enqueue_noise(const Tensor& from, const Tensor& to, float deviation, std::uint32_t seed, Stream stream) {
  const int count = static_cast<int>(from.shape.elements());
  launch(make_noise, dim3(static_cast<unsigned>(ceil_div(count, noise_block))), dim3(noise_block), 0, stream,
         floats_of(from), static_cast<float*>(to.data), count, deviation, seed);
}

void enqueue_comparison(const Tensor& y, const Tensor& added, const Tensor& wanted, const Tensor& dy, float* row_sums,
                        Stream stream) {
  launch(compare_row, dim3(static_cast<unsigned>(y.shape.rows())), dim3(row_block), row_block * sizeof(float), stream,
         floats_of(y), floats_of(added), floats_of(wanted), static_cast<float*>(dy.data), y.shape.width(),
         learning::slope_scale(y), row_sums);
}

void enqueue_epilogue_back(const Tensor& y, bool relu, const Tensor& dy, float* map_sums, Stream stream) {
  launch(pass_map_back, dim3(static_cast<unsigned>(y.shape.channels())), dim3(map_block), map_block * sizeof(float),
         stream, floats_of(y), relu, static_cast<float*>(dy.data), y.shape.samples(),
         y.shape.height() * y.shape.width(), map_sums);
}

}  // namespace convoscope::CONVOSCOPE_TARGET::learn
