// Blocks, threads, their order, and what a launch refuses.
#include <gmock/gmock.h>

#include <thread>

#include "tests/emulator/support.h"

namespace convoscope::emulated {
namespace {

__global__ void count_visits(int* visits, int* order, int* next) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const auto place = static_cast<int>(block * blockDim.count() + thread);
  ++visits[place];
  order[atomicAdd(next, 1)] = place;
}

std::vector<int> visit_order(std::uint64_t value) {
  const SeedScope scope(value);
  const dim3 grid(3, 2, 2), block(5, 3, 2);
  const int all = static_cast<int>(grid.count() * block.count());
  const DeviceBuffer<int> visits = on_device(std::vector<int>(all)), order(all), next = on_device(std::vector<int>(1));
  launch(count_visits, grid, block, 0, Stream{}, visits.data(), order.data(), next.data());
  EXPECT_THAT(on_host(visits), testing::Each(1));
  return on_host(order);
}

TEST(Scheduler, EveryThreadRunsOnceInAnOrderThatTheSeedShuffles) {
  const std::vector<int> ascending = visit_order(0), first = visit_order(1), second = visit_order(2);
  EXPECT_TRUE(std::is_sorted(ascending.begin(), ascending.end()));
  EXPECT_FALSE(std::is_sorted(first.begin(), first.end()));
  EXPECT_NE(first, second);
  EXPECT_EQ(first, visit_order(1)) << "the same seed must give the same order";
  EXPECT_THAT(second, testing::UnorderedElementsAreArray(ascending));
}

__global__ void meet_often(int* log, int turns) {
  const int t = threadIdx.x, n = blockDim.x;
  const Shared<int> slots = shared_memory<int>(0, n);
  int sum = 0;
  for (int turn = 0; turn < turns; ++turn) {
    slots[t] = turn * n + t;
    __syncthreads();
    sum += slots[(t + turn) % n];
    __syncthreads();
  }
  log[blockIdx.x * n + t] = sum;
}

TEST(Scheduler, LargestBlockMeetsAtManyBarriers) {
  const int n = 1024, turns = 20;
  for (const std::uint64_t value : seeds) {
    const SeedScope scope(value);
    const DeviceBuffer<int> log(2 * n);
    launch(meet_often, dim3(2), dim3(n), n * sizeof(int), Stream{}, log.data(), turns);
    for (int i = 0; i < 2 * n; ++i) {
      int expected = 0;
      for (int turn = 0; turn < turns; ++turn) expected += turn * n + (i + turn) % n;
      ASSERT_EQ(log.data()[i], expected) << i;
    }
  }
}

__global__ void read_stale_shared_memory(float* out) {
  const Shared<float> tile = shared_memory<float>(0, 8);
  out[blockIdx.x * 8 + threadIdx.x] = tile[static_cast<int>(threadIdx.x)];
  tile[static_cast<int>(threadIdx.x)] = 1.0f;
}

TEST(Scheduler, SharedMemoryIsPoisonedForEveryBlock) {
  const DeviceBuffer<float> out(32);
  launch(read_stale_shared_memory, dim3(4), dim3(8), 32, Stream{}, out.data());
  for (const float value : on_host(out)) EXPECT_TRUE(std::isnan(value));
}

struct Guard {
  int* counter;
  ~Guard() { ++*counter; }
};
__global__ void one_thread_throws(int* unwound, int thrower) {
  const Guard guard{unwound};
  if (static_cast<int>(threadIdx.x) == thrower) throw std::string("from a fiber");
  __syncthreads();
  __syncthreads();
}

TEST(Scheduler, ExceptionsReachTheCallerAndUnwindTheOtherThreads) {
  for (const std::uint64_t value : seeds) {
    const SeedScope scope(value);
    const DeviceBuffer<int> unwound = on_device(std::vector<int>(1)), before = on_device(std::vector<int>(1));
    EXPECT_THROW(launch(one_thread_throws, dim3(1), dim3(64), 0, Stream{}, unwound.data(), 63), std::string);
    EXPECT_GE(unwound.data()[0], 1);
    // The next launch finds the fibers in order.
    launch(one_thread_throws, dim3(2), dim3(64), 0, Stream{}, before.data(), -1);
    EXPECT_EQ(before.data()[0], 128);
  }
}

__global__ void nothing() {}

TEST(Scheduler, RefusesLaunchesThatCudaRefuses) {
  const auto refusal = [](dim3 grid, dim3 block, std::size_t bytes) {
    return error_of([&] { launch(nothing, grid, block, bytes, Stream{}); });
  };
  EXPECT_EQ(refusal(dim3(1), dim3(1024), 48 * 1024), "no error");
  EXPECT_THAT(refusal(dim3(1), dim3(32, 33), 0), testing::HasSubstr("the most is 1024"));
  EXPECT_THAT(refusal(dim3(1), dim3(0), 0), testing::HasSubstr("(0, 1, 1)"));
  EXPECT_THAT(refusal(dim3(0), dim3(1), 0), testing::HasSubstr("(0, 1, 1) blocks"));
  EXPECT_THAT(refusal(dim3(1, 65536), dim3(1), 0), testing::HasSubstr("65536"));
  EXPECT_THAT(refusal(dim3(1), dim3(1), 48 * 1024 + 1), testing::HasSubstr("allow_shared()"));
  allow_shared(nothing, 100 * 1024);
  EXPECT_EQ(refusal(dim3(1), dim3(1), 100 * 1024), "no error");
  allow_shared(nothing, 1024);
  EXPECT_EQ(refusal(dim3(1), dim3(1), 100 * 1024), "no error")
      << "a smaller plan must not take away what a larger one needs";
  EXPECT_THAT(error_of([] { allow_shared(nothing, 228 * 1024); }), testing::HasSubstr("232448"));
}

TEST(Scheduler, SeveralHostThreadsMayLaunch) {
  std::vector<std::thread> hosts;
  std::vector<int> wrong(4);
  for (int h = 0; h < 4; ++h)
    hosts.emplace_back([&wrong, h] {
      const DeviceBuffer<int> log(64);
      for (int turns = 1; turns < 20; ++turns) {
        launch(meet_often, dim3(1), dim3(64), 64 * sizeof(int), Stream{}, log.data(), turns);
        int expected = 0;
        for (int turn = 0; turn < turns; ++turn) expected += turn * 64 + (7 + turn) % 64;
        wrong[h] += log.data()[7] != expected;
      }
    });
  for (std::thread& host : hosts) host.join();
  EXPECT_THAT(wrong, testing::Each(0));
}

TEST(Scheduler, DescribesALaunch) {
  const KernelInfo info = describe("nothing", nothing, dim3(7, 5), dim3(32, 8), 1234);
  EXPECT_EQ(info.name, "nothing");
  EXPECT_EQ(info.grid_x, 7);
  EXPECT_EQ(info.grid_y, 5);
  EXPECT_EQ(info.block_x, 32);
  EXPECT_EQ(info.block_y, 8);
  EXPECT_EQ(info.dynamic_shared_bytes, 1234u);
}

}  // namespace
}  // namespace convoscope::emulated
