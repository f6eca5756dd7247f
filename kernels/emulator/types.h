#pragma once
// CUDA's words and plain types for the host compiler: qualifiers that mean nothing here, dim3, the vector types.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <source_location>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// After the standard headers, so that the macros cannot change their meaning. __shared__ is missing on purpose: shared
// files take shared memory with shared_memory<T>().
#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#define __grid_constant__

namespace convoscope::emulated {

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3() = default;
  constexpr dim3(unsigned x_, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr std::size_t count() const { return std::size_t{x} * y * z; }
};

// CUDA aligns the 2- and 4-element types to their whole size, up to 16 bytes.
#define CONVOSCOPE_VECTOR_TYPES(name, element)                                            \
  struct alignas(2 * sizeof(element)) name##2 {                                           \
    element x, y;                                                                         \
  };                                                                                      \
  struct name##3 {                                                                        \
    element x, y, z;                                                                      \
  };                                                                                      \
  struct alignas(4 * sizeof(element)) name##4 {                                           \
    element x, y, z, w;                                                                   \
  };                                                                                      \
  constexpr name##2 make_##name##2(element x, element y) { return {x, y}; }               \
  constexpr name##3 make_##name##3(element x, element y, element z) { return {x, y, z}; } \
  constexpr name##4 make_##name##4(element x, element y, element z, element w) { return {x, y, z, w}; }

CONVOSCOPE_VECTOR_TYPES(float, float)
CONVOSCOPE_VECTOR_TYPES(int, int)
CONVOSCOPE_VECTOR_TYPES(uchar, unsigned char)
CONVOSCOPE_VECTOR_TYPES(short, short)
CONVOSCOPE_VECTOR_TYPES(ushort, unsigned short)
#undef CONVOSCOPE_VECTOR_TYPES
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
constexpr uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
constexpr uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

}  // namespace convoscope::emulated
