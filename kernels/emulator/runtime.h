#pragma once
// The part of the CUDA runtime that the shared files call, with host memory for device memory. Everything has happened
// when a call returns; a device allocation is a heap block of exactly the bytes asked for, so that AddressSanitizer
// sees a kernel step outside.
#include "kernels/emulator/types.h"

namespace convoscope::emulated {

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidSymbol = 13
};
using cudaStream_t = void*;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum cudaDeviceAttr { cudaDevAttrTextureAlignment = 14, cudaDevAttrTexturePitchAlignment = 51 };

const char* cudaGetErrorString(cudaError_t);
cudaError_t cudaMalloc(void** memory, std::size_t bytes);  // 512-byte aligned, filled with 0xFF
template <class T>
cudaError_t cudaMalloc(T** memory, std::size_t bytes) {
  void* result = nullptr;
  const cudaError_t status = cudaMalloc(&result, bytes);
  *memory = static_cast<T*>(result);
  return status;
}
cudaError_t cudaFree(void* memory);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t = nullptr);
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t row_bytes, std::size_t rows, cudaMemcpyKind, cudaStream_t = nullptr);
cudaError_t cudaMemsetAsync(void* memory, int byte, std::size_t bytes, cudaStream_t = nullptr);
cudaError_t cudaMemset2DAsync(void* memory, std::size_t pitch, int byte, std::size_t row_bytes, std::size_t rows,
                              cudaStream_t = nullptr);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int device);
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }

// A symbol is the __constant__ array itself: copies beyond its size are refused, as CUDA does.
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, std::size_t bytes, std::size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = nullptr) {
  if (offset > sizeof(T) || bytes > sizeof(T) - offset) return cudaErrorInvalidValue;
  // The array is not const: only the reference that every symbol is passed by.
  auto* to = reinterpret_cast<char*>(const_cast<std::remove_const_t<T>*>(&symbol)) + offset;
  return cudaMemcpyAsync(to, from, bytes, kind, stream);
}

void check(cudaError_t status, const char* what);                    // throws Error
void check_noexcept(cudaError_t status, const char* what) noexcept;  // reports on stderr

}  // namespace convoscope::emulated

#define CONVOSCOPE_CHECK(call) check((call), #call)
#define CONVOSCOPE_CHECK_NOEXCEPT(call) check_noexcept((call), #call)
