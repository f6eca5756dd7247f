#include "app/media/sound/lately_missed.h"

#include <gtest/gtest.h>

namespace convoscope::test {
namespace {

TEST(LatelyMissed, IsToldForAMoment) {
  LatelyMissed missed;
  EXPECT_EQ(missed.count_lately(0, 100), 0);
  EXPECT_EQ(missed.count_lately(480, 101), 480);
  EXPECT_EQ(missed.count_lately(600, 105), 600) << "one moment with what came before it";
  EXPECT_EQ(missed.count_lately(600, 114.9), 600);
  EXPECT_EQ(missed.count_lately(600, 115.1), 0);
  EXPECT_EQ(missed.count_lately(600, 200), 0);
  EXPECT_EQ(missed.count_lately(700, 201), 100) << "without what is long past";
  EXPECT_EQ(missed.count_lately(700, 212), 0);
  EXPECT_EQ(missed.count_lately(20, 213), 0) << "another card";
  EXPECT_EQ(missed.count_lately(50, 214), 30);
}

TEST(LatelyMissed, MayBeginWithSome) {
  LatelyMissed missed;
  EXPECT_EQ(missed.count_lately(30, 1), 30);
  EXPECT_EQ(missed.count_lately(30, 12), 0);
}

}  // namespace
}  // namespace convoscope::test
