// One kernel for each fault that the emulator is there to find: the broken form must be caught in every order of the
// threads, the correct version must pass in every order. All compute y[i] = x[i-1] + x[i] + x[i+1] with zeros outside.
#include <gmock/gmock.h>

#include "kernels/device/parts/async_copy.cuh"
#include "kernels/device/parts/warp.cuh"
#include "tests/emulator/support.h"

namespace convoscope::emulated {
namespace {

constexpr int threads = 64, count = 200;  // the last block is not full

__device__ float at(const float* x, int i, int n) { return i >= 0 && i < n ? x[i] : 0.0f; }

std::vector<float> input() {
  std::vector<float> x(count);
  for (int i = 0; i < count; ++i) x[i] = static_cast<float>(i * 37 % 101 + 1);
  return x;
}

// How many outputs of the kernel are wrong; NaN, which unwritten memory holds, is.
template <class Kernel>
int wrong_outputs(Kernel kernel, dim3 grid = dim3((count + threads - 1) / threads),
                  std::size_t shared_bytes = (threads + 2) * sizeof(float)) {
  const std::vector<float> x = input();
  const DeviceBuffer<float> in = on_device(x), out(count);
  launch(kernel, grid, dim3(threads), shared_bytes, Stream{}, in.data(), out.data(), count);
  int wrong = 0;
  for (int i = 0; i < count; ++i)
    if (!(out.data()[i] == at(x.data(), i - 1, count) + x[i] + at(x.data(), i + 1, count))) ++wrong;
  return wrong;
}

template <class Test>
void in_every_order(Test&& test) {
  for (const std::uint64_t value : seeds) {
    SCOPED_TRACE("seed " + std::to_string(value));
    const SeedScope scope(value);
    test();
  }
}

enum class Version { correct, broken };

// The tile is read before the neighbours have written theirs.
template <Version version>
__global__ void read_before_write(const float* x, float* y, int n) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  const Shared<float> tile = shared_memory<float>(0, threads + 2);
  tile[t + 1] = at(x, i, n);
  if (t == 0) tile[0] = at(x, i - 1, n);
  if (t == threads - 1) tile[threads + 1] = at(x, i + 1, n);
  if (version == Version::correct) __syncthreads();
  if (i < n) y[i] = tile[t] + tile[t + 1] + tile[t + 2];
}

TEST(BrokenKernels, MissingBarrierBeforeReading) {
  in_every_order([] {
    EXPECT_EQ(wrong_outputs(read_before_write<Version::correct>), 0);
    EXPECT_GT(wrong_outputs(read_before_write<Version::broken>), 0);
  });
}

// One block goes through all tiles: the next one overwrites what neighbours still read.
template <Version version>
__global__ void write_after_read(const float* x, float* y, int n) {
  const int t = threadIdx.x;
  const Shared<float> tile = shared_memory<float>(0, threads + 2);
  for (int first = 0; first < n; first += threads) {
    const int i = first + t;
    tile[t + 1] = at(x, i, n);
    if (t == 0) tile[0] = at(x, i - 1, n);
    if (t == threads - 1) tile[threads + 1] = at(x, i + 1, n);
    __syncthreads();
    if (i < n) y[i] = tile[t] + tile[t + 1] + tile[t + 2];
    if (version == Version::correct) __syncthreads();
  }
}

TEST(BrokenKernels, MissingBarrierBeforeWriting) {
  in_every_order([] {
    EXPECT_EQ(wrong_outputs(write_after_read<Version::correct>, dim3(1)), 0);
    EXPECT_GT(wrong_outputs(write_after_read<Version::broken>, dim3(1)), 0);
  });
}

// The halo on the right is forgotten where the tile is declared.
template <Version version>
__global__ void shared_out_of_bounds(const float* x, float* y, int n) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  const Shared<float> tile = shared_memory<float>(0, version == Version::correct ? threads + 2 : threads + 1);
  tile[t + 1] = at(x, i, n);
  if (t == 0) tile[0] = at(x, i - 1, n);
  if (t == threads - 1) tile[threads + 1] = at(x, i + 1, n);
  __syncthreads();
  if (i < n) y[i] = tile[t] + tile[t + 1] + tile[t + 2];
}

