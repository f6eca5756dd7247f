#pragma once
// A layer's numbers as kernels see them, whatever their type and layout.
#include "kernels/device/layer_launch.cuh"
#include "kernels/device/parts/mma.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

using Half = std::uint16_t;  // the bits of a float16

template <class T>
__device__ inline T number_of(float value) {
  if constexpr (sizeof(T) == 2)
    return static_cast<T>(pack_half2(value, 0));
  else
    return value;
}
template <class T>
__device__ inline float value_of(T number) {
  if constexpr (sizeof(T) == 2)
    return low_half(number);
  else
    return number;
}

// Distances in elements.
template <class T>
struct Strided {
  T* data;
  std::ptrdiff_t sample, channel, row, column;
  __device__ T* at(int n, int c) const { return data + n * sample + c * channel; }
};
template <class T>
Strided<T> strided(const Tensor& tensor) {
  constexpr auto element = static_cast<std::ptrdiff_t>(sizeof(T));
  return {static_cast<T*>(tensor.data), tensor.stride[0] / element, tensor.stride[1] / element,
          tensor.stride[3] / element, tensor.stride[4] / element};
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
