#pragma once
// The instruction that multiplies two bytes by two 16-bit integers and adds both products (dp2a, compute capability
// 6.1): two multiply-adds for one, on bytes that nobody has converted.
#include "kernels/device/device.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

// sum + w₀ · a + w₁ · b, for the signed halves w₀ (the lower) and w₁ of `weights` and the unsigned bytes a and b that
// are bytes 0 and 1 of `bytes`, or bytes 2 and 3. The sum is taken modulo 2^32.
template <bool Upper>
__device__ inline int dot_product_of_two(unsigned weights, unsigned bytes, int sum) {
#if defined(CONVOSCOPE_EMULATED)
  const unsigned pair = Upper ? bytes >> 16 : bytes;
  const int low = static_cast<std::int16_t>(weights & 0xFFFF), high = static_cast<std::int16_t>(weights >> 16);
  return static_cast<int>(static_cast<unsigned>(sum) + static_cast<unsigned>(low * static_cast<int>(pair & 0xFF)) +
                          static_cast<unsigned>(high * static_cast<int>(pair >> 8 & 0xFF)));
#else
  int result;
  if constexpr (Upper)
    asm("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(weights), "r"(bytes), "r"(sum));
  else
    asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(weights), "r"(bytes), "r"(sum));
  return result;
#endif
}

}  // namespace convoscope::CONVOSCOPE_TARGET
