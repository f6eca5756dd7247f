#include "kernels/choose/libraries.h"

#include <dlfcn.h>

#include "kernels/jit/nvrtc.h"
#include "kernels/peers/cublas.h"
#include "kernels/peers/cudnn.h"
#include "kernels/peers/cufft.h"
#include "kernels/peers/npp.h"

namespace convoscope {
namespace {

template <class Function>
std::string file_of(Function* function) {
  Dl_info found{};
  const bool known = function && dladdr(reinterpret_cast<void*>(function), &found) != 0 && found.dli_fname;
  return known ? found.dli_fname : "";
}

}  // namespace

NvidiaDriver nvidia_driver() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);  // never unloaded: the CUDA runtime uses it too
  if (!library) return {};
  const auto get_version = reinterpret_cast<int (*)(int*)>(dlsym(library, "cuDriverGetVersion"));
  int version = 0;  // 13000: 13.0
  if (!get_version || get_version(&version) != 0) return {};
  return {file_of(get_version), std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10)};
}

std::vector<OptionalLibrary> optional_libraries() {
  return {{"cuBLAS", "the strategy im2col-gemm", file_of(cublas::api().create), cublas::api().missing},
          {"cuFFT", "the strategy fft", file_of(cufft::api().create), cufft::api().missing},
          {"NVRTC", "the strategy specialised, compiled while you watch", file_of(nvrtc::api().version),
           nvrtc::api().missing},
          {"cuDNN", "NVIDIA's own convolution to compare with", file_of(cudnn::api().create), cudnn::api().missing},
          {"NPP", "NVIDIA's own image filter to compare with", file_of(npp::api().filter_rgba8), npp::api().missing}};
}

}  // namespace convoscope
