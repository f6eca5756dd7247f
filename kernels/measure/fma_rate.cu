// Chains of dependent multiply-adds, enough of them that every unit always has one ready. The result is stored only if
// it is a value that it never is, so that the compiler must compute it.
#include <cuda_runtime.h>

#include <memory>

#include "kernels/device/cuda_check.h"
#include "kernels/measure/fma_rate.h"

namespace convoscope {
namespace cuda {
namespace {

constexpr int chains = 8;  // of a thread: more than the pipeline is deep, over a scheduler's resident warps
constexpr int threads = 256;
constexpr int blocks_a_multiprocessor = 8;  // resident at once: 2048 threads, or fewer in turns
constexpr int steps = 8192;

__global__ void __launch_bounds__(threads) multiply_add(float factor, float term, float* out) {
  float x[chains];
#pragma unroll
  for (int c = 0; c < chains; ++c) x[c] = static_cast<float>(threadIdx.x + c);
#pragma unroll 16
  for (int i = 0; i < steps; ++i) {
#pragma unroll
    for (int c = 0; c < chains; ++c) x[c] = fmaf(x[c], factor, term);
  }
  float sum = 0;
#pragma unroll
  for (int c = 0; c < chains; ++c) sum += x[c];
  if (sum == -1.0f) *out = sum;
}

}  // namespace
}  // namespace cuda

double cuda_fma_rate(Compute& compute) {
  const std::shared_ptr<void> out = compute.allocate_bytes(sizeof(float));
  const std::unique_ptr<IntervalTimer> timer = compute.make_timer();
  const Stream stream = compute.stream();
  const int blocks = cuda::blocks_a_multiprocessor * compute.device().multiprocessors;
  timer->start(stream);
  // Sums stay between 1 and a few thousand: finite, normal and never −1.
  cuda::multiply_add<<<blocks, cuda::threads, 0, static_cast<cudaStream_t>(stream.handle)>>>(
      0.5f, 1.0f, static_cast<float*>(out.get()));
  cuda::CONVOSCOPE_CHECK(cudaGetLastError());
  timer->stop(stream);
  compute.synchronize();
  const std::optional<double> milliseconds = timer->poll_ms();
  const double flop = 2.0 * cuda::chains * cuda::steps * cuda::threads * static_cast<double>(blocks);
  return milliseconds && *milliseconds > 0 ? flop / *milliseconds * 1e3 : 0;
}

}  // namespace convoscope
