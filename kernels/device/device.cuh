#pragma once
// What a strategy file includes instead of cuda_runtime.h. Every .cu of strategies/ and peers/ is compiled twice:
// by nvcc into namespace convoscope::cuda, and by the host compiler (CONVOSCOPE_EMULATED) into convoscope::emulated,
// where emulator/emulator.h stands in for the CUDA runtime. So that both work, the shared files
//   - launch with launch(…), never with <<<>>>,
//   - take shared memory with shared_memory<T>(offset, count), never with __shared__,
//   - keep everything in namespace convoscope::CONVOSCOPE_TARGET,
//   - use warp, matrix and asynchronous-copy instructions through the small functions of warp.cuh, mma.cuh and
//     async_copy.cuh, which have a host form.
#if defined(CONVOSCOPE_EMULATED)

#define CONVOSCOPE_TARGET emulated
#include "kernels/emulator/emulator.h"

#else

#define CONVOSCOPE_TARGET cuda
#include <cuda_runtime.h>
#ifdef CONVOSCOPE_CONSTANTS_ANYWHERE
// Many strategies share a module, for the compiler's sake: their weights are in global memory, which has room for all.
#undef __constant__
#define __constant__ __device__
#endif

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "kernels/contract/device.h"
#include "kernels/contract/strategy.h"
#include "kernels/device/cuda_check.h"

namespace convoscope::cuda {

inline constexpr Backend target_backend = Backend::cuda;

inline cudaStream_t native(Stream stream) { return static_cast<cudaStream_t>(stream.handle); }

// A window on the block's dynamic shared memory. The emulator's version checks every index.
template <class T>
class Shared {
 public:
  __device__ Shared(T* data, int) : data_(data) {}
  __device__ T& operator[](int i) const { return data_[i]; }
  __device__ T* data() const { return data_; }

 private:
  T* data_;
};

// `count` elements from `offset_bytes` on, of the shared bytes given to launch(); alignment is the caller's care.
template <class T>
__device__ Shared<T> shared_memory(std::size_t offset_bytes, int count) {
  extern __shared__ __align__(16) unsigned char bytes[];
  return Shared<T>(reinterpret_cast<T*>(bytes + offset_bytes), count);
}

// Enqueues kernel<<<grid, block, shared_bytes, stream>>>(arguments…) and checks the launch. More than 48 KB of shared
// memory needs allow_shared() once, when the plan is made. `early`: what starts_early() says of the kernel.
template <class... Parameters, class... Arguments>
void launch(bool early, void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes, Stream stream,
            Arguments&&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = native(stream);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  config.numAttrs = early ? 1 : 0;
  CONVOSCOPE_CHECK(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...));
}
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes, Stream stream,
            Arguments&&... arguments) {
  launch(false, kernel, grid, block, shared_bytes, stream, std::forward<Arguments>(arguments)...);
}

// A kernel's first acts, so that its blocks may take their places while the kernel before it in the stream ends
// (programmatic dependent launch, from compute capability 9.0 on): nothing that a kernel writes is read, and nothing is
// written, before that one is done. Until then weights may be loaded, which only copies in the stream change, and L2
// may be asked for what will be read: it has what is written meanwhile.
__device__ inline void let_next_kernel_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
__device__ inline void wait_until_kernel_before_is_done() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
__device__ inline void wait_for_kernel_before() {
  let_next_kernel_begin();
  wait_until_kernel_before_is_done();
}
// Of a kernel that begins so: whether its machine code, whose PTX may be of an older architecture than the device,
// does.
bool starts_early(const void* kernel);

template <class... Parameters>
bool starts_early(void (*kernel)(Parameters...)) {
  return starts_early(reinterpret_cast<const void*>(kernel));
}

template <class... Parameters>
void allow_shared(void (*kernel)(Parameters...), std::size_t shared_bytes) {
  // The limit belongs to the kernel, which other plans with larger tiles may share: it never goes down.
  cudaFuncAttributes attributes{};
  CONVOSCOPE_CHECK(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)));
  if (static_cast<std::size_t>(attributes.maxDynamicSharedSizeBytes) >= shared_bytes) return;
  CONVOSCOPE_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)));
}

// Says what is read of an image, for those who look on in the emulator; here there are none.
__device__ inline void note_read(const void*, std::size_t) {}

// Blocks of a launch that fit on one multiprocessor of the current device at once.
int blocks_per_multiprocessor(const void* kernel, dim3 block, std::size_t shared_bytes);

template <class... Parameters>
int blocks_per_multiprocessor(void (*kernel)(Parameters...), dim3 block, std::size_t shared_bytes) {
  return blocks_per_multiprocessor(reinterpret_cast<const void*>(kernel), block, shared_bytes);
}

// What cudaFuncGetAttributes and the occupancy calculator say about one launch; needs no privileges.
KernelInfo describe_launch(const char* name, const void* kernel, dim3 grid, dim3 block, std::size_t shared_bytes);

template <class... Parameters>
KernelInfo describe(const char* name, void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes) {
  return describe_launch(name, reinterpret_cast<const void*>(kernel), grid, block, shared_bytes);
}

}  // namespace convoscope::cuda

#endif

namespace convoscope::CONVOSCOPE_TARGET {

constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

// Where the element at (x, y) of an image lies; pitch is in bytes.
template <class T>
__device__ inline T* pixel_address(const ImageView<T>& image, int x, int y) {
  using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
  return reinterpret_cast<T*>(reinterpret_cast<Byte*>(image.data) + y * image.pitch) + x;
}

// The same for an element that is read or written there.
template <class T>
__device__ inline T* pixel_at(const ImageView<T>& image, int x, int y) {
  T* const pixel = pixel_address(image, x, y);
  if constexpr (std::is_const_v<T>) note_read(pixel, sizeof(T));
  return pixel;
}

}  // namespace convoscope::CONVOSCOPE_TARGET
