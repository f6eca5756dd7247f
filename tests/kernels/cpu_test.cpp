// What the CPU strategies stand on: the thread pool, the vectorised rows, plans that allocate nothing for a frame.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>
#include <numeric>
#include <set>
#include <thread>

#include "kernels/choose/ladder.h"
#include "kernels/compute/compute.h"
#include "kernels/contract/image_plan.h"
#include "kernels/contract/strategy.h"
#include "kernels/cpu/cpu_rows.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/threads/thread_pool.h"

namespace {
std::atomic<bool> counting = false;
std::atomic<int> allocations = 0;
}  // namespace

// Not inlined: GCC would see malloc() and delete in one place and warn of a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (counting) ++allocations;
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
// For those who call it directly: with AddressSanitizer's own, delete below would see a stranger's memory.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  if (counting) ++allocations;
  return std::malloc(size ? size : 1);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace convoscope {
namespace {

TEST(ThreadPool, CallsEveryIndexOnce) {
  for (const int workers : {1, 2, 7, 1000})
    for (const int count : {0, 1, 2, 3, 1000}) {
      std::vector<std::atomic<int>> calls(count);
      parallel_for(count, workers, [&](int i, int worker) {
        EXPECT_LT(worker, std::max(std::min(workers, core_count()), 1));
        ++calls[i];
      });
      for (const auto& c : calls) ASSERT_EQ(c, 1);
    }
}

TEST(ThreadPool, ServesSeveralThreadsInTurn) {
  std::atomic<int> total = 0;
  std::vector<std::jthread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) parallel_for(10, 2, [&](int, int) { ++total; });
    });
  callers.clear();
  EXPECT_EQ(total, 4 * 50 * 10);
}

TEST(Rows, CorrelateIsTheDefinition) {
  std::srand(1);
  const auto random = [] { return static_cast<float>(std::rand() % 2001 - 1000) / 1000; };
  for (const int step : {1, 4})
    for (const int height : {1, 2, 3, 5, 8})
      for (const int taps : {1, 3, 7})
        for (int outputs = 1; outputs <= rows::most_outputs; ++outputs)
          for (const int count : {1, 17, 64, 100}) {
            const int length = count + (taps - 1) * step;
            std::vector<std::vector<float>> in(outputs + height - 1, std::vector<float>(length + rows::slack)),
                out(outputs, std::vector<float>(count + rows::slack));
            std::vector<const float*> in_rows;
            std::vector<float*> out_rows;
            for (auto& row : in) {
              for (int i = 0; i < length; ++i) row[i] = random();
              in_rows.push_back(row.data());
            }
            for (auto& row : out) out_rows.push_back(row.data());
            std::vector<float> weights(height * taps);
            for (float& w : weights) w = random();
            rows::correlate(in_rows.data(), height, weights.data(), taps, step, out_rows.data(), outputs, count);
            for (int k = 0; k < outputs; ++k)
              for (int i = 0; i < count; ++i) {
                double expected = 0;
                for (int j = 0; j < height; ++j)
                  for (int t = 0; t < taps; ++t) expected += double{weights[j * taps + t]} * in[k + j][i + t * step];
                ASSERT_NEAR(out[k][i], expected, 1e-5);
              }
          }
}

TEST(Rows, FinishRoundsClampsAndKeepsAlpha) {
  std::vector<float> sums(20 + rows::slack);
  for (int i = 0; i < 20; ++i) sums[i] = static_cast<float>(i * 20) - 50.3f;
  std::vector<std::uint8_t> in(20), out(24, 99);
  std::iota(in.begin(), in.end(), std::uint8_t{100});
  rows::finish(sums.data(), nullptr, {}, in.data(), out.data(), 20);
  for (int i = 0; i < 20; ++i) {
    const double expected = i % 4 == 3 ? 100 + i : std::clamp(std::round(sums[i]), 0.0f, 255.0f);
    EXPECT_EQ(out[i], expected) << i;
  }
  for (int i = 20; i < 24; ++i) EXPECT_EQ(out[i], 99) << "written behind the end";
}

TEST(CpuStrategies, AllocateNothingForAFrame) {
  const auto compute = make_compute(Backend::cpu);
  for (const Strategy* strategy : strategies(Backend::cpu))
    for (const PixelFormat format : {PixelFormat::rgba8, PixelFormat::gray32f})
      for (const char* text : {"gaussian:radius=3", "sobel-magnitude"}) {
        const Problem problem{200, 100, format, Border::mirror, parse_filter(text).filter};
        if (!strategy->unsupported(problem, compute->device(), {}).empty()) continue;
        const DeviceImage in = compute->allocate(200, 100, format), out = compute->allocate(200, 100, format);
        compute->fill(in.image(), 0);
        const auto plan = strategy->plan(problem, compute->device(), {});
        plan->prepare({});
        enqueue_image(*plan, in.image(), out.image(), {});  // starts the pool's threads
        allocations = 0;
        counting = true;
        plan->prepare({});
        enqueue_image(*plan, in.image(), out.image(), {});
        counting = false;
        EXPECT_EQ(allocations, 0) << strategy->id << " " << text;
      }
}

TEST(CpuStrategies, SayWhichStripAThreadMakes) {
  const auto compute = make_compute(Backend::cpu);
  const Problem problem{640, 360, PixelFormat::rgba8, Border::mirror, parse_filter("gaussian:radius=2").filter};
  for (const char* const id : {"cpu-parallel", "cpu-separable", "cpu-separable-int16"}) {
    const Explanation said =
        find_strategy(Backend::cpu, id)->explain(problem, compute->device(), {}, {.x = 300, .y = 200});
    ASSERT_TRUE(said.strip) << id;
    EXPECT_TRUE(said.strip->contains(300, 200)) << id;
    const std::string rows = "of rows " + std::to_string(said.strip->y) + " to " +
                             std::to_string(said.strip->y + said.strip->height - 1) + ".";
    EXPECT_NE(said.words.find(rows), std::string::npos) << said.words;
  }
}

TEST(Ladder, ListsCpuAndCudaRows) {
  const std::vector<StrategyRow> rows = ladder();
  std::set<std::string_view> cpu, listed;
  for (const StrategyRow& row : rows) {
    ASSERT_NE(row.strategy, nullptr);
    EXPECT_EQ(row.available, row.reason.empty()) << row.strategy->id;
    if (row.backend == Backend::cpu) cpu.insert(row.strategy->id);
    EXPECT_TRUE(listed.insert(row.strategy->id).second) << row.strategy->id << " is listed twice";
  }
  EXPECT_EQ(cpu, (std::set<std::string_view>{"cpu-direct", "cpu-direct-separable", "cpu-parallel", "cpu-separable",
                                             "cpu-separable-int16", "auto"}));
  EXPECT_EQ(rows.front().strategy->id, "cpu-direct");
  for (const Strategy* strategy : strategies(Backend::emulated))
    EXPECT_TRUE(listed.contains(strategy->id)) << strategy->id;
  EXPECT_EQ(find_strategy(Backend::cpu, "nonsense"), nullptr);
}

}  // namespace
}  // namespace convoscope
