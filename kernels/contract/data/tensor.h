#pragma once
// What strategies of every kind read and write: up to five extents, a place in memory, strides in bytes.
#include <array>
#include <cstddef>

#include "kernels/contract/data/image.h"

namespace convoscope {

enum class Element {
  rgba8,  // Rgba8: one element, whose alpha is carried along
  f32,
  f16,
};

constexpr std::size_t bytes_per_element(Element element) { return element == Element::f16 ? 2 : 4; }
constexpr Element element_of(PixelFormat format) {
  constexpr std::array elements{Element::rgba8, Element::f32, Element::f16};
  return elements[static_cast<std::size_t>(format)];
}
constexpr PixelFormat format_of(Element element) {
  constexpr std::array formats{PixelFormat::rgba8, PixelFormat::gray32f, PixelFormat::gray16f};
  return formats[static_cast<std::size_t>(element)];
}

// What lies next to an element in memory.
enum class Layout {
  nchw,  // the next column: planes, one after the other
  nhwc,  // the next channel: a row holds all channels of its columns
};

// Extents in the order n, c, t, y, x (sample, channel, frame, row, column); what a kind does not have is 1.
struct Shape {
  std::array<int, 5> extent{1, 1, 1, 1, 1};
  Element element = Element::f32;
  Layout layout = Layout::nchw;

  constexpr int samples() const { return extent[0]; }
  constexpr int channels() const { return extent[1]; }
  constexpr int frames() const { return extent[2]; }
  constexpr int height() const { return extent[3]; }
  constexpr int width() const { return extent[4]; }
  constexpr int planes() const { return samples() * channels(); }
  // Of memory: elements that lie one after the other, and how many such rows there are.
  constexpr int row_elements() const { return layout == Layout::nchw ? width() : width() * channels(); }
  constexpr std::size_t rows() const {
    return static_cast<std::size_t>(samples()) * static_cast<std::size_t>(layout == Layout::nchw ? channels() : 1) *
           static_cast<std::size_t>(frames()) * static_cast<std::size_t>(height());
  }
  constexpr std::size_t row_bytes() const {
    return static_cast<std::size_t>(row_elements()) * bytes_per_element(element);
  }
  constexpr std::size_t elements() const { return rows() * static_cast<std::size_t>(row_elements()); }
  constexpr std::size_t bytes() const { return rows() * row_bytes(); }
  bool operator==(const Shape&) const = default;
};

// The same numbers as float32 in planes.
constexpr Shape in_planes(const Shape& shape) { return {.extent = shape.extent}; }

// Not owned. Device memory for the CUDA backend, else host memory.
struct Tensor {
  void* data = nullptr;
  Shape shape;
  std::array<std::ptrdiff_t, 5> stride{};  // bytes from one sample, channel, frame, row and column to the next
};

// Rows `pitch` bytes apart, everything else one after the other.
constexpr Tensor tensor_of_rows(void* data, const Shape& shape, std::size_t pitch) {
  Tensor tensor{data, shape, {}};
  const auto element = static_cast<std::ptrdiff_t>(bytes_per_element(shape.element));
  const bool planes = shape.layout == Layout::nchw;
  tensor.stride[4] = planes ? element : element * shape.channels();
  tensor.stride[3] = static_cast<std::ptrdiff_t>(pitch);
  tensor.stride[2] = tensor.stride[3] * shape.height();
  tensor.stride[1] = planes ? tensor.stride[2] * shape.frames() : element;
  tensor.stride[0] = tensor.stride[2] * shape.frames() * (planes ? shape.channels() : 1);
  return tensor;
}

constexpr Tensor tensor_of(const Image& image) {
  return tensor_of_rows(image.data, {{1, 1, 1, image.height, image.width}, element_of(image.format)}, image.pitch);
}

// The first element of row y of a sample's channel, in host code.
template <class T>
T* row_of(const Tensor& tensor, int sample, int channel, int y) {
  return reinterpret_cast<T*>(static_cast<char*>(tensor.data) + sample * tensor.stride[0] + channel * tensor.stride[1] +
                              y * tensor.stride[3]);
}

// All rows of such a tensor as one image: what is copied and filled is rows of elements.
constexpr Image rows_of(const Tensor& tensor) {
  return {tensor.data, tensor.shape.row_elements(), static_cast<int>(tensor.shape.rows()),
          static_cast<std::size_t>(tensor.stride[3]), format_of(tensor.shape.element)};
}

// One of a tensor of single frames in planes, as an image: channel after channel of sample after sample.
inline Image plane_of(const Tensor& tensor, int plane) {
  const int channels = tensor.shape.channels();
  return {row_of<char>(tensor, plane / channels, plane % channels, 0), tensor.shape.width(), tensor.shape.height(),
          static_cast<std::size_t>(tensor.stride[3]), format_of(tensor.shape.element)};
}

}  // namespace convoscope
