#include "kernels/libraries/optional_libraries.h"

#include <dlfcn.h>

#include "kernels/contract/kind.h"
#include "kernels/libraries/cublas.h"
#include "kernels/libraries/cudnn.h"
#include "kernels/libraries/cufft.h"
#include "kernels/libraries/cv_cuda.h"
#include "kernels/libraries/npp.h"
#include "kernels/libraries/nvrtc.h"
#include "kernels/threads/background.h"

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
  const auto& cublas = libcublas::Library::opened();
  const auto& cufft = libcufft::Library::opened();
  const auto& nvrtc = libnvrtc::Library::opened();
  const auto& cudnn = libcudnn::Library::opened();
  const auto& npp = libnpp::Library::opened();
  const auto& cv_cuda = libcvcuda::Library::opened();
  return {
      {"cuBLAS", "the strategy im2col-gemm", file_of(cublas.create), cublas.missing},
      {"cuFFT", "the strategy fft", file_of(cufft.create), cufft.missing},
      {"NVRTC", "the strategy specialised, compiled while you watch", file_of(nvrtc.version), nvrtc.missing},
      {"cuDNN", "NVIDIA's own convolution to compare with", file_of(cudnn.create), cudnn.missing},
      {"NPP", "NVIDIA's own image filter to compare with", file_of(npp.rgba8.general), npp.missing},
      {"CV-CUDA", "NVIDIA's library for computer vision to compare with", file_of(cv_cuda.convolve), cv_cuda.missing}};
}

void open_libraries_beside() {
  Background* const background = Background::current();
  if (!background) return;
  background->planner().add([](const std::stop_token& stop) {
    for (const Kind* kind : kinds())
      for (const Strategy* strategy : strategies(Backend::cuda, *kind))
        if (strategy->open_library && !stop.stop_requested()) strategy->open_library();
  });
}

}  // namespace convoscope
