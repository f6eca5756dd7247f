// How long a frame takes, and of what.
#include "app/ui/results/frame_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "app/ui/parts/format.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

using testing::HasSubstr;
using testing::Not;

RollingTimes always(double milliseconds) {
  RollingTimes result;
  for (int i = 0; i < 30; ++i) result.add(milliseconds);
  return result;
}

TEST(FrameBudget, WhatIsNotMeasuredIsUsedAndWaitingIsNot) {
  StepTimes times;
  times.frame = always(39.6);
  ui::FrameBudget budget = ui::frame_budget(5.84, times);
  EXPECT_NEAR(budget.not_measured, 33.76, 1e-3);
  EXPECT_NEAR(budget.used, 39.6, 1e-3);
  EXPECT_EQ(budget.waiting, 0);
  times.waiting = always(30);
  budget = ui::frame_budget(5.84, times);
  EXPECT_NEAR(budget.waiting, 30, 1e-3);
  EXPECT_NEAR(budget.not_measured, 3.76, 1e-3);
  EXPECT_NEAR(budget.used, 9.6, 1e-3);
  times.waiting = always(39);  // the device was at work meanwhile
  budget = ui::frame_budget(5.84, times);
  EXPECT_NEAR(budget.waiting, 33.76, 1e-3);
  EXPECT_NEAR(budget.used, 5.84, 1e-3);
  EXPECT_EQ(ui::frame_budget(5.84, {}).used, 5.84) << "no frame was measured";
}

TEST(FrameBudget, SaysBesideTheBudgetWhatIsNotMeasuredToo) {
  const auto says = [](const std::string& text) {
    return std::ranges::any_of(ui::drawn_texts(), [&](const ui::DrawnText& drawn) { return drawn.text == text; });
  };
  Sample sample = typical_sample();
  sample.settings.open_panels = {"timing"};
  sample.stats.source.rate = 20;
  sample.stats.panes[0].kernel = always(5);
  StepTimes& steps = sample.stats.steps = {};
  steps.draw = always(0.84);
  steps.frame = always(39.6);
  Harness ui(sample, 1600, 1400);
  ui.frame(3);
  EXPECT_TRUE(says(ui::format_ms(39.6) + " used")) << "of 50 ms, and none of it spent waiting";
  ui.stats.steps.waiting = always(30);
  ui.frame(3);
  EXPECT_TRUE(says(ui::format_ms(9.6) + " used"));
  ui.stats.source.rate = 60;
  ui.frame(3);
  EXPECT_TRUE(says(ui::format_ms(39.6) + " in all")) << "later than 16.67 ms";
}

// Of two panes on the processor's cores, the quick one goes on to newer frames beside the slow one.
TEST(FrameBudget, SaysWhereItsWorkIsOfSeveralFrames) {
  Sample sample = typical_sample();
  sample.settings.open_panels = {"timing"};
  sample.stats.backend = "cpu";
  sample.stats.device.backend = Backend::cpu;
  sample.stats.panes[0].kernel = always(78);
  StepTimes& steps = sample.stats.steps = {};
  steps.convert = always(0.66);
  steps.frame = always(46.64);
  Harness ui(sample, 1600, 1400);
  ui.frame(3);
  EXPECT_TRUE(says(ui::format_ms(46.64) + " in all")) << "no frame takes longer than it is to the next";
  EXPECT_TRUE(drawn(ui, "steps-overlap")) << "nor is that left to a tooltip";
  ui.move_to("budget");
  ui.frame(3);
  EXPECT_THAT(ui::tooltip_text(),
              HasSubstr("takes " + ui::format_milliseconds(78.66) + " of work. Parts of it overlap"));
  ui.stats.steps.frame = always(78.66);
  ui.frame(3);
  EXPECT_TRUE(says(ui::format_ms(78.66) + " in all"));
  EXPECT_THAT(ui::tooltip_text(), Not(HasSubstr("overlaps")));
  EXPECT_FALSE(drawn(ui, "steps-overlap"));
}

TEST(FrameBudget, SaysInSmallWindowsTooWhyTheKernelsTakeLongerThanAFrame) {
  for (const auto& [width, height] : {std::pair(1280, 720), std::pair(640, 480)}) {
    Sample sample = typical_sample();
    sample.settings.open_panels = {"timing"};
    sample.stats.backend = "cpu";
    sample.stats.device.backend = Backend::cpu;
    sample.stats.panes[0].kernel = always(123);
    sample.stats.steps = {};
    sample.stats.steps.frame = always(98);
    Harness ui(sample, width, height);
    ui.frame(3);
    const ui::ItemRectangle* const note = ui::item_rectangle("steps-overlap");
    ASSERT_NE(note, nullptr) << width;
    const float bar = ui::item_rectangle("budget")->to.y;
    EXPECT_GT(note->from.y, bar);
    EXPECT_LT(note->from.y, bar + 40) << "right under it and its labels";
  }
}

TEST(FrameBudget, CountsNoPaneOnTheCpuThatIsNotShown) {
  Sample sample = panes_sample(2);
  sample.settings.open_panels = {"timing"};
  sample.settings.group().view = View::single;
  sample.settings.group().active_pane = 0;
  sample.stats.backend = "cpu";
  sample.stats.device.backend = Backend::cpu;
  sample.stats.panes[0].kernel = always(11);
  sample.stats.panes[1].kernel = always(270);
  sample.stats.steps = {};
  Harness ui(sample, 1600, 1400);
  const std::string one = ui::format_ms(11) + " used", both = ui::format_ms(281) + " in all";
  ui.frame(3);
  EXPECT_TRUE(says(one));
  ui.settings.group().view = View::grid;
  ui.frame(3);
  EXPECT_TRUE(says(both));
  ui.settings.group().view = View::single;
  ui.stats.device.backend = Backend::cuda;
  ui.frame(3);
  EXPECT_TRUE(says(both)) << "a GPU computes them all the same";
}

// The window is drawn many times while the emulator converts one frame.
TEST(FrameBudget, TellsNoTimeOfTheEmulator) {
  Sample sample = emulated_sample();
  sample.settings.open_panels = {"timing"};
  StepTimes& steps = sample.stats.steps = {};
  steps.convert = always(812);
  steps.frame = always(40);
  Harness ui(sample, 1600, 1400);
  ui.frame(3);
  EXPECT_FALSE(says(ui::format_ms(812)));
  EXPECT_TRUE(says(ui::format_ms(40) + " in all"));
}

TEST(FrameBudget, SaysItsUnitOnce) {
  Sample sample = typical_sample();
  sample.settings.open_panels = {"timing"};
  for (const double rate : {20.0, 2400.0}) {  // in time, and late
    sample.stats.source.rate = rate;
    Harness ui(sample, 1600, 1400);
    ui.frame(3);
    const ui::Area bar = area_of(*ui::item_rectangle("budget"));
    int units = 0, labels = 0;
    for (const ui::DrawnText& text : ui::drawn_texts()) {
      const ui::Area at = area_of(text.at);
      if (at.x < bar.x - 1 || at.y < bar.y - 24 || at.y > bar.y + bar.height + 12) continue;
      const std::string& words = text.text;
      labels += words.ends_with(" budget") || words.ends_with(" used") || words.ends_with(" in all");
      units += words.ends_with(", ms") || words.find(" ms ") != std::string::npos;
    }
    EXPECT_EQ(labels, 2) << rate;
    EXPECT_EQ(units, 1) << rate;
  }
}

}  // namespace
}  // namespace convoscope::test
