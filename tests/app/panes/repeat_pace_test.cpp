#include "app/panes/repeat_pace.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace convoscope {
namespace {

constexpr double tick = 0.03;  // seconds between two looks of a window at rest

struct Repeated {
  int times = 0;
  double first = 0, most_in_ten_seconds = 0;  // when; core seconds
};

// On all cores, of a picture that is new at 0 and stays for a minute.
Repeated repeat(int cores, double took) {
  RepeatPace pace(cores);
  pace.new_picture(0);
  Repeated all;
  double window_ends = 10, spent = 0;
  for (double now = 0; now < 60; now += tick) {
    if (now >= window_ends) {
      window_ends += 10;
      spent = 0;
    }
    if (!pace.is_due(now)) continue;
    if (all.times == 0) all.first = now;
    now += took;
    spent += took * cores;
    all.most_in_ten_seconds = std::max(all.most_in_ten_seconds, spent);
    ++all.times;
    pace.repeated(now, took, true);
  }
  return all;
}

TEST(RepeatPace, TakesASmallShareOfACore) {
  for (const int cores : {1, 2, 16})
    for (const double took : {0.001, 0.008, 0.04, 0.1}) {
      const Repeated all = repeat(cores, took);
      EXPECT_GE(all.first, 0.5) << "another picture might have come";
      EXPECT_GE(all.times, 1);
      EXPECT_LE(all.most_in_ten_seconds, 0.02 * 10 + took * cores) << cores << " cores, " << took;
    }
}

TEST(RepeatPace, ComesSoonToATimeThatCounts) {
  RepeatPace pace(2);
  pace.new_picture(0);
  double now = 0.5;
  for (int i = 0; i < 3; ++i, now += 0.2) {
    EXPECT_TRUE(pace.is_due(now)) << i;
    pace.repeated(now, 0.05, i == 2);
  }
  EXPECT_FALSE(pace.is_due(now + 1));
  pace.changed(now, 0.05, false);  // by another strategy: the same once more
  EXPECT_TRUE(pace.is_due(now + 0.2));
  for (int i = 0; i < 5; ++i) pace.repeated(now, 0.05, false);
  EXPECT_FALSE(pace.is_due(now + 1)) << "something else disturbs every time";
}

TEST(RepeatPace, IsSeldomInTheEnd) {
  RepeatPace pace(1);
  pace.new_picture(0);
  double now = 1;
  for (int i = 0; i < 12; ++i, now += 1) {
    EXPECT_TRUE(pace.is_due(now)) << i;
    pace.repeated(now, 0.01, true);
  }
  pace.repeated(now, 0.01, true);
  EXPECT_FALSE(pace.is_due(now + 4.9));
  EXPECT_TRUE(pace.is_due(now + 5.1));
  EXPECT_TRUE(pace.stays(now));
}

}  // namespace
}  // namespace convoscope
