#pragma once
// The matrix instruction of a warpgroup (wgmma): D += A · B with A 64 × 16 and B 16 × N in fp16, D 64 × N in fp32. Both
// factors are read from shared memory while the threads go on; the sums may be touched after a wait. All 128 threads of
// four warps take part, the first of them a multiple of four. With w = warp % 4, g = lane / 4 and t = lane % 4 a thread
// holds (PTX ISA, "Register fragment layout of accumulator matrix D"):
//   d[4j], d[4j+1]: D[16w+g][8j+2t, 8j+2t+1]   d[4j+2], d[4j+3]: D[16w+g+8][8j+2t, 8j+2t+1]
// Machine code for it is built for sm_90a alone: other architectures have no such instruction.
#include "kernels/device/parts/mbarrier.cuh"
#include "kernels/device/parts/mma.cuh"
#include "kernels/device/parts/mma_int8.cuh"

#if defined(CONVOSCOPE_EMULATED) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define CONVOSCOPE_WGMMA
#endif

namespace convoscope::CONVOSCOPE_TARGET {

// Where a factor lies in shared memory that is counted in chunks of 16 bytes: rows of A, or columns of B, of 128 bytes
// each, eight of them one after the other and the next eight `apart` chunks further on, swizzled as mbarrier.cuh says.
// `first` is the first row's first chunk, before it is swizzled; an instruction takes two chunks of each row.
struct SwizzledRows {
  int first, apart;
  __device__ SwizzledRows further(int chunks) const { return {first + chunks, apart}; }
};

#if defined(CONVOSCOPE_EMULATED)

// Most of the time that the emulated kernels of warpgroups take: in four sums, which do not wait for one another, and
// without a look at each access to these arrays.
[[gnu::no_sanitize("address", "undefined")]] inline double sum_of_products(const float (&a)[16], const float (&b)[16]) {
  double sums[4] = {};
  for (int k = 0; k < 16; k += 4)
    for (int i = 0; i < 4; ++i) sums[i] += static_cast<double>(a[k + i]) * static_cast<double>(b[k + i]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// At once, so that what is forgotten to be waited for is not noticed.
template <int N>
void multiply_warpgroup(float (&d)[N / 2], const Shared<ByteColumn>& shared, SwizzledRows a, SwizzledRows b, bool add) {
  const auto numbers = [&](const SwizzledRows& rows, int row, float(&to)[16]) {
    for (int chunk = 0; chunk < 2; ++chunk) {
      const int place = rows.first + row / 8 * rows.apart + row % 8 * 8 + chunk;
      const ByteColumn& eight = shared[place ^ place / 8 % 8];
      for (int i = 0; i < 4; ++i) {
        to[chunk * 8 + 2 * i] = low_half(eight.rows[i]);
        to[chunk * 8 + 2 * i + 1] = high_half(eight.rows[i]);
      }
    }
  };
  const int warp = static_cast<int>(threadIdx.x) / 32 % 4, g = current_lane() / 4, t = current_lane() % 4;
  float left[2][16], right[16];
  for (int half = 0; half < 2; ++half) numbers(a, warp * 16 + g + half * 8, left[half]);
  for (int column = 0; column < N / 4; ++column) {
    numbers(b, column / 2 * 8 + 2 * t + column % 2, right);
    for (int half = 0; half < 2; ++half) {
      float& to = d[column / 2 * 4 + half * 2 + column % 2];
      to = static_cast<float>((add ? to : 0.0) + sum_of_products(left[half], right));
    }
  }
}
inline void begin_products() {}
inline void commit_products() {}
// The warp has been at its products together.
template <int GroupsLeftPending>
void wait_products(std::source_location where = std::source_location::current()) {
  __syncwarp(0xffffffffu, where);
}

#elif defined(CONVOSCOPE_WGMMA)

__device__ inline unsigned long long descriptor(unsigned start, const SwizzledRows& rows) {
  constexpr unsigned long long swizzle_128 = 1ull << 62;
  return ((start >> 4) + static_cast<unsigned>(rows.first)) | 1ull << 16 |
         static_cast<unsigned long long>(rows.apart) << 32 | swizzle_128;
}

#define CONVOSCOPE_NAMES_0                                                                               \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, " \
  "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define CONVOSCOPE_SUMS_0                                                                                     \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), \
      "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),  \
      "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), \
      "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
#define CONVOSCOPE_NAMES_32 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define CONVOSCOPE_SUMS_32                                                                                             \
  "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), \
      "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47])
