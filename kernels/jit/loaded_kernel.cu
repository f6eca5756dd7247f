#include "kernels/device/cuda_check.h"
#include "kernels/jit/loaded_kernel.h"

namespace convoscope::jit {

using cuda::check;
using cuda::check_noexcept;

LoadedKernel::~LoadedKernel() {
  if (library) CONVOSCOPE_CHECK_NOEXCEPT(cudaLibraryUnload(library));
}

std::shared_ptr<LoadedKernel> load_kernel(const std::string& cubin, const char* name, int device) {
  auto loaded = std::make_shared<LoadedKernel>();
  CONVOSCOPE_CHECK(cudaSetDevice(device));
  CONVOSCOPE_CHECK(cudaLibraryLoadData(&loaded->library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  cudaKernel_t kernel = nullptr;
  CONVOSCOPE_CHECK(cudaLibraryGetKernel(&kernel, loaded->library, name));
  loaded->function = reinterpret_cast<const void*>(kernel);
  // Once here, so that the first frame does not wait for the code to reach the device.
  cudaFuncAttributes attributes{};
  CONVOSCOPE_CHECK(cudaFuncGetAttributes(&attributes, loaded->function));
  return loaded;
}

}  // namespace convoscope::jit