TEST(BrokenKernels, SharedMemoryOutOfBounds) {
  in_every_order([] {
    EXPECT_EQ(wrong_outputs(shared_out_of_bounds<Version::correct>), 0);
    EXPECT_THAT(error_of([] { wrong_outputs(shared_out_of_bounds<Version::broken>); }),
                testing::AllOf(testing::HasSubstr("thread (63, 0, 0)"),
                               testing::HasSubstr("index 65 is outside of the 65 elements")));
  });
}

TEST(BrokenKernels, MoreSharedMemoryThanTheLaunchGave) {
  EXPECT_THAT(error_of([] { wrong_outputs(read_before_write<Version::correct>, dim3(4), threads * sizeof(float)); }),
              testing::HasSubstr("the launch gave the block 256"));
}

// The row's end is not looked at.
template <Version version>
__global__ void global_out_of_bounds(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float right = version == Version::correct ? at(x, i + 1, n) : x[i + 1];
  y[i] = at(x, i - 1, n) + x[i] + right;
}

TEST(BrokenKernelsDeathTest, GlobalMemoryOutOfBounds) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  in_every_order([] { EXPECT_EQ(wrong_outputs(global_out_of_bounds<Version::correct>), 0); });
#if defined(__SANITIZE_ADDRESS__)
  EXPECT_DEATH(wrong_outputs(global_out_of_bounds<Version::broken>), "heap-buffer-overflow");
#else
  GTEST_SKIP() << "found by AddressSanitizer: configure with -DCONVOSCOPE_SANITIZE=ON";
#endif
}

// The pointer behind Shared escapes its checks, but not the sanitizer.
__global__ void raw_shared_out_of_bounds(const float*, float* y, int) {
  float* raw = shared_memory<float>(0, threads + 2).data();
  y[0] = raw[threads + 2];
}

TEST(BrokenKernelsDeathTest, RawSharedMemoryOutOfBounds) {
#if defined(__SANITIZE_ADDRESS__)
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(wrong_outputs(raw_shared_out_of_bounds), "heap-buffer-overflow");
#else
  GTEST_SKIP() << "found by AddressSanitizer: configure with -DCONVOSCOPE_SANITIZE=ON";
#endif
}

// The grid is rounded down in the broken form: see the test.
__global__ void one_output_per_thread(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = at(x, i - 1, n) + x[i] + at(x, i + 1, n);
}

TEST(BrokenKernels, UnwrittenOutput) {
  in_every_order([] {
    EXPECT_EQ(wrong_outputs(one_output_per_thread, dim3((count + threads - 1) / threads)), 0);
    EXPECT_EQ(wrong_outputs(one_output_per_thread, dim3(count / threads)), count % threads);
  });
}

enum class Wait { full, none, without_barrier, too_few };

template <Wait wait>
__global__ void asynchronous(const float* x, float* y, int n) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  const Shared<float> tile = shared_memory<float>(0, threads + 2);
  const auto copy = [&](int to, int from) {
    async_copy<4>(tile, to, x + (from >= 0 && from < n ? from : 0), from >= 0 && from < n);
  };
  copy(t + 1, i);
  if (t == 0) copy(0, i - 1);
  if (t == threads - 1) copy(threads + 1, i + 1);
  async_commit();
  if (wait == Wait::full || wait == Wait::without_barrier) async_wait<0>();
  if (wait == Wait::too_few) async_wait<1>();
  if (wait != Wait::without_barrier) __syncthreads();
  if (i < n) y[i] = tile[t] + tile[t + 1] + tile[t + 2];
  if (wait == Wait::none || wait == Wait::too_few) async_wait<0>();  // so that only the result tells
}

