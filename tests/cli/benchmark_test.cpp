#include "kernels/measure/benchmark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>

#include "app/cli/commands/report.h"
#include "kernels/contract/image_plan.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/measure/roofline.h"
#include "kernels/measure/times_copy.h"
#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

using testing::HasSubstr;

TEST(Benchmark, SpreadInterpolates) {
  const Spread s = spread({4, 1, 3, 2, 5});
  EXPECT_DOUBLE_EQ(s.median, 3);
  EXPECT_DOUBLE_EQ(s.min, 1);
  EXPECT_DOUBLE_EQ(s.p05, 1.2);
  EXPECT_DOUBLE_EQ(s.p95, 4.8);
  EXPECT_EQ(s.samples, 5);
  EXPECT_DOUBLE_EQ(spread({7}).p95, 7);
  EXPECT_EQ(spread({}).samples, 0);
}

TEST(Benchmark, WhatDoesNotGrowWithTheRowsIsWhereTheirLineBegins) {
  EXPECT_DOUBLE_EQ(fixed_part(10, 8, 6, 4), 2);
  EXPECT_DOUBLE_EQ(fixed_part(10, 5, 6.8, 3), 2);
  EXPECT_EQ(fixed_part(10, 8, 4, 4), 0) << "disturbed: a half took less than half";
  EXPECT_EQ(fixed_part(10, 8, 11, 4), 10) << "disturbed: a half took longer than all";
  EXPECT_EQ(fixed_part(10, 1, 10, 1), 0) << "one row says nothing";
}

TEST(Benchmark, LessThanACopyIsNotSaid) {
  EXPECT_EQ(times_copy(3, 2), 1.5);
  EXPECT_EQ(times_copy(0.97, 1), 0.97);
  EXPECT_FALSE(times_copy(0.5, 1)) << "the copy was disturbed";
  EXPECT_FALSE(times_copy(1, 0));
  EXPECT_EQ(number_json(times_copy(3, 2)), 1.5);
  EXPECT_TRUE(number_json(times_copy(0.5, 1)).is_null());
}

// Two strategies made for this: one right, one that leaves the last pixel as it finds it.
class CopyPlan final : public ImagePlan {
 public:
  explicit CopyPlan(bool whole) : whole_(whole) {}
  void set_filter(const Filter&) override {}
  void prepare(Stream) override {}
  void enqueue_frame(const Image& in, const Image& out, Stream) override {
    for (int y = 0; y < in.height; ++y)
      for (int x = 0; x < in.width; ++x)
        if (whole_ || y + 1 < in.height || x + 1 < in.width) at(out, x, y) = at(in, x, y);
  }

 private:
  static std::uint32_t& at(const Image& image, int x, int y) {
    return reinterpret_cast<std::uint32_t*>(static_cast<char*>(image.data) + y * image.pitch)[x];
  }
  bool whole_;
};

template <bool Whole>
constexpr Strategy copy_strategy{
    .id = Whole ? "whole" : "unfinished",
    .title = "",
    .idea = "",
    .reading = "",
    .backend = Backend::cpu,
    .tunables = {},
    .tolerance = [](const Problem&) { return 1e-5; },
    .refuses = [](const Problem& p, const Device&, const Tuned&) -> std::string {
      return p.filter.width > 1 ? "only the identity" : "";
    },
    .plans = [](const Problem&, const Device&, const Tuned&) -> std::unique_ptr<Plan> {
      return std::make_unique<CopyPlan>(Whole);
    },
    .costs = [](const Problem& p, const Tuned&) { return Cost{.flop = 1, .dram_bytes = 8.0 * p.width * p.height}; },
};

BenchmarkOptions quick() { return {.rounds = 3, .warm_up_rounds = 1}; }

TEST(Benchmark, LiveIsOneLaunchOnBuffersThatStayInTheCache) {
  const auto compute = make_compute(Backend::cpu);
  const Contestant contestants[] = {{&copy_strategy<true>, {}}, {&copy_strategy<false>, {}}};
  const Problem problem{.width = 33, .height = 17, .filter = parse_filter("identity").filter};
  BenchmarkOptions options = quick();
  options.live = true;
  const BenchmarkResult result = benchmark(*compute, problem, contestants, options);
  EXPECT_EQ(result.buffers, 1);
  EXPECT_TRUE(result.rows[0].verified);
  EXPECT_EQ(result.rows[0].batch, 1);
  EXPECT_EQ(result.rows[0].time.median, result.rows[0].single.median);
  EXPECT_FALSE(result.rows[1].verified) << "what another one has left in the buffer is not its result";
}

