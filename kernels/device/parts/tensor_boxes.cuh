#pragma once
// What copies of boxes of a tensor (TMA) are told of it, and where they put it.
#include "kernels/device/device.cuh"

#if !defined(CONVOSCOPE_EMULATED)
#include <cuda.h>
#endif

namespace convoscope::CONVOSCOPE_TARGET {

// float16 in nhwc as copies of boxes see it: 64 channels of width × height pixels, 128 bytes a pixel, of which chunk c
// of pixel p lies in the place of chunk c ^ p % 8 (128-byte swizzle; p counts from an address that is a multiple of
// swizzle_bytes). What is outside of the tensor is zero.
struct TensorExtents {
  int channels, width, height, samples;
  std::ptrdiff_t column_bytes, row_bytes, sample_bytes;
};
inline constexpr int swizzle_bytes = 1024, box_channels = 64, most_box_pixels = 256;  // along one axis

#if defined(CONVOSCOPE_EMULATED)

struct TensorBoxes {
  const std::byte* data;
  TensorExtents extents;
  int width, height;
};
inline TensorBoxes tensor_boxes(const void* data, const TensorExtents& extents, int width, int height) {
  return {static_cast<const std::byte*>(data), extents, width, height};
}

#else

struct TensorBoxes {
  CUtensorMap map;
};

// Asked for through the runtime, since nothing here is linked with the driver.
inline decltype(&cuTensorMapEncodeTiled) tensor_map_encoder() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  CONVOSCOPE_CHECK(
      cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
#else
  CONVOSCOPE_CHECK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found));
#endif
  if (found != cudaDriverEntryPointSuccess || !function)
    throw Error("CUDA: this driver has no cuTensorMapEncodeTiled, which copies of boxes need");
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
}

inline TensorBoxes tensor_boxes(const void* data, const TensorExtents& e, int width, int height) {
  static const auto encode = tensor_map_encoder();
  const auto size = [](auto value) { return static_cast<cuuint64_t>(value); };
  const cuuint64_t extents[] = {size(e.channels), size(e.width), size(e.height), size(e.samples)};
  const cuuint64_t pitches[] = {size(e.column_bytes), size(e.row_bytes), size(e.sample_bytes)};
  const cuuint32_t box[] = {box_channels, static_cast<cuuint32_t>(width), static_cast<cuuint32_t>(height), 1};
  const cuuint32_t steps[] = {1, 1, 1, 1};
  TensorBoxes boxes;
  const CUresult status = encode(&boxes.map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, const_cast<void*>(data), extents,
                                 pitches, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                 CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS)
    throw Error("CUDA: cuTensorMapEncodeTiled failed (" + std::to_string(static_cast<int>(status)) + ") for " +
                std::to_string(e.samples) + " × " + std::to_string(e.height) + " × " + std::to_string(e.width) + " × " +
                std::to_string(e.channels) + " numbers");
  return boxes;
}

#endif

// How far from the start of the block's shared memory swizzled places may begin; as many bytes more are asked for.
__device__ inline int first_swizzled_byte() {
  const auto start = reinterpret_cast<std::uintptr_t>(shared_memory<unsigned char>(0, 1).data());
  return static_cast<int>((swizzle_bytes - start % swizzle_bytes) % swizzle_bytes);
}

}  // namespace convoscope::CONVOSCOPE_TARGET
