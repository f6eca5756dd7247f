#pragma once
// The matrix instruction of a warpgroup (wgmma): D += A · B with A 64 × 16 and B 16 × N in fp16, D 64 × N in fp32. B,
// and A unless it is in registers, is read from shared memory while the threads go on; the sums may be touched after a
// wait. All 128 threads of
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

// Columns of B, not swizzled: eight of them, of which each has a chunk with the upper half of its numbers, then eight
// chunks with the lower halves, and so on for the next eight columns. `first` is the first chunk.
struct PlainColumns {
  int first;
};

#if defined(CONVOSCOPE_EMULATED)

// At once, so that what is forgotten to be waited for is not noticed.
template <int N>
void multiply_warpgroup(float (&d)[N / 2], const Shared<ByteColumn>& shared, SwizzledRows a, SwizzledRows b, bool add) {
  const auto eight = [&](const SwizzledRows& rows, int row, int chunk) -> const ByteColumn& {
    const int place = rows.first + row / 8 * rows.apart + row % 8 * 8 + chunk;
    return shared[place ^ place / 8 % 8];
  };
  const int warp = static_cast<int>(threadIdx.x) / 32 % 4, g = current_lane() / 4, t = current_lane() % 4;
  float left[2][16];
  for (int half = 0; half < 2; ++half)
    for (int chunk = 0; chunk < 2; ++chunk)
      floats_of_halves(eight(a, warp * 16 + g + half * 8, chunk).rows, left[half] + 8 * chunk);
  for (int column = 0; column < N / 4; ++column) {
    const int of_b = column / 2 * 8 + 2 * t + column % 2;
    const RowSums sums = sums_of_column(left, eight(b, of_b, 0).rows, eight(b, of_b, 1).rows);
    for (int half = 0; half < 2; ++half) {
      float& to = d[column / 2 * 4 + half * 2 + column % 2];
      to = static_cast<float>((add ? to : 0.0) + sums.of[half]);
    }
  }
}
template <int N>
void multiply_warpgroup(float (&d)[N / 2], const unsigned (&a)[4], const Shared<ByteColumn>& shared, PlainColumns b,
                        std::source_location where = std::source_location::current()) {
  struct Fragment {
    unsigned a[4];
  } mine{{a[0], a[1], a[2], a[3]}};
  WarpMeeting& meeting = WarpMeeting::join(0xffffffffu, &mine, sizeof(mine), where);
  if (meeting.members != 0xffffffffu) fail("a matrix instruction needs all 32 lanes of the warp");
  const int g = current_lane() / 4, t = current_lane() % 4;
  float left[2][16];
  for (int lane = 0; lane < 4; ++lane) {
    const auto part = meeting.value<Fragment>(4 * g + lane);
    for (int i = 0; i < 4; ++i) {
      left[i % 2][i / 2 * 8 + 2 * lane] = low_half(part.a[i]);
      left[i % 2][i / 2 * 8 + 2 * lane + 1] = high_half(part.a[i]);
    }
  }
  meeting.leave();
  for (int column = 0; column < N / 4; ++column) {
    const int first = b.first + column / 2 * 16 + 2 * t + column % 2;
    const RowSums sums = sums_of_column(left, shared[first].rows, shared[first + 8].rows);
    for (int half = 0; half < 2; ++half) {
      float& to = d[column / 2 * 4 + half * 2 + column % 2];
      to = static_cast<float>(to + sums.of[half]);
    }
  }
}
template <int Count>
void keep_sums(float (&)[Count]) {}
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
__device__ inline unsigned long long descriptor(unsigned start, const PlainColumns& columns) {
  constexpr unsigned long long between_halves = 8, between_eights = 16;  // chunks
  return ((start >> 4) + static_cast<unsigned>(columns.first)) | between_halves << 16 | between_eights << 32;
}