TEST(BrokenKernels, MissingWaitForAsynchronousCopies) {
  in_every_order([] {
    EXPECT_EQ(wrong_outputs(asynchronous<Wait::full>), 0);
    EXPECT_EQ(wrong_outputs(asynchronous<Wait::none>), count);
    EXPECT_EQ(wrong_outputs(asynchronous<Wait::too_few>), count);
    EXPECT_GT(wrong_outputs(asynchronous<Wait::without_barrier>), 0);
  });
}

__global__ void never_waits(const float* x, float*, int) {
  async_copy<4>(shared_memory<float>(0, threads), static_cast<int>(threadIdx.x), x);
  async_commit();
}

TEST(BrokenKernels, ReturnsWithCopiesUnderWay) {
  in_every_order(
      [] { EXPECT_THAT(error_of([] { wrong_outputs(never_waits); }), testing::HasSubstr("never waited for")); });
}

enum class Divergence { none, returns_before, half_of_the_block, two_barriers, one_turn_less };

template <Divergence divergence>
__global__ void divergent(const float* x, float* y, int n) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  const Shared<float> tile = shared_memory<float>(0, threads + 2);
  if (divergence == Divergence::returns_before && i >= n) return;
  tile[t + 1] = at(x, i, n);
  if (t == 0) tile[0] = at(x, i - 1, n);
  if (t == threads - 1) tile[threads + 1] = at(x, i + 1, n);
  switch (divergence) {
    case Divergence::half_of_the_block:
      if (t < threads / 2) __syncthreads();
      break;
    case Divergence::two_barriers:
      if (t % 2)
        __syncthreads();
      else
        __syncthreads();
      break;
    case Divergence::one_turn_less:
      for (int turn = 0; turn < (t == 5 ? 1 : 2); ++turn) __syncthreads();
      break;
    default:
      __syncthreads();
  }
  if (i < n) y[i] = tile[t] + tile[t + 1] + tile[t + 2];
}

TEST(BrokenKernels, DivergentBarrier) {
  in_every_order([] {
    EXPECT_EQ(wrong_outputs(divergent<Divergence::none>), 0);
    EXPECT_THAT(error_of([] { wrong_outputs(divergent<Divergence::returns_before>); }),
                testing::HasSubstr("returned without reaching"));
    EXPECT_THAT(error_of([] { wrong_outputs(divergent<Divergence::half_of_the_block>); }),
                testing::HasSubstr("returned without reaching"));
    EXPECT_THAT(error_of([] { wrong_outputs(divergent<Divergence::two_barriers>); }),
                testing::HasSubstr("the barrier is in divergent code"));
    EXPECT_THAT(error_of([] { wrong_outputs(divergent<Divergence::one_turn_less>); }),
                testing::HasSubstr("returned without reaching"));
  });
}

template <Version version>
__global__ void shuffles(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = lane_index();
  if (version == Version::broken && i >= n) return;  // the rest of the warp waits for these threads
  const float own = at(x, i, n);
  float left = shuffle_up(own, 1), right = shuffle_down(own, 1);
  if (lane == 0) left = at(x, i - 1, n);
  if (lane == 31) right = at(x, i + 1, n);
  if (i < n) y[i] = left + own + right;
}

TEST(BrokenKernels, ShuffleThatSomeLanesMiss) {
  in_every_order([] {
    EXPECT_EQ(wrong_outputs(shuffles<Version::correct>), 0);
    EXPECT_THAT(error_of([] { wrong_outputs(shuffles<Version::broken>); }),
                testing::HasSubstr("for threads of its warp that never come"));
  });
}

__constant__ float table[16];

TEST(BrokenKernels, MoreWeightsThanTheConstantArrayHolds) {
  const std::vector<float> values(17, 1.0f);
  EXPECT_EQ(cudaMemcpyToSymbolAsync(table, values.data(), 16 * sizeof(float)), cudaSuccess);
  EXPECT_EQ(table[15], 1.0f);
  EXPECT_EQ(cudaMemcpyToSymbolAsync(table, values.data(), 17 * sizeof(float)), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbolAsync(table, values.data(), 4, 16 * sizeof(float)), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace convoscope::emulated
