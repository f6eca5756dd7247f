#pragma once
// The matrix instruction of a warpgroup (wgmma.cuh) with both factors the other way round: of a step in depth 64 rows
// of A, or 64 columns of B, lie side by side in 128 bytes of shared memory. So sums over pixels take numbers that lie
// channel by channel as they are.
#include "kernels/device/parts/wgmma.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

// Where such a factor lies, in chunks of 16 bytes: the first of 16 steps in depth at `first`, before it is swizzled as
// mbarrier.cuh says; eight steps one after the other, the next eight `apart` chunks further on, and the next 64 columns
// `next` chunks further on. These may overlap.
struct SwizzledDepth {
  int first, apart, next;
  __device__ SwizzledDepth further(int chunks) const { return {first + chunks, apart, next}; }
};

#if defined(CONVOSCOPE_EMULATED)

// At once, as multiply_warpgroup() in wgmma.cuh.
template <int N>
void multiply_turned(float (&d)[N / 2], const Shared<ByteColumn>& shared, SwizzledDepth a, SwizzledDepth b, bool add) {
  // 8 neighbouring columns of a factor, from a multiple of 8 on, in one step.
  const auto eight = [&](const SwizzledDepth& from, int step, int column, float* to) {
    const int place = from.first + column / 64 * from.next + step / 8 * from.apart + step % 8 * 8 + column % 64 / 8;
    floats_of_halves(shared[place ^ place / 8 % 8].rows, to);
  };
  const int warp = static_cast<int>(threadIdx.x) / 32 % 4, g = current_lane() / 4, t = current_lane() % 4;
  double sums[N / 2] = {};
  for (int step = 0; step < 16; ++step) {
    float left[2][8], right[8];
    for (int half = 0; half < 2; ++half) eight(a, step, warp * 16 + half * 8, left[half]);
    for (int j = 0; j < N / 8; ++j) {
      eight(b, step, j * 8, right);
      for (int i = 0; i < 4; ++i)
        sums[4 * j + i] += static_cast<double>(left[i / 2][g]) * static_cast<double>(right[2 * t + i % 2]);
    }
  }
  for (int i = 0; i < N / 2; ++i) d[i] = static_cast<float>((add ? static_cast<double>(d[i]) : 0.0) + sums[i]);
}

#elif defined(CONVOSCOPE_WGMMA)

__device__ inline unsigned long long descriptor(unsigned start, const SwizzledDepth& depth) {
  constexpr unsigned long long swizzle_128 = 1ull << 62;
  return ((start >> 4) + static_cast<unsigned>(depth.first)) | static_cast<unsigned long long>(depth.next) << 16 |
         static_cast<unsigned long long>(depth.apart) << 32 | swizzle_128;
}

#define CONVOSCOPE_EIGHT_SUMS(i)                                                                              \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
      "+f"(d[i + 7])

// Without `add` the sums begin anew.
template <int N>
__device__ inline void multiply_turned(float (&d)[N / 2], const Shared<ByteColumn>& shared, SwizzledDepth a,
                                       SwizzledDepth b, bool add) {
  static_assert(N == 192, "such an instruction is not written down here");
  const auto start = static_cast<unsigned>(__cvta_generic_to_shared(shared.data()));
  asm volatile(
      "{\n.reg .pred adds;\nsetp.ne.b32 adds, %98, 0;\nwgmma.mma_async.sync.aligned.m64n192k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
      "}, %96, %97, adds, 1, 1, 1, 1;\n}"
      : CONVOSCOPE_EIGHT_SUMS(0), CONVOSCOPE_EIGHT_SUMS(8), CONVOSCOPE_EIGHT_SUMS(16), CONVOSCOPE_EIGHT_SUMS(24),
        CONVOSCOPE_EIGHT_SUMS(32), CONVOSCOPE_EIGHT_SUMS(40), CONVOSCOPE_EIGHT_SUMS(48), CONVOSCOPE_EIGHT_SUMS(56),
        CONVOSCOPE_EIGHT_SUMS(64), CONVOSCOPE_EIGHT_SUMS(72), CONVOSCOPE_EIGHT_SUMS(80), CONVOSCOPE_EIGHT_SUMS(88)
      : "l"(descriptor(start, a)), "l"(descriptor(start, b)), "r"(static_cast<int>(add)));
}
#undef CONVOSCOPE_EIGHT_SUMS

#endif

}  // namespace convoscope::CONVOSCOPE_TARGET