// An instruction's first so many sums, as it names them and as it is given them.
#define CONVOSCOPE_NAMES_8 "%0, %1, %2, %3, %4, %5, %6, %7"
#define CONVOSCOPE_NAMES_12 CONVOSCOPE_NAMES_8 ", %8, %9, %10, %11"
#define CONVOSCOPE_NAMES_16 CONVOSCOPE_NAMES_8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define CONVOSCOPE_NAMES_20 CONVOSCOPE_NAMES_16 ", %16, %17, %18, %19"
#define CONVOSCOPE_NAMES_24 CONVOSCOPE_NAMES_16 ", %16, %17, %18, %19, %20, %21, %22, %23"
#define CONVOSCOPE_NAMES_28 CONVOSCOPE_NAMES_24 ", %24, %25, %26, %27"
#define CONVOSCOPE_NAMES_32 CONVOSCOPE_NAMES_24 ", %24, %25, %26, %27, %28, %29, %30, %31"
#define CONVOSCOPE_NAMES_40 CONVOSCOPE_NAMES_32 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define CONVOSCOPE_NAMES_48 CONVOSCOPE_NAMES_40 ", %40, %41, %42, %43, %44, %45, %46, %47"
#define CONVOSCOPE_NAMES_56 CONVOSCOPE_NAMES_48 ", %48, %49, %50, %51, %52, %53, %54, %55"
#define CONVOSCOPE_NAMES_64 CONVOSCOPE_NAMES_56 ", %56, %57, %58, %59, %60, %61, %62, %63"
#define CONVOSCOPE_NAMES_72 CONVOSCOPE_NAMES_64 ", %64, %65, %66, %67, %68, %69, %70, %71"
#define CONVOSCOPE_NAMES_80 CONVOSCOPE_NAMES_72 ", %72, %73, %74, %75, %76, %77, %78, %79"
#define CONVOSCOPE_NAMES_88 CONVOSCOPE_NAMES_80 ", %80, %81, %82, %83, %84, %85, %86, %87"
#define CONVOSCOPE_NAMES_96 CONVOSCOPE_NAMES_88 ", %88, %89, %90, %91, %92, %93, %94, %95"
#define CONVOSCOPE_NAMES_104 CONVOSCOPE_NAMES_96 ", %96, %97, %98, %99, %100, %101, %102, %103"
#define CONVOSCOPE_NAMES_112 CONVOSCOPE_NAMES_104 ", %104, %105, %106, %107, %108, %109, %110, %111"
#define CONVOSCOPE_SUMS_8 "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
#define CONVOSCOPE_SUMS_12 CONVOSCOPE_SUMS_8, "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11])
#define CONVOSCOPE_SUMS_16                                                                                    \
  CONVOSCOPE_SUMS_8, "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), \
      "+f"(d[15])
#define CONVOSCOPE_SUMS_20 CONVOSCOPE_SUMS_16, "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19])
#define CONVOSCOPE_SUMS_24                                                                                       \
  CONVOSCOPE_SUMS_16, "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), \
      "+f"(d[23])
#define CONVOSCOPE_SUMS_28 CONVOSCOPE_SUMS_24, "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27])
#define CONVOSCOPE_SUMS_32                                                                                       \
  CONVOSCOPE_SUMS_24, "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), \
      "+f"(d[31])
#define CONVOSCOPE_SUMS_40                                                                                       \
  CONVOSCOPE_SUMS_32, "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), \
      "+f"(d[39])
#define CONVOSCOPE_SUMS_48                                                                                       \
  CONVOSCOPE_SUMS_40, "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), \
      "+f"(d[47])
#define CONVOSCOPE_SUMS_56                                                                                       \
  CONVOSCOPE_SUMS_48, "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), \
      "+f"(d[55])
#define CONVOSCOPE_SUMS_64                                                                                       \
  CONVOSCOPE_SUMS_56, "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), \
      "+f"(d[63])
#define CONVOSCOPE_SUMS_72                                                                                       \
  CONVOSCOPE_SUMS_64, "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), \
      "+f"(d[71])
#define CONVOSCOPE_SUMS_80                                                                                       \
  CONVOSCOPE_SUMS_72, "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), \
      "+f"(d[79])
#define CONVOSCOPE_SUMS_88                                                                                       \
  CONVOSCOPE_SUMS_80, "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), \
      "+f"(d[87])
#define CONVOSCOPE_SUMS_96                                                                                       \
  CONVOSCOPE_SUMS_88, "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), \
      "+f"(d[95])
#define CONVOSCOPE_SUMS_104                                                                                         \
  CONVOSCOPE_SUMS_96, "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), \
      "+f"(d[103])
#define CONVOSCOPE_SUMS_112                                                                                \
  CONVOSCOPE_SUMS_104, "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), \
      "+f"(d[110]), "+f"(d[111])

// Both factors from shared memory. Without `add` the sums begin anew.
#define CONVOSCOPE_MULTIPLY(n, sums, left, right, adds)                                                    \
  if constexpr (N == n)                                                                                    \
  asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, " adds ", 0;\nwgmma.mma_async.sync.aligned.m64n" #n \
               "k16.f32.f16.f16 {" CONVOSCOPE_NAMES_##sums "}, " left ", " right ", adds, 1, 1, 0, 0;\n}"  \
               : CONVOSCOPE_SUMS_##sums                                                                    \
               : "l"(from_a), "l"(from_b), "r"(static_cast<int>(add)))
template <int N>
__device__ inline void multiply_warpgroup(float (&d)[N / 2], const Shared<ByteColumn>& shared, SwizzledRows a,
                                          SwizzledRows b, bool add) {
  static_assert(N == 64 || N == 96 || N == 128 || N == 192 || N == 224, "such an instruction is not written down here");
  const auto start = static_cast<unsigned>(__cvta_generic_to_shared(shared.data()));
  const unsigned long long from_a = descriptor(start, a), from_b = descriptor(start, b);
  CONVOSCOPE_MULTIPLY(64, 32, "%32", "%33", "%34");
  CONVOSCOPE_MULTIPLY(96, 48, "%48", "%49", "%50");
  CONVOSCOPE_MULTIPLY(128, 64, "%64", "%65", "%66");
  CONVOSCOPE_MULTIPLY(192, 96, "%96", "%97", "%98");
  CONVOSCOPE_MULTIPLY(224, 112, "%112", "%113", "%114");
}

