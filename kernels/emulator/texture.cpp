#include "kernels/emulator/texture.h"

#include "kernels/emulator/scheduler.h"

namespace convoscope::emulated {
namespace {

struct Texture {
  cudaResourceDesc resource;
  cudaTextureDesc description;
};

// -1: the border. As on the device, wrap and mirror exist only for normalised coordinates; otherwise they clamp.
long address(float coordinate, std::size_t size, cudaTextureAddressMode mode, bool normalised) {
  const float n = static_cast<float>(size);
  if (!normalised && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror)) mode = cudaAddressModeClamp;
  if (mode == cudaAddressModeWrap) coordinate -= std::floor(coordinate);
  if (mode == cudaAddressModeMirror) {
    const float whole = std::floor(coordinate), fraction = coordinate - whole;
    coordinate = std::fmod(whole, 2.0f) == 0 ? fraction : 1 - fraction;
  }
  const float index = std::floor(normalised ? coordinate * n : coordinate);
  if (mode == cudaAddressModeBorder && !(index >= 0 && index < n)) return -1;
  return static_cast<long>(std::clamp(index, 0.0f, n - 1));
}

}  // namespace

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description, const cudaResourceViewDesc* view) {
  const auto& memory = resource->res.pitch2D;
  const std::size_t element =
      static_cast<std::size_t>(memory.desc.x + memory.desc.y + memory.desc.z + memory.desc.w) / 8;
  int base_alignment = 0, pitch_alignment = 0;
  cudaDeviceGetAttribute(&base_alignment, cudaDevAttrTextureAlignment, 0);
  cudaDeviceGetAttribute(&pitch_alignment, cudaDevAttrTexturePitchAlignment, 0);
  if (view || resource->resType != cudaResourceTypePitch2D || description->filterMode != cudaFilterModePoint ||
      description->readMode != cudaReadModeElementType || !memory.devPtr || !memory.width || !memory.height ||
      !element || memory.width > 131072 || memory.height > 65000 || memory.pitchInBytes < memory.width * element ||
      memory.pitchInBytes > 2097120 || memory.pitchInBytes % static_cast<unsigned>(pitch_alignment) ||
      reinterpret_cast<std::uintptr_t>(memory.devPtr) % static_cast<unsigned>(base_alignment))
    return cudaErrorInvalidValue;
  *texture = reinterpret_cast<cudaTextureObject_t>(new Texture{*resource, *description});
  return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  delete reinterpret_cast<Texture*>(texture);
  return cudaSuccess;
}

const void* texture_element(cudaTextureObject_t handle, float x, float y, std::size_t element_bytes) {
  const Texture& texture = *reinterpret_cast<const Texture*>(handle);
  const auto& memory = texture.resource.res.pitch2D;
  const auto bits = static_cast<std::size_t>(memory.desc.x + memory.desc.y + memory.desc.z + memory.desc.w);
  if (element_bytes * 8 != bits)
    fail("reads " + std::to_string(element_bytes) + "-byte elements from a texture of " + std::to_string(bits / 8) +
         "-byte elements");
  const bool normalised = texture.description.normalizedCoords != 0;
  const long column = address(x, memory.width, texture.description.addressMode[0], normalised);
  const long row = address(y, memory.height, texture.description.addressMode[1], normalised);
  if (column < 0 || row < 0) return nullptr;
  const void* const element = static_cast<const char*>(memory.devPtr) +
                              static_cast<std::size_t>(row) * memory.pitchInBytes +
                              static_cast<std::size_t>(column) * element_bytes;
  note_read(element, element_bytes);
  return element;
}

}  // namespace convoscope::emulated
