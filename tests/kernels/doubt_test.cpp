// Which times are believed, by given numbers: nothing here is measured.
#include "kernels/measure/doubt.h"

#include <gtest/gtest.h>

#include "kernels/choose/trial_load.h"
#include "kernels/measure/spread.h"

namespace convoscope {
namespace {

TEST(Doubt, OfWhatOtherProgramsTook) {
  // As a sweep once wrote: 1.4 ms of processor time on each of two cores, 108 by the clock.
  EXPECT_TRUE(others_took_most(108, {2 * 1.4, 0}, 2));
  EXPECT_EQ(doubt_of({108, 90, 120, {2 * 1.4, 0}, 2}), Doubt::processor);
  // One of four loads shares two cores with two threads of ours: each waits for two thirds of the time.
  EXPECT_TRUE(others_took_most(30, {20, 20}, 2));
  // Two threads beside two others: half.
  EXPECT_FALSE(others_took_most(20, {20, 10}, 2));
  // Undisturbed, by one thread of 16 cores and by all of them.
  EXPECT_FALSE(others_took_most(10, {10, 0}, 16));
  EXPECT_FALSE(others_took_most(10, {159, 0.1}, 16));
  // It waits, but for threads of its own program.
  EXPECT_FALSE(others_took_most(10, {19.5, 6}, 2));
  // Threads that wake up take as long.
  EXPECT_FALSE(others_took_most(0.1, {0.03, 0}, 16));
  // Not the processor's time, or not known.
  EXPECT_FALSE(others_took_most(10, {}, 16));
}

TEST(Doubt, OfATimeThatIsKnownLessWellThanByItself) {
  EXPECT_EQ(doubt_of({10, 6, 17}), Doubt::spread);
  EXPECT_EQ(doubt_of({10, 6, 15.9}), Doubt::none);
  EXPECT_EQ(doubt_of({10}), Doubt::none) << "no interval is no reason";
  EXPECT_EQ(doubt_of({}), Doubt::none);
  for (const Doubt doubt : {Doubt::processor, Doubt::spread})
    EXPECT_NE(std::string(why_doubtful(doubt)).find("do not believe this"), std::string::npos);
  EXPECT_STREQ(why_doubtful(Doubt::none), "");
}

// Positions by the sign test's table (n 7: 1 and 7, 9: 2 and 8, 15: 4 and 12, 25: 8 and 18, 100: 40 and 61).
TEST(Spread, HasTheIntervalOfItsMedian) {
  for (const auto& [n, low, high] : {std::array{1, 0, 0},
                                     {5, 0, 0},
                                     {6, 1, 6},
                                     {7, 1, 7},
                                     {9, 2, 8},
                                     {15, 4, 12},
                                     {25, 8, 18},
                                     {100, 40, 61},
                                     {10'000, 4902, 5099}}) {
    std::vector<double> samples;
    for (int i = 1; i <= n; ++i) samples.push_back(i);
    const Spread seen = spread(samples);
    EXPECT_NEAR(seen.low, low, n / 5000) << n;
    EXPECT_NEAR(seen.high, high, n / 5000) << n;
  }
}

TEST(TrialLoad, IsOfMostTrialsOrOfTheWinnersTimes) {
  const std::vector<double> steady{10, 10, 11, 10, 10, 10}, wild{1, 40, 1.2, 30, 2, 2};
  TrialLoad load(2);
  EXPECT_EQ(load.doubt(steady), Doubt::none);
  for (int i = 0; i < 3; ++i) load.add(108, ProcessorUse{2.8, 0});
  for (int i = 0; i < 3; ++i) load.add(10, ProcessorUse{20, 0});
  EXPECT_EQ(load.doubt(steady), Doubt::none) << "half of them";
  EXPECT_EQ(load.doubt(wild), Doubt::spread);
  load.add(108, ProcessorUse{2.8, 0});
  EXPECT_EQ(load.doubt(steady), Doubt::processor);
  load.clear();
  load.add(0.01, std::nullopt);  // of a GPU
  EXPECT_EQ(load.doubt(steady), Doubt::none);
}

}  // namespace
}  // namespace convoscope
