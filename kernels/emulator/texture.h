#pragma once
// Texture objects over pitched memory, point sampled: the addressing modes in their plain meaning.
#include "kernels/emulator/runtime.h"

namespace convoscope::emulated {

using cudaTextureObject_t = unsigned long long;
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaResourceType {
  cudaResourceTypeArray,
  cudaResourceTypeMipmappedArray,
  cudaResourceTypeLinear,
  cudaResourceTypePitch2D
};
enum cudaChannelFormatKind { cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat };

struct cudaChannelFormatDesc {
  int x = 0, y = 0, z = 0, w = 0;  // bits
  cudaChannelFormatKind f = cudaChannelFormatKindSigned;
};
template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc();
template <>
inline cudaChannelFormatDesc cudaCreateChannelDesc<float>() {
  return {32, 0, 0, 0, cudaChannelFormatKindFloat};
}
template <>
inline cudaChannelFormatDesc cudaCreateChannelDesc<float4>() {
  return {32, 32, 32, 32, cudaChannelFormatKindFloat};
}
template <>
inline cudaChannelFormatDesc cudaCreateChannelDesc<uchar4>() {
  return {8, 8, 8, 8, cudaChannelFormatKindUnsigned};
}

struct cudaResourceDesc {
  cudaResourceType resType = cudaResourceTypeArray;
  struct {
    struct {
      void* devPtr = nullptr;
      cudaChannelFormatDesc desc;
      std::size_t width = 0, height = 0, pitchInBytes = 0;
    } pitch2D;
  } res;
};
struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3] = {};
  cudaTextureFilterMode filterMode = cudaFilterModePoint;
  cudaTextureReadMode readMode = cudaReadModeElementType;
  int normalizedCoords = 0;
};
struct cudaResourceViewDesc;

// Refuses what hardware refuses (base and pitch alignment, size), and what is not emulated: other resources, linear
// filtering, normalised reads.
cudaError_t cudaCreateTextureObject(cudaTextureObject_t*, const cudaResourceDesc*, const cudaTextureDesc*,
                                    const cudaResourceViewDesc*);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);

// The element that (x, y) falls on, null in the border of cudaAddressModeBorder. Throws Error for another element size.
const void* texture_element(cudaTextureObject_t, float x, float y, std::size_t element_bytes);

template <class T>
T tex2D(cudaTextureObject_t texture, float x, float y) {
  T value{};
  if (const void* element = texture_element(texture, x, y, sizeof(T))) std::memcpy(&value, element, sizeof(T));
  return value;
}

}  // namespace convoscope::emulated
