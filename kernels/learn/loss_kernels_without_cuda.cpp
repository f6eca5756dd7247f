// The CUDA half of loss.h where there was no nvcc.
#include "kernels/compute/compute.h"
#include "kernels/learn/loss.h"
#include "kernels/text/error.h"

namespace convoscope::cuda::learn {

void enqueue_noise(const Tensor&, const Tensor&, float, std::uint32_t, Stream) {
  throw Error(why_unavailable(Backend::cuda));
}
void enqueue_comparison(const Tensor&, const Tensor&, const Tensor&, const Tensor&, float*, Stream) {
  throw Error(why_unavailable(Backend::cuda));
}
void enqueue_epilogue_back(const Tensor&, bool, const Tensor&, float*, Stream) {
  throw Error(why_unavailable(Backend::cuda));
}

}  // namespace convoscope::cuda::learn