TEST(Benchmark, OnlyWhatIsRightGetsTimes) {
  const auto compute = make_compute(Backend::cpu);
  const Contestant contestants[] = {{&copy_strategy<true>, {}}, {&copy_strategy<false>, {}}};
  for (const PixelFormat format : {PixelFormat::rgba8, PixelFormat::gray32f}) {
    const Problem problem{.width = 33, .height = 17, .format = format, .filter = parse_filter("identity").filter};
    const BenchmarkResult result = benchmark(*compute, problem, contestants, quick());
    EXPECT_EQ(result.copy.samples, 3);
    EXPECT_GE(result.buffers, 2);
    ASSERT_EQ(result.rows.size(), 2u);
    EXPECT_TRUE(result.rows[0].verified) << result.rows[0].reason;
    EXPECT_EQ(result.rows[0].time.samples, 3);
    EXPECT_GT(result.rows[0].gb_s(), 0);
    EXPECT_FALSE(result.rows[1].verified);
    EXPECT_THAT(result.rows[1].reason, HasSubstr("x = 32, y = 16"));
    EXPECT_EQ(result.rows[1].time.samples, 0);
  }
}

class NeverSettledPlan final : public ImagePlan {
 public:
  void set_filter(const Filter&) override {}
  void prepare(Stream) override {}
  void enqueue_frame(const Image&, const Image&, Stream) override {}
  bool settled() const override { return false; }
};

TEST(Benchmark, WhoShallStopDoesNotWaitForAChoice) {
  const auto compute = make_compute(Backend::cpu);
  Strategy undecided = copy_strategy<true>;
  undecided.plans = [](const Problem&, const Device&, const Tuned&) -> std::unique_ptr<Plan> {
    return std::make_unique<NeverSettledPlan>();
  };
  const Contestant contestants[] = {{&undecided, {}}};
  const Problem problem{.width = 33, .height = 17, .filter = parse_filter("identity").filter};
  std::stop_source stop;
  const StopScope scope(stop.get_token());
  stop.request_stop();
  const auto began = std::chrono::steady_clock::now();
  benchmark(*compute, problem, contestants, quick());
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
}

TEST(Benchmark, ARefusalIsARowWithItsReason) {
  const auto compute = make_compute(Backend::cpu);
  const Contestant contestants[] = {{&copy_strategy<true>, {}}};
  const Problem problem{.width = 8, .height = 8, .filter = parse_filter("box:radius=1").filter};
  const BenchmarkResult result = benchmark(*compute, problem, contestants, quick());
  EXPECT_FALSE(result.rows[0].verified);
  EXPECT_EQ(result.rows[0].reason, "only the identity");
}

TEST(Benchmark, WhereAnyByteWouldPassNothingIsMeasured) {
  const auto compute = make_compute(Backend::cpu);
  Strategy loose = copy_strategy<false>;
  loose.tolerance = [](const Problem&) { return 300.0; };
  const Contestant contestants[] = {{&loose, {}}};
  const Problem problem{.width = 33, .height = 17, .filter = parse_filter("identity").filter};
  const BenchmarkResult result = benchmark(*compute, problem, contestants, quick());
  EXPECT_FALSE(result.rows[0].verified);
  EXPECT_THAT(result.rows[0].reason, HasSubstr("300 code values"));
}

TEST(RooflineOfABench, IsThatOfTheMemoryOrOfTheCacheThatKeepsTheCopy) {
  const DeviceLimits limits{.copy_bytes_per_second = 1e10, .flop_per_second = 1e11};
  Cost cost;
  cost.dram_bytes = 1e7;  // a millisecond through memory
  EXPECT_NEAR(*fraction_of_roofline(cost, 2, limits, 0.9e10), 0.5, 1e-12);
  EXPECT_NEAR(*fraction_of_roofline(cost, 0.8, limits, 2e10), 0.625, 1e-12) << "its own copy is twice as fast";
  EXPECT_EQ(fraction_of_roofline(cost, 0.96, limits, 0.9e10), std::nullopt) << "104 % of what is possible";
  EXPECT_EQ(fraction_of_roofline(cost, 0.999, limits, 0.9e10), 1.0) << "the spread of both";
  cost.flop = 3e8;  // three milliseconds of arithmetic
  EXPECT_NEAR(*fraction_of_roofline(cost, 4, limits, 2e10), 0.75, 1e-12);
  EXPECT_EQ(fraction_of_roofline(cost, 4, {}, 2e10), std::nullopt);
}

TEST(Benchmark, TheLaddersOwnStrategiesAreMeasured) {
  const auto compute = make_compute(Backend::cpu);
  std::vector<Contestant> contestants;
  for (const Strategy* strategy : strategies(Backend::cpu)) contestants.push_back({strategy, {}});
  const Problem problem{.width = 64, .height = 48, .filter = parse_filter("gaussian:radius=2").filter};
  const BenchmarkResult result = benchmark(*compute, problem, contestants, quick());
  for (const BenchmarkRow& row : result.rows) {
    EXPECT_TRUE(row.verified) << row.strategy << ": " << row.reason;
    EXPECT_EQ(row.ran.empty(), row.strategy != "auto") << row.strategy;
    EXPECT_LE(row.time.p05, row.time.median);
    EXPECT_LE(row.time.median, row.time.p95);
  }
}

}  // namespace
}  // namespace convoscope
