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

// Byte 0 of the result is the code value of value · 255, half to even.
__device__ inline unsigned code_value(float value) {
  return __float_as_uint(fmaf(__saturatef(value), 255.0f, 12582912.0f));  // 1.5 · 2^23: no place for fractions
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
