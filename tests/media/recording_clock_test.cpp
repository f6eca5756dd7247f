#include "app/media/write/recording_clock.h"

#include <gtest/gtest.h>

namespace convoscope::test {
namespace {

TEST(RecordingClock, KeepsTheSourcesOwnTimesWhileItPlays) {
  RecordingClock clock(30);
  EXPECT_EQ(clock.next(10, 5, 1).seconds, 0);
  // The caller's clock jitters; the source's frames are even.
  const double jitter[] = {0.01, -0.012, 0.03, 0};
  for (int i = 1; i <= 4; ++i) {
    const auto moment = clock.next(10 + i / 30.0 + jitter[i - 1], 5 + i / 30.0, 1);
    EXPECT_NEAR(moment.seconds, i / 30.0, 1e-9);
    EXPECT_TRUE(moment.in_step);
  }
}

TEST(RecordingClock, GoesByTheCallersClockAcrossAPauseAndASeek) {
  RecordingClock clock(30);
  clock.next(0, 5, 1);
  clock.next(0.033, 5.033, 1);
  auto moment = clock.next(1, 5.033, 1);  // paused, drawn again
  EXPECT_NEAR(moment.seconds, 1, 1e-9);
  EXPECT_FALSE(moment.in_step);
  moment = clock.next(2, 1.5, 1);  // sought
  EXPECT_NEAR(moment.seconds, 2, 1e-9);
  EXPECT_FALSE(moment.in_step);
  moment = clock.next(2.04, 1.533, 1);
  EXPECT_NEAR(moment.seconds, 2.033, 1e-9);
  EXPECT_TRUE(moment.in_step);
  EXPECT_FALSE(clock.next(2.07, 1.6, 2).in_step) << "at double speed there is no sound";
}

TEST(RecordingClock, WithoutAClockALoopGoesOnFrameByFrame) {
  RecordingClock clock(25);
  EXPECT_EQ(clock.next(-1, 0.96, 1).seconds, 0);
  EXPECT_NEAR(clock.next(-1, 1.0, 1).seconds, 0.04, 1e-9);
  const auto seam = clock.next(-1, 0, 1);
  EXPECT_NEAR(seam.seconds, 0.08, 1e-9);
  EXPECT_FALSE(seam.in_step);
  EXPECT_NEAR(clock.next(-1, 0.04, 1).seconds, 0.12, 1e-9);
}

TEST(RecordingClock, TimesAlwaysAscend) {
  RecordingClock clock(60);
  double last = -1;
  for (const double now : {0.0, 0.0, 0.001, 0.001, 5.0, 4.0, 5.0}) {
    const double seconds = clock.next(now, 3, 1).seconds;
    EXPECT_GT(seconds, last);
    last = seconds;
  }
}

}  // namespace
}  // namespace convoscope::test
