#include "kernels/learn/loss.h"

#include "kernels/cpu/thread_pool.h"

namespace convoscope {
namespace {

const float* row_of_dense(const Tensor& tensor, int row) {
  return static_cast<const float*>(tensor.data) + static_cast<std::ptrdiff_t>(row) * tensor.shape.width();
}

}  // namespace

void add_noise(Backend backend, const Tensor& from, const Tensor& to, float deviation, std::uint32_t seed,
               Stream stream) {
  if (backend == Backend::cuda) return learning::enqueue_noise(from, to, deviation, seed, stream);
  const int width = from.shape.width();
  parallel_for(static_cast<int>(from.shape.rows()), core_count(), [&](int row, int) {
    const float* source = row_of_dense(from, row);
    float* noisy = const_cast<float*>(row_of_dense(to, row));
    for (int x = 0; x < width; ++x)
      noisy[x] = source[x] + deviation * learning::normal_number(static_cast<std::uint32_t>(row * width + x), seed);
  });
}

void compare_outputs(Backend backend, const Tensor& y, const Tensor& wanted, const Tensor& dy, float* row_sums,
                     Stream stream) {
  if (backend == Backend::cuda) return learning::enqueue_comparison(y, wanted, dy, row_sums, stream);
  const float scale = learning::slope_scale(y);
  parallel_for(static_cast<int>(y.shape.rows()), core_count(), [&](int row, int) {
    const float *is = row_of_dense(y, row), *shall = row_of_dense(wanted, row);
    float* slope = const_cast<float*>(row_of_dense(dy, row));
    float sum = 0;
    for (int x = 0; x < y.shape.width(); ++x) sum += learning::compare_output(is[x], shall[x], scale, slope[x]);
    row_sums[row] = sum;
  });
}

}  // namespace convoscope
