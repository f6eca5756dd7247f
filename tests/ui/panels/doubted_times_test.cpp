// Times that other programs disturbed are marked wherever they are shown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/ui/cards/cards.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

using testing::HasSubstr;

TEST(Results, SayWhichTimesNotToBelieve) {
  Sample sample = panes_sample(3);
  for (int i = 0; i < 20; ++i) sample.stats.panes[0].disturbed.add(i < 11 ? 1 : 0);
  for (int i = 0; i < 20; ++i) sample.stats.panes[1].disturbed.add(i < 10 ? 1 : 0);
  EXPECT_EQ(sample.stats.panes[0].doubt(), Doubt::processor);
  EXPECT_EQ(sample.stats.panes[1].doubt(), Doubt::none) << "half of them";
  sample.stats.panes[1].median_interval = {0.1, 1e3};
  EXPECT_EQ(sample.stats.panes[1].doubt(), Doubt::spread);
  sample.settings.open_panels = {"timing"};
  sample.stats.limits = {.copy_bytes_per_second = 7e11, .flop_per_second = 4.8e13};
  Harness ui(sample, 1600, 1400);
  ui.frame(3);
  EXPECT_TRUE(says("Other programs took most of the processor"));
  ui.move_to("baseline/1");
  ui.frame(4);
  EXPECT_THAT(ui::tooltip_text(), HasSubstr("Other programs took most of the processor: do not believe this."));
}

TEST(CardLine, MarksATimeNotToBelieve) {
  Harness ui(cpu_sample());
  ui.frame(2);
  const auto line = [&] { return ui::card_line(ui.stats, ui.settings, 0, {0, 0, 900, 500}, 1e9f); };
  const std::string believed = line().median;
  EXPECT_FALSE(line().doubted);
  ui.stats.panes[0].disturbed.add(1);
  EXPECT_TRUE(line().doubted);
  EXPECT_EQ(line().median, "? " + believed);
}

}  // namespace
}  // namespace convoscope::test
