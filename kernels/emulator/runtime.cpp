#include "kernels/emulator/runtime.h"

#include <cstdio>
#include <new>

#include "kernels/emulator/observer.h"
#include "kernels/text/error.h"

namespace convoscope::emulated {
namespace {

constexpr std::size_t texture_alignment = 512;

}  // namespace

const char* cudaGetErrorString(cudaError_t status) {
  switch (status) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidSymbol:
      return "invalid device symbol";
  }
  return "unknown error";
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  *memory = bytes ? ::operator new (bytes, std::align_val_t{texture_alignment}, std::nothrow) : nullptr;
  if (bytes && !*memory) return cudaErrorMemoryAllocation;
  if (bytes) std::memset(*memory, 0xFF, bytes);
  if (Observer* const seen_by = observer()) seen_by->allocated(*memory, bytes);
  return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
  ::operator delete (memory, std::align_val_t{texture_alignment});
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t) {
  if (bytes && (!to || !from)) return cudaErrorInvalidValue;
  if (bytes) std::memcpy(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t row_bytes, std::size_t rows, cudaMemcpyKind, cudaStream_t) {
  if (rows && (!to || !from || to_pitch < row_bytes || from_pitch < row_bytes)) return cudaErrorInvalidValue;
  for (std::size_t row = 0; row < rows; ++row)
    std::memcpy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch, row_bytes);
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* memory, int byte, std::size_t bytes, cudaStream_t) {
  if (bytes && !memory) return cudaErrorInvalidValue;
  if (bytes) std::memset(memory, byte, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemset2DAsync(void* memory, std::size_t pitch, int byte, std::size_t row_bytes, std::size_t rows,
                              cudaStream_t) {
  if (rows && (!memory || pitch < row_bytes)) return cudaErrorInvalidValue;
  for (std::size_t row = 0; row < rows; ++row) std::memset(static_cast<char*>(memory) + row * pitch, byte, row_bytes);
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrTextureAlignment:
      *value = static_cast<int>(texture_alignment);
      return cudaSuccess;
    case cudaDevAttrTexturePitchAlignment:
      *value = 32;
      return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw Error(std::string("emulated CUDA: ") + what + " failed: " + cudaGetErrorString(status));
}

void check_noexcept(cudaError_t status, const char* what) noexcept {
  if (status != cudaSuccess) std::fprintf(stderr, "emulated CUDA: %s failed: %s\n", what, cudaGetErrorString(status));
}

}  // namespace convoscope::emulated
