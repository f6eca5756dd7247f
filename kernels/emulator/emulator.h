#pragma once
// Stands in for the CUDA runtime when the host compiler builds the shared .cu files: what device.cuh offers to them for
// nvcc, this offers in namespace convoscope::emulated. Included through device.cuh only.
#include "kernels/contract/device.h"
#include "kernels/contract/strategy.h"
#include "kernels/emulator/intrinsics.h"
#include "kernels/emulator/runtime.h"
#include "kernels/emulator/scheduler.h"
#include "kernels/emulator/texture.h"
#include "kernels/text/error.h"

namespace convoscope::emulated {

inline constexpr Backend target_backend = Backend::emulated;

inline cudaStream_t native(Stream stream) { return stream.handle; }

// A window on the block's shared memory in which every index is checked.
template <class T>
class Shared {
 public:
  Shared(T* data, int count) : data_(data), count_(count) {}
  T& operator[](int i) const {
    if (i < 0 || i >= count_) [[unlikely]]
      fail("index " + std::to_string(i) + " is outside of the " + std::to_string(count_) +
           " elements of this shared memory");
    return data_[i];
  }
  T* data() const { return data_; }

 private:
  T* data_;
  int count_;
};

template <class T>
Shared<T> shared_memory(std::size_t offset_bytes, int count) {
  const std::span<std::byte> bytes = block_shared_memory();
  if (count < 0 || offset_bytes > bytes.size() ||
      static_cast<std::size_t>(count) * sizeof(T) > bytes.size() - offset_bytes)
    fail("takes " + std::to_string(count) + " × " + std::to_string(sizeof(T)) + " bytes of shared memory from byte " +
         std::to_string(offset_bytes) + " on; the launch gave the block " + std::to_string(bytes.size()));
  if (offset_bytes % alignof(T))
    fail("takes shared memory from byte " + std::to_string(offset_bytes) + " on, which is not aligned to " +
         std::to_string(alignof(T)));
  return Shared<T>(reinterpret_cast<T*>(bytes.data() + offset_bytes), count);
}

inline constexpr std::size_t shared_bytes_without_permission = 48 * 1024;
inline constexpr std::size_t most_shared_bytes = 227 * 1024;  // of the device that is emulated, compute capability 9.0

void permit_shared(const void* kernel, std::size_t bytes);   // throws Error above most_shared_bytes
void require_shared(const void* kernel, std::size_t bytes);  // throws Error when CUDA would refuse the launch

// Runs the grid at once. Throws what run_grid() throws.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes, Stream,
            Arguments&&... arguments) {
  require_shared(reinterpret_cast<const void*>(kernel), shared_bytes);
  const std::tuple<std::decay_t<Parameters>...> values(std::forward<Arguments>(arguments)...);
  run_grid(grid, block, shared_bytes, [&] { std::apply(kernel, values); });
}

// One kernel is done before the next begins.
template <class... Parameters, class... Arguments>
void launch(bool, void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes, Stream stream,
            Arguments&&... arguments) {
  launch(kernel, grid, block, shared_bytes, stream, std::forward<Arguments>(arguments)...);
}
inline void let_next_kernel_begin() {}
inline void wait_until_kernel_before_is_done() {}
inline void wait_for_kernel_before() {}
template <class... Parameters>
bool starts_early(void (*)(Parameters...)) {
  return false;
}

template <class... Parameters>
void allow_shared(void (*kernel)(Parameters...), std::size_t shared_bytes) {
  permit_shared(reinterpret_cast<const void*>(kernel), shared_bytes);
}

// Here a multiprocessor has one block at a time.
template <class... Parameters>
int blocks_per_multiprocessor(void (*)(Parameters...), dim3, std::size_t) {
  return 1;
}

// The launch as given: what only a compiler for the GPU and a device know stays 0.
KernelInfo describe_launch(const char* name, dim3 grid, dim3 block, std::size_t shared_bytes);

template <class... Parameters>
KernelInfo describe(const char* name, void (*)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes) {
  return describe_launch(name, grid, block, shared_bytes);
}

}  // namespace convoscope::emulated
