#pragma once
// A place in a stream that the device passes some time. Included where CUDA's headers are; the emulator has none.
#include <cuda_runtime_api.h>

#include <utility>

#include "kernels/contract/strategy.h"
#include "kernels/device/cuda_check.h"

namespace convoscope::cuda {

class Fence {
 public:
  // Behind all that the stream has been given so far. Throws Error.
  explicit Fence(Stream stream) {
    CONVOSCOPE_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
    if (const cudaError_t status = cudaEventRecord(event_, static_cast<cudaStream_t>(stream.handle));
        status != cudaSuccess) {
      CONVOSCOPE_CHECK_NOEXCEPT(cudaEventDestroy(event_));
      check(status, "cudaEventRecord");
    }
  }
  Fence(Fence&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Fence& operator=(Fence&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~Fence() {
    if (event_) CONVOSCOPE_CHECK_NOEXCEPT(cudaEventDestroy(event_));
  }
  // Never waits. A device that has failed runs nothing any more.
  bool done() const { return handled(cudaEventQuery(event_)) != cudaErrorNotReady; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace convoscope::cuda
