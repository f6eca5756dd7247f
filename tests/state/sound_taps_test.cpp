#include "app/state/sound_taps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/error_of.h"

namespace convoscope::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string refusal(const std::string& text) {
  return error_of([&] { parse_sound_filter(text); });
}

TEST(SoundTaps, AreTakenAsTheyAreElsewhere) {
  for (const char* const text : {"1", "0.25 0.5 0.25", "1,2,1", "low-pass:cutoff=500"})
    EXPECT_EQ(parse_sound_filter(text), parse_signal_filter(text)) << text;
}

TEST(SoundTaps, AreRefusedAsTaps) {
  EXPECT_EQ(refusal("1 2"),
            "There must be an odd number of taps, up to 1,025, so that one is the middle one; these are 2");
  std::string many;
  for (int i = 0; i < 1027; ++i) many += "1 ";
  EXPECT_THAT(refusal(many), HasSubstr("these are 1,027"));
  EXPECT_THAT(refusal("1 x 1"), HasSubstr("Tap 2"));
  EXPECT_THAT(refusal("1 1e60 1"), HasSubstr("Tap 2"));
  EXPECT_EQ(refusal("1,,2 3"), "Between two commas there is no tap");
  for (const char* const text : {"1 2", "1 x 1", "1e60", "1,,2 3", "1 2; 3 4", "1:2", "0.5 nan 1", "1 2 3 4"}) {
    const std::string why = refusal(text);
    EXPECT_FALSE(why.empty()) << text;
    for (const char* const other : {"matrix", "Row", "width", "weight"})
      EXPECT_THAT(why, Not(HasSubstr(other))) << text;
  }
}

TEST(SoundTaps, LeaveOtherRefusalsAsTheyAre) {
  for (const char* const text : {"", "low-pas", "low-pass:cutoff=x", "comb:no=1"})
    EXPECT_EQ(refusal(text), error_of([&] { parse_signal_filter(text); })) << text;
}

}  // namespace
}  // namespace convoscope::test
