#include "app/measure/arrival_rate.h"

#include <gtest/gtest.h>

namespace convoscope {
namespace {

// The last of so many pictures comes at the time that is returned.
double let_come(ArrivalRate& rate, int pictures, double from, double apart) {
  for (int i = 0; i < pictures; ++i) rate.arrived(from + i * apart);
  return from + (pictures - 1) * apart;
}

TEST(ArrivalRate, IsThatOfThePicturesThatCame) {
  ArrivalRate fast;
  const double last = let_come(fast, 200, 7, 1 / 60.0);
  EXPECT_NEAR(fast.a_second(last), 60, 1e-6);
  EXPECT_NEAR(fast.a_second(last + 0.5), 60, 1e-6) << "they may come in bursts";
}

TEST(ArrivalRate, KnowsNothingBeforeTheSecondPicture) {
  ArrivalRate rate;
  EXPECT_EQ(rate.a_second(1), 0);
  rate.arrived(1);
  EXPECT_EQ(rate.a_second(1.01), 0);
  rate.arrived(1.25);
  EXPECT_DOUBLE_EQ(rate.a_second(1.25), 4);
}

TEST(ArrivalRate, OfAStrategyOfMoreThanASecondIsLessThanOne) {
  ArrivalRate slow;
  const double last = let_come(slow, 3, 0, 1.2);
  EXPECT_NEAR(slow.a_second(last), 1 / 1.2, 1e-9);
  EXPECT_NEAR(slow.a_second(last + 3), 1 / 1.2, 1e-9) << "the next one is late, no more";
  EXPECT_EQ(slow.a_second(last + 4), 0) << "they have stopped coming";
}

TEST(ArrivalRate, BeginsAnewAfterAPause) {
  ArrivalRate rate;
  const double last = let_come(rate, 100, 0, 1 / 130.0);
  EXPECT_EQ(rate.a_second(last + 1.1), 0);
  rate.arrived(last + 60);
  EXPECT_EQ(rate.a_second(last + 60), 0) << "one picture has no rate";
  rate.arrived(last + 61.2);
  EXPECT_NEAR(rate.a_second(last + 61.2), 1 / 1.2, 1e-6) << "neither the pause nor what was before it counts";
}

TEST(ArrivalRate, FollowsAChange) {
  ArrivalRate rate;
  const double last = let_come(rate, 100, 0, 1 / 130.0);
  EXPECT_NEAR(rate.a_second(let_come(rate, 40, last + 0.5, 0.5)), 2, 1e-6);
}

}  // namespace
}  // namespace convoscope
