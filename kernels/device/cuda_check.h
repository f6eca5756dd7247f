#pragma once
// Every CUDA runtime call goes through one of these. Included where CUDA's headers are; the emulator brings its own.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <string>

#include "kernels/text/error.h"

namespace convoscope::cuda {

// Throws Error with CUDA's own name and text of the failure.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw Error(std::string("CUDA: ") + what + " failed: " + cudaGetErrorString(status) + " (" +
              cudaGetErrorName(status) + ", " + std::to_string(static_cast<int>(status)) + ")");
}

// For destructors: reports on stderr. An already torn-down runtime at exit is no failure.
inline void check_noexcept(cudaError_t status, const char* what) noexcept {
  if (status != cudaSuccess && status != cudaErrorCudartUnloading)
    std::fprintf(stderr, "CUDA: %s failed: %s\n", what, cudaGetErrorString(status));
}

// Forgets an error that was dealt with, so that a later cudaGetLastError() does not report it again.
inline cudaError_t handled(cudaError_t status) {
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
  return status;
}

}  // namespace convoscope::cuda

#define CONVOSCOPE_CHECK(call) check((call), #call)
#define CONVOSCOPE_CHECK_NOEXCEPT(call) check_noexcept((call), #call)