#define CONVOSCOPE_NAMES_48 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define CONVOSCOPE_SUMS_48                                                                                             \
  "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), \
      "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
#define CONVOSCOPE_NAMES_64                                                                              \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, " \
  "%84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define CONVOSCOPE_SUMS_64                                                                                             \
  "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]), "+f"(d[72]), \
      "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]), "+f"(d[80]),          \
      "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]),          \
      "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95])
#define CONVOSCOPE_NAMES_96 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111"
#define CONVOSCOPE_SUMS_96                                                                                    \
  "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]), \
      "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111])
#define CONVOSCOPE_MULTIPLY(n, names, left, right, adds, ...)                                             \
  asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, " adds ", 0;\nwgmma.mma_async.sync.aligned.m64n" n \
               "k16.f32.f16.f16 {" names "}, " left ", " right ", adds, 1, 1, 0, 0;\n}"                   \
               : __VA_ARGS__                                                                              \
               : "l"(from_a), "l"(from_b), "r"(static_cast<int>(add)))

// Without `add` the sums begin anew.
template <int N>
__device__ inline void multiply_warpgroup(float (&d)[N / 2], const Shared<ByteColumn>& shared, SwizzledRows a,
                                          SwizzledRows b, bool add) {
  const auto start = static_cast<unsigned>(__cvta_generic_to_shared(shared.data()));
  const unsigned long long from_a = descriptor(start, a), from_b = descriptor(start, b);
  if constexpr (N == 64)
    CONVOSCOPE_MULTIPLY("64", CONVOSCOPE_NAMES_0, "%32", "%33", "%34", CONVOSCOPE_SUMS_0);
  else if constexpr (N == 96)
    CONVOSCOPE_MULTIPLY("96", CONVOSCOPE_NAMES_0 ", " CONVOSCOPE_NAMES_32, "%48", "%49", "%50", CONVOSCOPE_SUMS_0,
                        CONVOSCOPE_SUMS_32);
  else if constexpr (N == 128)
    CONVOSCOPE_MULTIPLY("128", CONVOSCOPE_NAMES_0 ", " CONVOSCOPE_NAMES_32 ", " CONVOSCOPE_NAMES_48, "%64", "%65",
                        "%66", CONVOSCOPE_SUMS_0, CONVOSCOPE_SUMS_32, CONVOSCOPE_SUMS_48);
  else if constexpr (N == 192)
    CONVOSCOPE_MULTIPLY(
        "192", CONVOSCOPE_NAMES_0 ", " CONVOSCOPE_NAMES_32 ", " CONVOSCOPE_NAMES_48 ", " CONVOSCOPE_NAMES_64, "%96",
        "%97", "%98", CONVOSCOPE_SUMS_0, CONVOSCOPE_SUMS_32, CONVOSCOPE_SUMS_48, CONVOSCOPE_SUMS_64);
  else if constexpr (N == 224)
    CONVOSCOPE_MULTIPLY("224",
                        CONVOSCOPE_NAMES_0 ", " CONVOSCOPE_NAMES_32 ", " CONVOSCOPE_NAMES_48 ", " CONVOSCOPE_NAMES_64
                                           ", " CONVOSCOPE_NAMES_96,
                        "%112", "%113", "%114", CONVOSCOPE_SUMS_0, CONVOSCOPE_SUMS_32, CONVOSCOPE_SUMS_48,
                        CONVOSCOPE_SUMS_64, CONVOSCOPE_SUMS_96);
  else
    static_assert(N == 0, "such an instruction is not written down here");
}
#undef CONVOSCOPE_NAMES_0
#undef CONVOSCOPE_SUMS_0
#undef CONVOSCOPE_NAMES_32
#undef CONVOSCOPE_SUMS_32
#undef CONVOSCOPE_NAMES_48
#undef CONVOSCOPE_SUMS_48
#undef CONVOSCOPE_NAMES_64
#undef CONVOSCOPE_SUMS_64
#undef CONVOSCOPE_NAMES_96
#undef CONVOSCOPE_SUMS_96
#undef CONVOSCOPE_MULTIPLY

// Before the first product of a group, and between one's own use of the sums and the next product.
__device__ inline void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int GroupsLeftPending>
__device__ inline void wait_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(GroupsLeftPending) : "memory");
}

#endif

}  // namespace convoscope::CONVOSCOPE_TARGET
