#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <random>

#include "app/state/stats.h"

namespace convoscope {
namespace {

// The same by the definitions, from all values of the window.
struct Brute {
  std::deque<float> values;
  std::vector<float> sorted() const {
    std::vector<float> s(values.begin(), values.end());
    std::ranges::sort(s);
    return s;
  }
  double median() const {
    const auto s = sorted();
    return s.size() % 2 ? s[s.size() / 2] : 0.5 * (static_cast<double>(s[s.size() / 2 - 1]) + s[s.size() / 2]);
  }
  double p95() const {
    const auto s = sorted();
    for (std::size_t i = 0; i < s.size(); ++i)
      if ((i + 1) * 100 >= 95 * s.size()) return s[i];
    return s.back();
  }
};

void expect_same(const RollingTimes& times, const Brute& brute) {
  ASSERT_EQ(times.count(), static_cast<int>(brute.values.size()));
  EXPECT_EQ(times.median(), brute.median());
  EXPECT_EQ(times.p95(), brute.p95());
  EXPECT_EQ(times.min(), brute.sorted().front());
  EXPECT_EQ(times.last(), brute.values.back());
  EXPECT_EQ(times.history(), std::vector<float>(brute.values.begin(), brute.values.end()));
}

TEST(RollingTimes, AgreesWithBruteForceForEveryFillOfEveryWindow) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> any(0.01f, 20);
  for (const int window : {1, 2, 3, 19, 20, 21, 100}) {
    RollingTimes times(window);
    Brute brute;
    for (int i = 0; i < 3 * window + 2; ++i) {
      const float value = any(random);
      times.add(value);
      brute.values.push_back(value);
      if (static_cast<int>(brute.values.size()) > window) brute.values.pop_front();
      expect_same(times, brute);
    }
  }
}

TEST(RollingTimes, EmptyIsZeroEverywhere) {
  RollingTimes times(10);
  times.add(3);
  times.clear();
  EXPECT_EQ(times.count(), 0);
  EXPECT_EQ(times.last(), 0);
  EXPECT_EQ(times.median(), 0);
  EXPECT_EQ(times.p95(), 0);
  EXPECT_EQ(times.min(), 0);
  EXPECT_EQ(times.at(0), 0);
  EXPECT_TRUE(times.history().empty());
}

TEST(RollingTimes, AnotherWindowKeepsTheNewestThatFit) {
  RollingTimes times(5);
  for (int i = 1; i <= 8; ++i) times.add(i);  // 4 5 6 7 8, wrapped
  times.set_window(3);
  EXPECT_EQ(times.history(), (std::vector<float>{6, 7, 8}));
  times.add(9);
  EXPECT_EQ(times.history(), (std::vector<float>{7, 8, 9}));
  times.set_window(6);
  for (int i = 10; i <= 13; ++i) times.add(i);
  EXPECT_EQ(times.history(), (std::vector<float>{8, 9, 10, 11, 12, 13}));
  EXPECT_EQ(times.median(), 10.5);
  times.set_window(0);  // at least one
  EXPECT_EQ(times.history(), (std::vector<float>{13}));
}

TEST(RollingTimes, WhatIsNoNumberIsLeftOut) {
  RollingTimes times(4);
  times.add(2);
  times.add(std::numeric_limits<double>::quiet_NaN());
  times.add(std::numeric_limits<double>::infinity());
  EXPECT_EQ(times.count(), 1);
  EXPECT_EQ(times.median(), 2);
}

}  // namespace
}  // namespace convoscope
