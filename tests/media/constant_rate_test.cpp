#include "app/media/write/constant_rate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace convoscope::test {
namespace {

struct Timed {
  double time, duration;
};

// Which picture is shown in each frame: a letter for each, from a on.
std::string shown(ConstantRate& rate, const std::vector<Timed>& pictures) {
  std::string frames;
  char name = 'a';
  for (const Timed& one : pictures) {
    const ConstantRate::Step step = rate.next(std::llround(one.time * 1000), std::llround(one.duration * 1000));
    frames.append(static_cast<std::size_t>(step.repeats), static_cast<char>(name - 1));
    if (step.shown) frames += name;
    ++name;
  }
  frames.append(static_cast<std::size_t>(rate.repeats_at_end()), static_cast<char>(name - 1));
  return frames;
}

TEST(ConstantRate, RepeatsWhatLastsAndLeavesOutWhatComesTooSoon) {
  ConstantRate rate(10, 1e-3);
  EXPECT_EQ(shown(rate, {{7, 0.3}, {7.3, 0.1}, {7.4, 0.02}, {7.42, 0.02}, {7.44, 0.06}, {7.5, 0.4}}), "aaabcdfff");
  EXPECT_EQ(rate.repeated(), 4);
  EXPECT_EQ(rate.left_out(), 1);
}

TEST(ConstantRate, ShowsEachOnceThatComesAtTheRate) {
  for (const double off : {0.0, 0.4, -0.4}) {  // of a frame, every other one
    ConstantRate rate(25, 1e-3);
    std::vector<Timed> pictures;
    for (int i = 0; i < 26; ++i) pictures.push_back({100 + (i + (i % 2) * off) / 25, 0.04});
    EXPECT_EQ(shown(rate, pictures), "abcdefghijklmnopqrstuvwxyz");
  }
}

TEST(ConstantRate, FillsNoHoleOfHours) {
  ConstantRate rate(10, 1e-3);
  EXPECT_EQ(shown(rate, {{0, 0.1}, {0.1, 0.1}, {7200, 0.1}, {7200.2, 0.1}, {3, 0.1}, {3.1, 0.1}}), "abccdef");
  EXPECT_TRUE(rate.jumped());
}

}  // namespace
}  // namespace convoscope::test
