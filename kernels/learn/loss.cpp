#include "kernels/learn/loss.h"

#include "kernels/threads/thread_pool.h"

namespace convoscope {
namespace {

float* row_of_dense(const Tensor& tensor, int row) {
  return static_cast<float*>(tensor.data) + static_cast<std::ptrdiff_t>(row) * tensor.shape.width();
}

}  // namespace

void add_noise(Backend backend, const Tensor& from, const Tensor& to, float deviation, std::uint32_t seed,
               Stream stream) {
  if (backend == Backend::cuda) return cuda::learn::enqueue_noise(from, to, deviation, seed, stream);
  if (backend == Backend::emulated) return emulated::learn::enqueue_noise(from, to, deviation, seed, stream);
  const int width = from.shape.width();
  parallel_for(static_cast<int>(from.shape.rows()), core_count(), [&](int row, int) {
    const float* source = row_of_dense(from, row);
    float* noisy = row_of_dense(to, row);
    for (int x = 0; x < width; ++x)
      noisy[x] = source[x] + deviation * learning::normal_number(static_cast<std::uint32_t>(row * width + x), seed);
  });
}

void compare_outputs(Backend backend, const Tensor& y, const Tensor& added, const Tensor& wanted, const Tensor& dy,
                     float* row_sums, Stream stream) {
  if (backend == Backend::cuda) return cuda::learn::enqueue_comparison(y, added, wanted, dy, row_sums, stream);
  if (backend == Backend::emulated) return emulated::learn::enqueue_comparison(y, added, wanted, dy, row_sums, stream);
  const float scale = learning::slope_scale(y);
  parallel_for(static_cast<int>(y.shape.rows()), core_count(), [&](int row, int) {
    const float *is = row_of_dense(y, row), *more = added.data ? row_of_dense(added, row) : nullptr,
                *shall = row_of_dense(wanted, row);
    float* slope = row_of_dense(dy, row);
    float sum = 0;
    for (int x = 0; x < y.shape.width(); ++x)
      sum += learning::compare_output(more ? is[x] + more[x] : is[x], shall[x], scale, slope[x]);
    row_sums[row] = sum;
  });
}

void pass_epilogue_back(Backend backend, const Tensor& y, bool relu, const Tensor& dy, float* map_sums, Stream stream) {
  if (backend == Backend::cuda) return cuda::learn::enqueue_epilogue_back(y, relu, dy, map_sums, stream);
  if (backend == Backend::emulated) return emulated::learn::enqueue_epilogue_back(y, relu, dy, map_sums, stream);
  const int maps = y.shape.channels(), height = y.shape.height();
  parallel_for(maps, core_count(), [&](int map, int) {
    float sum = 0;
    for (int i = 0; i < y.shape.samples() * height; ++i) {
      const int row = (i / height * maps + map) * height + i % height;
      const float* is = row_of_dense(y, row);
      float *slope = row_of_dense(dy, row), of_row = 0;
      for (int x = 0; x < y.shape.width(); ++x) of_row += learning::slope_of_sum(is[x], relu, slope[x]);
      sum += of_row;
    }
    map_sums[map] = sum;
  });
}

}  // namespace convoscope
