#include "app/measure/same_frames.h"

#include <gtest/gtest.h>

namespace convoscope {
namespace {

TEST(SameFrames, StagesBeginAnewWithThePanes) {
  SameFrames same;
  StageTimes stages;
  std::vector<PaneStats> panes(1);
  panes[0].id = 1;
  EXPECT_TRUE(same.begin(panes, stages)) << "nothing was measured before";
  for (RollingTimes* const times : stages.all()) times->add(40);
  EXPECT_TRUE(same.begin(panes, stages));
  EXPECT_EQ(stages.frame.count(), 1);
  panes[0].kernel.clear();  // another filter
  EXPECT_FALSE(same.begin(panes, stages)) << "what the device measured before is still on its way";
  for (const RollingTimes* const times : stages.all()) EXPECT_EQ(times->count(), times == &stages.decode ? 1 : 0);
  int frames = 1;
  while (!same.begin(panes, stages)) ++frames;
  EXPECT_LT(frames, 10);
  stages.frame.add(5);
  panes.emplace_back().id = 2;
  EXPECT_FALSE(same.begin(panes, stages)) << "a second pane takes longer";
  EXPECT_EQ(stages.frame.count(), 0);
}

TEST(SameFrames, WhatIsLeftOutBetweenThemClearsNothing) {
  SameFrames same;
  StageTimes stages;
  std::vector<PaneStats> panes(1);
  EXPECT_TRUE(same.begin(panes, stages));
  stages.frame.add(40);
  same.leave_out();
  EXPECT_FALSE(same.begin(panes, stages));
  int frames = 1;
  while (!same.begin(panes, stages)) ++frames;
  EXPECT_GT(frames, 1) << "what is on its way from the device is still of what was left out";
  EXPECT_EQ(stages.frame.count(), 1);
}

}  // namespace
}  // namespace convoscope
