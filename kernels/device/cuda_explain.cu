#include <dlfcn.h>

#include "kernels/device/cuda_explain.h"

namespace convoscope::cuda {
namespace {

std::string code(cudaError_t status) {
  return std::string(cudaGetErrorName(status)) + ", " + std::to_string(static_cast<int>(status));
}

// The newest CUDA that the installed driver supports, 0 when there is no driver. Asked of the driver itself: the
// runtime answers 0 also for a driver that is too old for it.
int driver_version() {
  void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);  // stays: the runtime holds it, too
  if (!library) return 0;
  const auto ask = reinterpret_cast<int (*)(int*)>(dlsym(library, "cuDriverGetVersion"));
  int version = 0;
  return ask && ask(&version) == 0 ? version : 0;
}

std::string driver_sentence() {
  const int driver = driver_version();
  if (driver == 0) return "No NVIDIA driver was found on this machine. Install the NVIDIA driver to use the GPU.";
  return "The NVIDIA driver is too old: it supports CUDA " + version_text(driver) +
         ", and this convoscope was built with CUDA " + version_text(CUDART_VERSION) +
         ". Install a newer driver, or build with an older CUDA Toolkit.";
}

}  // namespace

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string explain_start(cudaError_t status) {
  switch (status) {
    case cudaErrorInsufficientDriver:
    case cudaErrorCallRequiresNewerDriver:
    case cudaErrorStubLibrary:
      return driver_sentence();
    case cudaErrorNoDevice:
      return "The NVIDIA driver is installed, but it sees no CUDA device. Check nvidia-smi and the variable "
             "CUDA_VISIBLE_DEVICES; in a container, give it the GPU.";
    case cudaErrorSystemDriverMismatch:
      return "The NVIDIA driver and its user library have different versions, as after an update. Restart the machine.";
    case cudaErrorCompatNotSupportedOnDevice:
      return "CUDA's forward-compatibility library is installed, but this GPU does not support it. Remove it or "
             "install a newer driver.";
    case cudaErrorSystemNotReady:
      return "The NVIDIA system services are not ready. On machines with NVSwitch start nvidia-fabricmanager.";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      return "This convoscope has no code for this GPU. Build it again with CMAKE_CUDA_ARCHITECTURES set to the GPU's "
             "compute capability, or to all-major.";
    case cudaErrorDevicesUnavailable:
      return "The GPU is busy or in a compute mode that lets no further program in. Close the program that uses it, or "
             "set its compute mode to default with nvidia-smi -c 0.";
    case cudaErrorMemoryAllocation:
      return "The GPU has no free memory left. Close other programs that use it (nvidia-smi lists them).";
    case cudaErrorOperatingSystem:
    case cudaErrorNotPermitted:
      return "The NVIDIA driver was refused by the operating system (" + code(status) +
             "). Check the permissions of /dev/nvidia*; in a container, give it the GPU.";
    default:
      return std::string("CUDA could not start: ") + cudaGetErrorString(status) + " (" + code(status) +
             "). Check that nvidia-smi works, and restart the machine after a driver update.";
  }
}

std::string explain_failure(cudaError_t status) {
  if (status == cudaErrorMemoryAllocation) return explain_start(status);
  return std::string("The GPU has stopped working for this program: ") + cudaGetErrorString(status) + " (" +
         code(status) + "). Start the program again; --backend cpu does without the GPU.";
}

}  // namespace convoscope::cuda
