#pragma once
// Images as the strategies see them: a pointer, a size, a pitch in bytes. Nothing here owns memory.
#include <cstddef>
#include <cstdint>

namespace convoscope {

enum class PixelFormat {
  rgba8,    // 4 × uint8, code values 0…255; alpha is carried along, never filtered
  gray32f,  // 1 × float32, nominally 0…1, not clamped
  gray16f,  // the same in float16: rows of a layer's tensors; no picture has it
};

// Aligned, so that a compiler moves a pixel with one 4-byte access instead of four.
struct alignas(4) Rgba8 {
  std::uint8_t r, g, b, a;
};
static_assert(sizeof(Rgba8) == 4);

constexpr std::size_t bytes_per_pixel(PixelFormat format) { return format == PixelFormat::gray16f ? 2 : 4; }
constexpr float white_level(PixelFormat format) { return format == PixelFormat::rgba8 ? 255.0f : 1.0f; }
constexpr int channels(PixelFormat format) { return format == PixelFormat::rgba8 ? 3 : 1; }  // filtered channels
constexpr const char* to_string(PixelFormat format) {
  return format == PixelFormat::rgba8 ? "rgba8" : format == PixelFormat::gray32f ? "gray32f" : "gray16f";
}

template <class T>
struct ImageView {
  T* data = nullptr;
  int width = 0, height = 0;
  std::size_t pitch = 0;  // bytes from row to row, a multiple of alignof(T), at least width * sizeof(T)
};

// An ImageView whose pixel type is known at run time. `data` is device memory for the CUDA backend, else host memory.
struct Image {
  void* data = nullptr;
  int width = 0, height = 0;
  std::size_t pitch = 0;
  PixelFormat format = PixelFormat::rgba8;

  template <class T>
  ImageView<T> view() const {
    return {static_cast<T*>(data), width, height, pitch};
  }
};

// The first pixel of row y, in host code.
template <class T>
T* row_of(const Image& image, int y) {
  return reinterpret_cast<T*>(static_cast<char*>(image.data) + y * static_cast<std::ptrdiff_t>(image.pitch));
}

}  // namespace convoscope
