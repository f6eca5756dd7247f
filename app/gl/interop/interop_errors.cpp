#include "app/gl/interop/interop.h"

namespace convoscope {

// Codes of cudaError_t, as numbers so that this compiles without CUDA.
std::string explain_interop_error(int code, const std::string& name) {
  const std::string number = " (CUDA error " + std::to_string(code) + ", " + name + ")";
  const std::string again =
      " Start the program again; if the error comes back, restart the machine and update the driver.";
  switch (code) {
    case 304:  // cudaErrorOperatingSystem
    case 100:  // cudaErrorNoDevice, from cudaGLGetDevices: no CUDA device draws
      return "CUDA cannot reach OpenGL's pictures, because OpenGL does not draw on the NVIDIA GPU" + number +
             ". This is usual on laptops with two GPUs, and when OpenGL draws in software. Start the program with "
             "__NV_PRIME_RENDER_OFFLOAD=1 __GLX_VENDOR_LIBRARY_NAME=nvidia, or choose \"High performance\" for it in "
             "the desktop's graphics settings.";
    case 999:  // cudaErrorUnknown
      return "CUDA cannot reach OpenGL's pictures and the driver does not say why" + number +
             ". Most often the driver was updated without restarting the machine, or OpenGL draws on another GPU: "
             "restart the machine, and on a laptop with two GPUs start the program with __NV_PRIME_RENDER_OFFLOAD=1 "
             "__GLX_VENDOR_LIBRARY_NAME=nvidia.";
    case 219:  // cudaErrorInvalidGraphicsContext
      return "CUDA does not accept the OpenGL context" + number +
             ": it belongs to another GPU or driver. Start the program with "
             "__NV_PRIME_RENDER_OFFLOAD=1 __GLX_VENDOR_LIBRARY_NAME=nvidia.";
    case 2:  // cudaErrorMemoryAllocation
      return "The GPU has no memory left to share pictures between CUDA and OpenGL" + number +
             ". Close other programs that use the GPU, or show fewer panes.";
    case 35:   // cudaErrorInsufficientDriver
    case 803:  // cudaErrorSystemDriverMismatch
      return "The NVIDIA driver does not fit this version of CUDA" + number +
             ". Update the driver and restart the machine.";
    case 801:  // cudaErrorNotSupported
      return "This GPU or driver does not share pictures between CUDA and OpenGL" + number +
             "; virtual GPUs and compute-only drivers do not. Run the program on a GPU with a display driver.";
    case 205:  // cudaErrorMapBufferObjectFailed
    case 206:  // cudaErrorUnmapBufferObjectFailed
    case 208:  // cudaErrorAlreadyMapped
    case 211:  // cudaErrorNotMapped
    case 212:  // cudaErrorNotMappedAsArray
    case 400:  // cudaErrorInvalidResourceHandle
      return "CUDA could not take over OpenGL's pictures for a frame" + number + "." + again;
    default:
      return "Sharing pictures between CUDA and OpenGL failed" + number + "." + again;
  }
}

}  // namespace convoscope
