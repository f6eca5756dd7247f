#include "app/measure/same_frames.h"

#include <gtest/gtest.h>

namespace convoscope {
namespace {

TEST(SameFrames, StagesBeginAnewWithThePanes) {
  SameFrames same;
  StepTimes steps;
  std::vector<PaneStats> panes(1);
  panes[0].id = 1;
  EXPECT_TRUE(same.begin(panes, steps)) << "nothing was measured before";
  for (RollingTimes* const times : steps.all()) times->add(40);
  EXPECT_TRUE(same.begin(panes, steps));
  EXPECT_EQ(steps.frame.count(), 1);
  panes[0].kernel.clear();  // another filter
  EXPECT_FALSE(same.begin(panes, steps)) << "what the device measured before is still on its way";
  for (const RollingTimes* const times : steps.all()) EXPECT_EQ(times->count(), times == &steps.decode ? 1 : 0);
  int frames = 1;
  while (!same.begin(panes, steps)) ++frames;
  EXPECT_LT(frames, 10);
  steps.frame.add(5);
  panes.emplace_back().id = 2;
  EXPECT_FALSE(same.begin(panes, steps)) << "a second pane takes longer";
  EXPECT_EQ(steps.frame.count(), 0);
}

TEST(SameFrames, WhatIsLeftOutBetweenThemClearsNothing) {
  SameFrames same;
  StepTimes steps;
  std::vector<PaneStats> panes(1);
  EXPECT_TRUE(same.begin(panes, steps));
  steps.frame.add(40);
  same.leave_out();
  EXPECT_FALSE(same.begin(panes, steps));
  int frames = 1;
  while (!same.begin(panes, steps)) ++frames;
  EXPECT_GT(frames, 1) << "what is on its way from the device is still of what was left out";
  EXPECT_EQ(steps.frame.count(), 1);
}

}  // namespace
}  // namespace convoscope
