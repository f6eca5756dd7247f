#pragma once
// Matrix instructions of one warp on bytes: D += A · B with A 16 × 32 signed, B 32 × 8 unsigned, D 16 × 8 in int32;
// sums are exact. All 32 lanes take part; each holds a fragment. With g = lane / 4 and t = lane % 4 (PTX ISA, "Matrix
// fragments for mma.m16n8k32"):
//   a[0]: A[g][4t … 4t+3]   a[1]: A[g+8][4t …]   a[2]: A[g][4t+16 …]   a[3]: A[g+8][4t+16 …]
//   b0: B[4t … 4t+3][g]   b1: B[4t+16 …][g]
//   d[0], d[1]: D[g][2t, 2t+1]   d[2], d[3]: D[g+8][2t, 2t+1]
// Each 32-bit register holds four bytes, the one of the lowest index in the lowest bits.
#include "kernels/device/parts/wide_pixel.cuh"

#if defined(CONVOSCOPE_EMULATED)
#include "kernels/emulator/warp_matrices.h"
#endif

namespace convoscope::CONVOSCOPE_TARGET {

// The A matrix of one mma as one lane holds it.
struct alignas(16) ByteFragment {
  unsigned a[4];
};

// Sixteen bytes that lie together in shared memory: a column of a B matrix's upper or lower half.
struct alignas(16) ByteColumn {
  unsigned rows[4];
};

#if defined(CONVOSCOPE_EMULATED)

template <bool SignedB, int Chunks>
void mma_chunks(int (&d)[4], const unsigned* a, const unsigned* b, const int (&c)[4],
                std::source_location where = std::source_location::current()) {
  struct Fragment {
    unsigned a[4], b[2];
  } mine{};
  std::copy_n(a, 2 * Chunks, mine.a);
  std::copy_n(b, Chunks, mine.b);
  WarpMeeting& meeting = WarpMeeting::join(0xffffffffu, &mine, sizeof(mine), where);
  if (meeting.members != 0xffffffffu) fail("a matrix instruction needs all 32 lanes of the warp");
  const auto& product = meeting.common<WarpProduct<int>>([&] {
    WarpMatrices<int, 16 * Chunks> whole;
    for (int lane = 0; lane < 32; ++lane) {
      const auto part = meeting.value<Fragment>(lane);
      for (int k = 0; k < 16 * Chunks; ++k) {
        if (k % 16 / 4 != lane % 4) continue;
        const int chunk = k / 16, shift = 8 * (k % 4);
        for (int half = 0; half < 2; ++half)
          whole.a[lane / 4 + 8 * half][k] = static_cast<std::int8_t>(part.a[2 * chunk + half] >> shift);
        const unsigned bits = part.b[chunk] >> shift & 0xFF;
        whole.b[lane / 4][k] = SignedB ? static_cast<std::int8_t>(bits) : static_cast<int>(bits);
      }
    }
    return whole.product();
  });
  const int g = current_lane() / 4, t = current_lane() % 4;
  for (int i = 0; i < 4; ++i) d[i] = c[i] + product.at[g + i / 2 * 8][2 * t + i % 2];
  meeting.leave();
}

// D = A · B + C.
inline void mma_m16n8k32(int (&d)[4], const ByteFragment& a, unsigned b0, unsigned b1, const int (&c)[4],
                         std::source_location where = std::source_location::current()) {
  const unsigned b[2] = {b0, b1};
  mma_chunks<false, 2>(d, a.a, b, c, where);
}

inline void mma_m16n8k32(int (&d)[4], const ByteFragment& a, unsigned b0, unsigned b1,
                         std::source_location where = std::source_location::current()) {
  mma_m16n8k32(d, a, b0, b1, d, where);
}

template <int Count>
void load_matrices(unsigned (&to)[Count], const Shared<ByteColumn>& from, int index,
                   std::source_location where = std::source_location::current()) {
  const ByteColumn* mine = current_lane() < 8 * Count ? &from[index] : nullptr;
  WarpMeeting& meeting = WarpMeeting::join(0xffffffffu, &mine, sizeof(mine), where);
  if (meeting.members != 0xffffffffu) fail("a matrix load needs all 32 lanes of the warp");
  for (int m = 0; m < Count; ++m)
    to[m] = meeting.value<const ByteColumn*>(8 * m + current_lane() / 4)->rows[current_lane() % 4];
  meeting.leave();
}

#else

__device__ inline void mma_m16n8k32(int (&d)[4], const ByteFragment& a, unsigned b0, unsigned b1) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a.a[0]), "r"(a.a[1]), "r"(a.a[2]), "r"(a.a[3]), "r"(b0), "r"(b1));
#else
  for (int i = 0; i < 4; ++i)  // compute capability 7.5 multiplies a quarter of it at a time: 8 rows, 16 deep
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+r"(d[2 * (i % 2)]), "+r"(d[2 * (i % 2) + 1])
                 : "r"(a.a[i]), "r"(i < 2 ? b0 : b1));