// A from the warp's own registers, as mma.cuh has it; they may be changed after a wait.
#define CONVOSCOPE_MULTIPLY_OWN(n, sums, left, right)                                             \
  if constexpr (N == n)                                                                           \
  asm volatile("wgmma.mma_async.sync.aligned.m64n" #n "k16.f32.f16.f16 {" CONVOSCOPE_NAMES_##sums \
               "}, {" left "}, " right ", 1, 1, 1, 0;"                                            \
               : CONVOSCOPE_SUMS_##sums                                                           \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(from_b))
template <int N>
__device__ inline void multiply_warpgroup(float (&d)[N / 2], const unsigned (&a)[4], const Shared<ByteColumn>& shared,
                                          PlainColumns b) {
  static_assert((N >= 24 && N <= 64) || N == 80 || N == 96 || N == 112 || N == 128 || N == 144 || N == 208,
                "such an instruction is not written down here");
  const unsigned long long from_b = descriptor(static_cast<unsigned>(__cvta_generic_to_shared(shared.data())), b);
  CONVOSCOPE_MULTIPLY_OWN(24, 12, "%12, %13, %14, %15", "%16");
  CONVOSCOPE_MULTIPLY_OWN(32, 16, "%16, %17, %18, %19", "%20");
  CONVOSCOPE_MULTIPLY_OWN(40, 20, "%20, %21, %22, %23", "%24");
  CONVOSCOPE_MULTIPLY_OWN(48, 24, "%24, %25, %26, %27", "%28");
  CONVOSCOPE_MULTIPLY_OWN(56, 28, "%28, %29, %30, %31", "%32");
  CONVOSCOPE_MULTIPLY_OWN(64, 32, "%32, %33, %34, %35", "%36");
  CONVOSCOPE_MULTIPLY_OWN(80, 40, "%40, %41, %42, %43", "%44");
  CONVOSCOPE_MULTIPLY_OWN(96, 48, "%48, %49, %50, %51", "%52");
  CONVOSCOPE_MULTIPLY_OWN(112, 56, "%56, %57, %58, %59", "%60");
  CONVOSCOPE_MULTIPLY_OWN(128, 64, "%64, %65, %66, %67", "%68");
  CONVOSCOPE_MULTIPLY_OWN(144, 72, "%72, %73, %74, %75", "%76");
  CONVOSCOPE_MULTIPLY_OWN(208, 104, "%104, %105, %106, %107", "%108");
}
#undef CONVOSCOPE_NAMES_8
#undef CONVOSCOPE_NAMES_12
#undef CONVOSCOPE_NAMES_16
#undef CONVOSCOPE_NAMES_20
#undef CONVOSCOPE_NAMES_24
#undef CONVOSCOPE_NAMES_28
#undef CONVOSCOPE_NAMES_32
#undef CONVOSCOPE_NAMES_40
#undef CONVOSCOPE_NAMES_48
#undef CONVOSCOPE_NAMES_56
#undef CONVOSCOPE_NAMES_64
#undef CONVOSCOPE_NAMES_72
#undef CONVOSCOPE_NAMES_80
#undef CONVOSCOPE_NAMES_88
#undef CONVOSCOPE_NAMES_96
#undef CONVOSCOPE_NAMES_104
#undef CONVOSCOPE_NAMES_112
#undef CONVOSCOPE_SUMS_8
#undef CONVOSCOPE_SUMS_12
#undef CONVOSCOPE_SUMS_16
#undef CONVOSCOPE_SUMS_20
#undef CONVOSCOPE_SUMS_24
#undef CONVOSCOPE_SUMS_28
#undef CONVOSCOPE_SUMS_32
#undef CONVOSCOPE_SUMS_40
#undef CONVOSCOPE_SUMS_48
#undef CONVOSCOPE_SUMS_56
#undef CONVOSCOPE_SUMS_64
#undef CONVOSCOPE_SUMS_72
#undef CONVOSCOPE_SUMS_80
#undef CONVOSCOPE_SUMS_88
#undef CONVOSCOPE_SUMS_96
#undef CONVOSCOPE_SUMS_104
#undef CONVOSCOPE_SUMS_112
#undef CONVOSCOPE_MULTIPLY
#undef CONVOSCOPE_MULTIPLY_OWN

// Between one's own use of the sums and that of the instructions, on both sides. The compiler has sums that change move
// from register to register otherwise, and waits for each instruction.
template <int Count>
__device__ inline void keep_sums(float (&sums)[Count]) {
  CONVOSCOPE_UNROLL
  for (int i = 0; i < Count; ++i) asm volatile("" : "+f"(sums[i])::"memory");
}
// Before the first product of a group, and between one's own use of the sums and the next product.
__device__ inline void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int GroupsLeftPending>
__device__ inline void wait_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(GroupsLeftPending) : "memory");
}

#endif

}  // namespace convoscope::CONVOSCOPE_TARGET
