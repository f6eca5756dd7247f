#pragma once
// Device functions of CUDA that the shared files may use. fmaf, sqrtf, rintf and their like are the C library's own.
// Blocks and threads take turns, so atomics need no more than the plain operation.
#include "kernels/emulator/observer.h"
#include "kernels/emulator/types.h"

namespace convoscope::emulated {

template <class T>
constexpr T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
constexpr T max(T a, T b) {
  return a < b ? b : a;
}
template <class T>
T __ldg(const T* address) {
  note_read(address, sizeof(T));
  return *address;
}

template <class T>
void __stcs(T* address, const T& value) {
  *address = value;
}

inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __saturatef(float a) { return a > 0 ? std::fmin(a, 1.0f) : 0.0f; }
inline int __float2int_rn(float a) { return static_cast<int>(std::rint(a)); }
inline int __float2int_rd(float a) { return static_cast<int>(std::floor(a)); }
inline float __int2float_rn(int a) { return static_cast<float>(a); }
inline float __uint2float_rn(unsigned a) { return static_cast<float>(a); }
inline float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
inline unsigned __float_as_uint(float value) { return std::bit_cast<unsigned>(value); }
inline float __int_as_float(int bits) { return std::bit_cast<float>(bits); }
inline int __float_as_int(float value) { return std::bit_cast<int>(value); }
inline int __popc(unsigned bits) { return std::popcount(bits); }
inline int __clz(int bits) { return std::countl_zero(static_cast<unsigned>(bits)); }
inline int __ffs(int bits) { return bits ? std::countr_zero(static_cast<unsigned>(bits)) + 1 : 0; }

// Byte i of the result is byte `selector >> 4i & 7` of the eight bytes y:x.
constexpr unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const std::uint64_t bytes = std::uint64_t{y} << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) result |= static_cast<unsigned>(bytes >> (8 * (selector >> 4 * i & 7)) & 0xFF) << 8 * i;
  return result;
}

template <class T>
T atomicAdd(T* address, std::type_identity_t<T> value) {
  return std::exchange(*address, static_cast<T>(*address + value));
}
template <class T>
T atomicMax(T* address, std::type_identity_t<T> value) {
  return std::exchange(*address, max(*address, value));
}

inline void __threadfence() {}
inline void __threadfence_block() {}

}  // namespace convoscope::emulated
