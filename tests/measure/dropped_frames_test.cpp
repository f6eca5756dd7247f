#include "app/measure/dropped_frames.h"

#include <gtest/gtest.h>

namespace convoscope {
namespace {

TEST(DroppedFrames, AddUpOverSources) {
  DroppedFrames dropped;
  EXPECT_EQ(dropped.follow_count(3), 3);
  EXPECT_EQ(dropped.follow_count(5), 5);
  dropped.begin_source(1);  // one that began before it was shown
  EXPECT_EQ(dropped.follow_count(1), 5);
  EXPECT_EQ(dropped.follow_count(4), 8);
  dropped.begin_source(0);
  EXPECT_EQ(dropped.follow_count(0), 8);
}

}  // namespace
}  // namespace convoscope