#endif
}

// D = A · B + C.
__device__ inline void mma_m16n8k32(int (&d)[4], const ByteFragment& a, unsigned b0, unsigned b1, const int (&c)[4]) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, "
      "%13};"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
      : "r"(a.a[0]), "r"(a.a[1]), "r"(a.a[2]), "r"(a.a[3]), "r"(b0), "r"(b1), "r"(c[0]), "r"(c[1]), "r"(c[2]),
        "r"(c[3]));
#else
  for (int i = 0; i < 4; ++i) d[i] = c[i];
  mma_m16n8k32(d, a, b0, b1);
#endif
}

// D = A · B + C of one or two chunks of 16 in depth, B of signed or unsigned bytes; D may be C. a: for each chunk two
// registers, for rows g and g + 8; b: one.
#define CONVOSCOPE_MMA_K32(type)                                                 \
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8." type                           \
      ".s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};" \
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                           \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]))
#define CONVOSCOPE_MMA_K16(type)                         \
  asm("mma.sync.aligned.m16n8k16.row.col.s32.s8." type   \
      ".s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, " \
      "%9, %10};"                                        \
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])   \
      : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]))
#define CONVOSCOPE_MMA_M8(type, half, chunk)                                                 \
  asm("mma.sync.aligned.m8n8k16.row.col.s32.s8." type ".s32 {%0, %1}, {%2}, {%3}, {%0, %1};" \
      : "+r"(d[2 * half]), "+r"(d[2 * half + 1])                                             \
      : "r"(a[2 * chunk + half]), "r"(b[chunk]))

template <bool SignedB, int Chunks>
__device__ inline void mma_chunks(int (&d)[4], const unsigned* a, const unsigned* b, const int (&c)[4]) {
  static_assert(Chunks == 1 || Chunks == 2);
#if __CUDA_ARCH__ >= 800
  if constexpr (Chunks == 2 && SignedB)
    CONVOSCOPE_MMA_K32("s8");
  else if constexpr (Chunks == 2)
    CONVOSCOPE_MMA_K32("u8");
  else if constexpr (SignedB)
    CONVOSCOPE_MMA_K16("s8");
  else
    CONVOSCOPE_MMA_K16("u8");
#else
  CONVOSCOPE_UNROLL
  for (int i = 0; i < 4; ++i) d[i] = c[i];
  CONVOSCOPE_UNROLL
  for (int chunk = 0; chunk < Chunks; ++chunk) CONVOSCOPE_UNROLL
  for (int half = 0; half < 2; ++half) {
    if constexpr (SignedB)
      CONVOSCOPE_MMA_M8("s8", half, chunk);
    else
      CONVOSCOPE_MMA_M8("u8", half, chunk);
  }
#endif
}
#undef CONVOSCOPE_MMA_K32
#undef CONVOSCOPE_MMA_K16
#undef CONVOSCOPE_MMA_M8

// Halves of `Count` B matrices from shared memory: lane i names column i % 8 of matrix i / 8 and receives, of each,
// rows 4t … 4t+3 of column g. Lanes from 8 · Count on name nothing. Eight columns that lie side by side have no bank
// conflict.
template <int Count>
__device__ inline void load_matrices(unsigned (&to)[Count], const Shared<ByteColumn>& from, int index) {
  static_assert(Count == 1 || Count == 2 || Count == 4);
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(from.data() + index));
  if constexpr (Count == 1)
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(to[0]) : "r"(address));
  else if constexpr (Count == 2)
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(to[0]), "=r"(to[1]) : "r"(address));
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address));
}

#endif

}  // namespace convoscope::CONVOSCOPE_TARGET
