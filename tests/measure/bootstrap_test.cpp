// Against distributions whose median is known.
#include "app/measure/bootstrap.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <random>

namespace convoscope {
namespace {

MedianBootstrap run(const RollingTimes& times) {
  MedianBootstrap bootstrap;
  bootstrap.start(times);
  while (!bootstrap.step(10'000)) {
  }
  return bootstrap;
}

// Times around 1 ms whose neighbours are alike: x' = link · x + noise, of the same variance for every link.
RollingTimes linked_times(double link, double spread, unsigned seed, int count = 240) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, spread * std::sqrt(1 - link * link));
  std::normal_distribution<double> first(0, spread);
  RollingTimes times(count);
  double x = first(random);
  for (int i = 0; i < count; ++i) {
    times.add(1 + x);
    x = link * x + noise(random);
  }
  return times;
}

// How often the interval has the true median, 1, in it.
double covered(double link, int count) {
  constexpr int windows = 600;
  int hits = 0;
  for (unsigned seed = 1; seed <= windows; ++seed) {
    const Interval interval = *run(linked_times(link, 0.02, seed, count)).interval();
    hits += interval.low <= 1 && 1 <= interval.high;
  }
  return static_cast<double>(hits) / windows;
}

// 600 windows tell 0.95 within 0.018 (two standard deviations).
TEST(MedianBootstrap, CoversTheTrueMedianAsOftenAsItSays) {
  for (const int count : {60, 240}) {
    SCOPED_TRACE(count);
    for (const double link : {0.0, 0.4}) {  // clumps of neighbours are what the blocks are for
      SCOPED_TRACE(link);
      EXPECT_NEAR(covered(link, count), 0.95, 0.025);
    }
  }
}

TEST(MedianBootstrap, IsWiderForTimesInClumps) {
  double apart = 0, linked = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Interval a = *run(linked_times(0, 0.02, seed)).interval(), b = *run(linked_times(0.8, 0.02, seed)).interval();
    apart += a.high - a.low;
    linked += b.high - b.low;
  }
  EXPECT_GT(linked, 1.5 * apart);
}

TEST(MedianBootstrap, TheMedianLiesInItsInterval) {
  const MedianBootstrap bootstrap = run(linked_times(0.3, 0.1, 7));
  EXPECT_EQ(bootstrap.median(), linked_times(0.3, 0.1, 7).median());
  EXPECT_LE(bootstrap.interval()->low, bootstrap.median());
  EXPECT_GE(bootstrap.interval()->high, bootstrap.median());
  EXPECT_EQ(bootstrap.medians().size(), static_cast<std::size_t>(bootstrap_resamples));
}

TEST(MedianBootstrap, TheSameTimesGiveTheSameInterval) {
  const RollingTimes times = linked_times(0.5, 0.05, 3);
  const Interval a = *run(times).interval(), b = *run(times).interval();
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.high, b.high);
}

TEST(MedianBootstrap, AConstantIsKnownExactlyAndTooFewTimesNotAtAll) {
  RollingTimes times(100);
  for (int i = 0; i < bootstrap_fewest - 1; ++i) times.add(2);
  EXPECT_FALSE(run(times).interval());
  times.add(2);
  EXPECT_EQ(run(times).interval()->low, 2);
  EXPECT_EQ(run(times).interval()->high, 2);
  EXPECT_FALSE(run(RollingTimes(10)).interval());
}

TEST(MedianBootstrap, OutliersDoNotMoveIt) {
  RollingTimes times(240);
  for (int i = 0; i < 240; ++i) times.add(i % 60 == 59 ? 50 : 1 + 0.001 * (i % 7));
  EXPECT_LT(run(times).interval()->high, 1.01);
}

TEST(MedianBootstrap, LooksAtTheNewestOfAHugeWindow) {
  RollingTimes times(100'000);
  for (int i = 0; i < 50'000; ++i) times.add(9);
  for (int i = 0; i < bootstrap_most; ++i) times.add(1);
  EXPECT_EQ(run(times).interval()->high, 1);
}

TEST(TellApart, NeedsAGapThatClocksAndBuffersDoNotExplain) {
  EXPECT_FALSE(tell_apart({1, 1.1}, {1.05, 1.2}));
  EXPECT_FALSE(tell_apart({1, 1.1}, {1.1, 1.2})) << "they touch";
  EXPECT_FALSE(tell_apart({1, 1.1}, {1.104, 1.2})) << "0.4 %";
  EXPECT_TRUE(tell_apart({1, 1.1}, {1.12, 1.2}));
  EXPECT_TRUE(tell_apart({1.12, 1.2}, {1, 1.1}));
  EXPECT_FALSE(tell_apart({0.0100, 0.0100}, {0.0104, 0.0104})) << "less than the events resolve";
}

}  // namespace
}  // namespace convoscope
