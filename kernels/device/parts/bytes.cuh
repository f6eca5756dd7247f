#pragma once
// Four bytes at a time: between pixels of four channels and words of one channel.
#include "kernels/device/device.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

// Four pixels into four words of a channel each, in the order of the pixels.
__device__ inline void transpose_bytes(const unsigned* pixels, unsigned (&channel)[4]) {
  const unsigned rg0 = __byte_perm(pixels[0], pixels[1], 0x5140), rg1 = __byte_perm(pixels[2], pixels[3], 0x5140);
  const unsigned ba0 = __byte_perm(pixels[0], pixels[1], 0x7362), ba1 = __byte_perm(pixels[2], pixels[3], 0x7362);
  channel[0] = __byte_perm(rg0, rg1, 0x5410);
  channel[1] = __byte_perm(rg0, rg1, 0x7632);
  channel[2] = __byte_perm(ba0, ba1, 0x5410);
  channel[3] = __byte_perm(ba0, ba1, 0x7632);
}

// The highest byte of each word, that of `first` in the lowest.
__device__ inline unsigned top_bytes(unsigned first, unsigned second, unsigned third, unsigned fourth) {
  return __byte_perm(__byte_perm(first, second, 0x0073), __byte_perm(third, fourth, 0x0073), 0x5410);
}

// Byte 0 of the result is the code value of value · 255, half to even.
__device__ inline unsigned code_value(float value) {
  return __float_as_uint(fmaf(__saturatef(value), 255.0f, 12582912.0f));  // 1.5 · 2^23: no place for fractions
}

// Any value rounded, half to even, and clamped to a byte. Times the smallest subnormal float it is rounded to a
// multiple of it, and the bits are how many; floats in order are integers in order.
__device__ inline unsigned nearest_byte(float value) {
  const int steps = static_cast<int>(__float_as_uint(value * 0x1p-149f));
#if defined(CONVOSCOPE_EMULATED)
  return static_cast<unsigned>(max(min(steps, 255), 0));
#else
  return static_cast<unsigned>(__vimin_s32_relu(steps, 255));
#endif
}

// Two integers clamped to bytes, `low` in the lowest, below the lower half of `above`.
__device__ inline unsigned pack_bytes(int high, int low, unsigned above) {
#if defined(CONVOSCOPE_EMULATED)
  const auto clamped = [](int value) { return static_cast<unsigned>(std::clamp(value, 0, 255)); };
  return above << 16 | clamped(high) << 8 | clamped(low);
#else
  unsigned result;
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(high), "r"(low), "r"(above));
  return result;
#endif
}

}  // namespace convoscope::CONVOSCOPE_TARGET
