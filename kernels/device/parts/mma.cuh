#pragma once
// Matrix instructions of one warp: D += A · B with A 16 × 16 and B 16 × 8 in fp16, D 16 × 8 in fp32. All 32 lanes take
// part; each holds a fragment. With g = lane / 4 and t = lane % 4 (PTX ISA, "Matrix fragments for mma.m16n8k16"):
//   a[0]: A[g][2t, 2t+1]   a[1]: A[g+8][2t, 2t+1]   a[2]: A[g][2t+8, 2t+9]   a[3]: A[g+8][2t+8, 2t+9]
//   b[0]: B[2t, 2t+1][g]   b[1]: B[2t+8, 2t+9][g]
//   d[0], d[1]: D[g][2t, 2t+1]   d[2], d[3]: D[g+8][2t, 2t+1]
// Each 32-bit register holds two fp16 values, the one of the lower index in the lower half. With tf32 in the same
// places, one in a register, the product is half as deep: A 16 × 8 and B 8 × 8.
#include "kernels/device/device.cuh"

#if defined(CONVOSCOPE_EMULATED)
#include "kernels/contract/data/half.h"
#include "kernels/emulator/warp_matrices.h"
#else
#include <cuda_fp16.h>
#endif

namespace convoscope::CONVOSCOPE_TARGET {

#if defined(CONVOSCOPE_EMULATED)

inline unsigned pack_half2(float low, float high) { return to_half(low) | static_cast<unsigned>(to_half(high)) << 16; }
inline float low_half(unsigned pair) { return from_half(static_cast<std::uint16_t>(pair)); }
inline float high_half(unsigned pair) { return from_half(static_cast<std::uint16_t>(pair >> 16)); }

// What this lane has of the product.
inline void add_of_lane(float (&d)[4], const WarpProduct<double>& product) {
  const int g = current_lane() / 4, t = current_lane() % 4;
  for (int i = 0; i < 4; ++i) d[i] = static_cast<float>(d[i] + product.at[g + i / 2 * 8][2 * t + i % 2]);
}

// Products are exact in fp32; the sum is kept in double, so that it is at least as good as any order of the hardware's.
inline void mma_m16n8k16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                         std::source_location where = std::source_location::current()) {
  struct Fragment {
    unsigned a[4], b[2];
  } mine{{a[0], a[1], a[2], a[3]}, {b[0], b[1]}};
  WarpMeeting& meeting = WarpMeeting::join(0xffffffffu, &mine, sizeof(mine), where);
  if (meeting.members != 0xffffffffu) fail("a matrix instruction needs all 32 lanes of the warp");
  const auto& product = meeting.common<WarpProduct<double>>([&] {
    WarpMatrices<double, 16> whole;
    for (int lane = 0; lane < 32; ++lane) {
      const auto part = meeting.value<Fragment>(lane);
      const auto put = [at = lane % 4 * 2](double* to, unsigned pair) {
        to[at] = low_half(pair), to[at + 1] = high_half(pair);
      };
      for (int i = 0; i < 4; ++i) put(whole.a[lane / 4 + i % 2 * 8] + i / 2 * 8, part.a[i]);
      for (int i = 0; i < 2; ++i) put(whole.b[lane / 4] + i * 8, part.b[i]);
    }
    return whole.product();
  });
  add_of_lane(d, product);
  meeting.leave();
}

// Half as deep: A 16 × 8 in a[0] and a[1], B 8 × 8 in one register.
inline void mma_m16n8k8(float (&d)[4], const unsigned (&a)[2], unsigned b,
                        std::source_location where = std::source_location::current()) {
  const unsigned deeper_a[4] = {a[0], a[1], 0, 0}, deeper_b[2] = {b, 0};
  mma_m16n8k16(d, deeper_a, deeper_b, where);
}

inline unsigned tf32_bits(float value) { return std::bit_cast<unsigned>(round_to_tf32(value)); }

inline void mma_m16n8k8_tf32(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                             std::source_location where = std::source_location::current()) {
  struct Fragment {
    unsigned a[4], b[2];
  } mine{{a[0], a[1], a[2], a[3]}, {b[0], b[1]}};
  for (const unsigned bits : {a[0], a[1], a[2], a[3], b[0], b[1]})
    if (bits & 0x1fffu) fail("a matrix instruction for tf32 was given a number that is not rounded to it");
  WarpMeeting& meeting = WarpMeeting::join(0xffffffffu, &mine, sizeof(mine), where);
  if (meeting.members != 0xffffffffu) fail("a matrix instruction needs all 32 lanes of the warp");
  const auto& product = meeting.common<WarpProduct<double>>([&] {
    WarpMatrices<double, 8> whole;
    for (int lane = 0; lane < 32; ++lane) {
      const auto part = meeting.value<Fragment>(lane);
      for (int i = 0; i < 4; ++i) whole.a[lane / 4 + i % 2 * 8][lane % 4 + i / 2 * 4] = __uint_as_float(part.a[i]);
      for (int i = 0; i < 2; ++i) whole.b[lane / 4][lane % 4 + i * 4] = __uint_as_float(part.b[i]);
    }
    return whole.product();
  });
  add_of_lane(d, product);
  meeting.leave();
}

// D = A · B + C, for sums that move from register to register as they grow.
inline void mma_m16n8k16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2], const float (&c)[4],
                         std::source_location where = std::source_location::current()) {
  for (int i = 0; i < 4; ++i) d[i] = c[i];
  mma_m16n8k16(d, a, b, where);
}

#else

__device__ inline unsigned pack_half2(float low, float high) {
  const __half2 pair = __floats2half2_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&pair);
}
__device__ inline float low_half(unsigned pair) { return __low2float(*reinterpret_cast<const __half2*>(&pair)); }
__device__ inline float high_half(unsigned pair) { return __high2float(*reinterpret_cast<const __half2*>(&pair)); }

// Half as deep: A 16 × 8 in a[0] and a[1], B 8 × 8 in one register.
__device__ inline void mma_m16n8k8(float (&d)[4], const unsigned (&a)[2], unsigned b) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b));
}

__device__ inline void mma_m16n8k16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  for (int half = 0; half < 2; ++half) {  // compute capability 7.5 has this instruction with half the depth
    const unsigned columns[2] = {a[2 * half], a[2 * half + 1]};
    mma_m16n8k8(d, columns, b[half]);
  }
#endif
}

// From compute capability 8.0 on; nothing below.
__device__ inline unsigned tf32_bits(float value) {
#if __CUDA_ARCH__ >= 800
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return bits;
#else
  return __float_as_uint(value);
#endif
}
__device__ inline void mma_m16n8k8_tf32([[maybe_unused]] float (&d)[4], [[maybe_unused]] const unsigned (&a)[4],
                                        [[maybe_unused]] const unsigned (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

// D = A · B + C, for sums that move from register to register as they grow.
__device__ inline void mma_m16n8k16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2],
                                    const float (&c)[4]) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, "
      "%12, %13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
#else
  for (int i = 0; i < 4; ++i) d[i] = c[i];
  mma_m16n8k16(d, a, b);
#endif
}

#endif

// Two numbers as the sums of two fp16 numbers each: high has 11 significant bits, low the next ones.
__device__ inline void split_half2(float a, float b, unsigned& high, unsigned& low) {
  high = pack_half2(a, b);
  low = pack_half2(a - low_half(high), b - high_half(high));
}

}  // namespace convoscope::CONVOSCOPE_TARGET
