#pragma once
// The matrix instruction of a warpgroup on bytes: D += A · B with A 64 × 32 signed, B 32 × 128 unsigned, D 64 × 128 in
// int32; sums are exact. Both factors are read from shared memory while the threads go on; see wgmma.cuh for how a
// group of products begins and ends, and for which of D a thread holds.
#include <cstring>

#include "kernels/device/parts/wgmma.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

// Where a factor lies in shared memory, counted in chunks of 16 bytes: the first half of the depth of a row of A, or of
// a column of B. Eight of them lie one after the other, the next eight `apart` chunks further on than these, and the
// other half of the depth `deeper` than the first one. Places may overlap.
struct ByteRows {
  int first, deeper, apart;
};

#if defined(CONVOSCOPE_EMULATED)

[[gnu::no_sanitize("address", "undefined")]] inline int sum_of_bytes(const std::int8_t (&a)[32],
                                                                     const std::uint8_t (&b)[32]) {
  int sum = 0;
  for (int k = 0; k < 32; ++k) sum += a[k] * b[k];
  return sum;
}

// At once, so that what is forgotten to be waited for is not noticed.
inline void multiply_warpgroup(int (&d)[64], const Shared<ByteColumn>& shared, ByteRows a, ByteRows b) {
  const auto bytes = [&](const ByteRows& rows, int row, auto& to) {
    for (int half = 0; half < 2; ++half)
      std::memcpy(to + 16 * half, &shared[rows.first + row / 8 * rows.apart + row % 8 + half * rows.deeper], 16);
  };
  const int warp = static_cast<int>(threadIdx.x) / 32 % 4, g = current_lane() / 4, t = current_lane() % 4;
  std::int8_t left[2][32];
  std::uint8_t right[32];
  for (int half = 0; half < 2; ++half) bytes(a, warp * 16 + g + half * 8, left[half]);
  for (int column = 0; column < 32; ++column) {
    bytes(b, column / 2 * 8 + 2 * t + column % 2, right);
    for (int half = 0; half < 2; ++half) d[column / 2 * 4 + half * 2 + column % 2] += sum_of_bytes(left[half], right);
  }
}
template <int Registers>
void give_registers_back() {}
template <int Registers>
void take_registers() {}

#elif defined(CONVOSCOPE_WGMMA)

__device__ inline unsigned long long descriptor(unsigned start, const ByteRows& rows) {
  return ((start >> 4) + static_cast<unsigned>(rows.first)) | static_cast<unsigned long long>(rows.deeper) << 16 |
         static_cast<unsigned long long>(rows.apart) << 32;
}

#define CONVOSCOPE_EIGHT_SUMS(i)                                                                              \
  "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3]), "+r"(d[i + 4]), "+r"(d[i + 5]), "+r"(d[i + 6]), \
      "+r"(d[i + 7])
__device__ inline void multiply_warpgroup(int (&d)[64], const Shared<ByteColumn>& shared, ByteRows a, ByteRows b) {
  const auto start = static_cast<unsigned>(__cvta_generic_to_shared(shared.data()));
  asm volatile(
      "{\n.reg .pred adds;\nsetp.ne.b32 adds, 1, 0;\nwgmma.mma_async.sync.aligned.m64n128k32.s32.s8.u8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, "
      "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, adds;\n}"
      : CONVOSCOPE_EIGHT_SUMS(0), CONVOSCOPE_EIGHT_SUMS(8), CONVOSCOPE_EIGHT_SUMS(16), CONVOSCOPE_EIGHT_SUMS(24),
        CONVOSCOPE_EIGHT_SUMS(32), CONVOSCOPE_EIGHT_SUMS(40), CONVOSCOPE_EIGHT_SUMS(48), CONVOSCOPE_EIGHT_SUMS(56)
      : "l"(descriptor(start, a)), "l"(descriptor(start, b)));
}
#undef CONVOSCOPE_EIGHT_SUMS

// Warps that load take few of the multiprocessor's registers, so that there are more for those that multiply. All warps
// of a warpgroup take part; what is taken has to have been given back.
template <int Registers>
__device__ inline void give_registers_back() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers>
__device__ inline void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}

#endif

}  // namespace convoscope::CONVOSCOPE_TARGET
