#include "app/media/ffmpeg/nvdec.h"

#include <dlfcn.h>

// The two types of the driver's interface that FFmpeg's header names; the toolkit need not be installed.
struct CUctx_st;
struct CUstream_st;
using CUcontext = CUctx_st*;
using CUstream = CUstream_st*;
#ifndef CUDA_VERSION
#define CUDA_VERSION 11000
#endif
extern "C" {
#include <libavutil/hwcontext_cuda.h>
}

namespace convoscope {
namespace {

// FFmpeg's own AV_CUDA_USE_PRIMARY_CONTEXT refuses a primary context that the CUDA runtime has made with other flags
// than FFmpeg's, so the context is retained here and handed over.
struct Driver {
  void* library = nullptr;
  int (*init)(unsigned) = nullptr;
  int (*device_get)(int*, int) = nullptr;
  int (*retain)(CUcontext*, int) = nullptr;
  int (*release)(int) = nullptr;
  int (*push)(CUcontext) = nullptr;
  int (*pop)(CUcontext*) = nullptr;
  int (*stream_create)(CUstream*, unsigned) = nullptr;
  int (*stream_destroy)(CUstream) = nullptr;
  int (*stream_synchronize)(CUstream) = nullptr;
  bool complete = false;

  Driver() {
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    complete = find(init, "cuInit") && find(device_get, "cuDeviceGet") && find(retain, "cuDevicePrimaryCtxRetain") &&
               find(release, "cuDevicePrimaryCtxRelease_v2") && find(push, "cuCtxPushCurrent_v2") &&
               find(pop, "cuCtxPopCurrent_v2") && find(stream_create, "cuStreamCreate") &&
               find(stream_destroy, "cuStreamDestroy_v2") && find(stream_synchronize, "cuStreamSynchronize");
  }
  template <class Function>
  bool find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }
};

Driver& driver() {
  static Driver loaded;  // never unloaded: the CUDA runtime uses it too
  return loaded;
}

struct Held {
  int device = 0;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
};

void let_go(Held* held) {
  CUcontext popped = nullptr;
  if (held->stream && driver().push(held->context) == 0) {
    driver().stream_destroy(held->stream);
    driver().pop(&popped);
  }
  if (held->context) driver().release(held->device);
  delete held;
}

void free_device(AVHWDeviceContext* device) { let_go(static_cast<Held*>(device->user_opaque)); }

}  // namespace

Owned<AVBufferRef> make_cuda_device(int ordinal, std::string& problem) {
  Driver& cuda = driver();
  if (!cuda.complete) {
    problem = "no NVIDIA driver";
    return {};
  }
  auto held = std::unique_ptr<Held, void (*)(Held*)>(new Held, let_go);
  constexpr unsigned non_blocking = 1;
  CUcontext popped = nullptr;
  if (cuda.init(0) != 0 || cuda.device_get(&held->device, ordinal) != 0 ||
      cuda.retain(&held->context, held->device) != 0) {
    held->context = nullptr;
    problem = "no CUDA device " + std::to_string(ordinal);
    return {};
  }
  if (cuda.push(held->context) == 0) {
    if (cuda.stream_create(&held->stream, non_blocking) != 0) held->stream = nullptr;
    cuda.pop(&popped);
  }
  Owned<AVBufferRef> device(av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_CUDA));
  if (!held->stream || !device) {
    problem = device ? "the CUDA device has failed" : "FFmpeg is built without CUDA";
    return {};
  }
  auto* context = reinterpret_cast<AVHWDeviceContext*>(device->data);
  auto* hardware = static_cast<AVCUDADeviceContext*>(context->hwctx);
  hardware->cuda_ctx = held->context;
  hardware->stream = held->stream;
  context->user_opaque = held.release();
  context->free = free_device;
  if (av_hwdevice_ctx_init(device.get()) < 0) {
    problem = "FFmpeg cannot use the CUDA device";
    return {};
  }
  return device;
}

bool wait_for_cuda_device(AVBufferRef* device) {
  const auto* context = reinterpret_cast<const AVHWDeviceContext*>(device->data);
  const auto* hardware = static_cast<const AVCUDADeviceContext*>(context->hwctx);
  CUcontext popped = nullptr;
  if (driver().push(hardware->cuda_ctx) != 0) return false;
  const bool complete = driver().stream_synchronize(hardware->stream) == 0;
  driver().pop(&popped);
  return complete;
}

}  // namespace convoscope
