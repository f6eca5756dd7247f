#pragma once
// Machine code loaded into the device. Included where CUDA's headers are.
#include <cuda_runtime_api.h>

#include <memory>
#include <string>

namespace convoscope::jit {

// A kernel of a library of its own, unloaded with the last owner. `function` goes wherever the runtime takes the
// address of a kernel.
struct LoadedKernel {
  cudaLibrary_t library = nullptr;
  const void* function = nullptr;
  LoadedKernel() = default;
  LoadedKernel(const LoadedKernel&) = delete;
  LoadedKernel& operator=(const LoadedKernel&) = delete;
  ~LoadedKernel();
};

// Throws Error. Any thread; makes `device` the current one of it.
std::shared_ptr<LoadedKernel> load_kernel(const std::string& cubin, const char* name, int device);

}  // namespace convoscope::jit
