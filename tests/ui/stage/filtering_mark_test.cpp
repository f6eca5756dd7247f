// The mark on a pane whose next picture is under way, and what is said at the foot while it is recorded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(FilteringMark, AnEmptyStageSaysWhatIsWaitedFor) {
  Harness ui;
  ui.stats.panes.clear();
  ui.stats.seconds_without_picture = 0.1;
  ui.frame(2);
  EXPECT_FALSE(says("next picture under way")) << "it would only flicker";
  ui.stats.seconds_without_picture = 2;
  ui.frame(2);
  EXPECT_TRUE(says("next picture under way"));
}

TEST(FilteringMark, SaysAtOnceThatAPictureIsUnfiltered) {
  Harness ui;
  const auto says_unfiltered = [&] {
    ui.frame(2);
    return says("unfiltered until then");
  };
  PaneStats& pane = ui.stats.panes[0];
  pane.filtering_seconds = 0.01;
  EXPECT_FALSE(drawn(ui, "filtering/1")) << "it would only flicker";
  pane.stands_in = true;
  EXPECT_TRUE(says_unfiltered());
  pane.filtering_seconds = 3;
  EXPECT_TRUE(says_unfiltered());
  pane.stands_in = false;
  EXPECT_FALSE(says_unfiltered());
  EXPECT_TRUE(drawn(ui, "filtering/1"));
  pane.stands_in = true;
  pane.filtering_seconds = 0;
  EXPECT_FALSE(drawn(ui, "filtering/1")) << "nothing is under way";
}

// The card beside it may tell of milliseconds.
TEST(FilteringMark, SaysWhatItsTimeIs) {
  Harness ui;
  ui.stats.panes[0].filtering_seconds = 3;
  ui.frame(2);
  EXPECT_TRUE(says("next picture under way for 3 s"));
  ui.move_to("filtering/1");
  ui.frame(4);
  EXPECT_THAT(ui::tooltip_text(), AllOf(HasSubstr("one after another"), HasSubstr("card")));
}

TEST(FilteringMark, StaysOnItsPaneWhereASplitIsSlanted) {
  Harness ui(panes_sample(2));
  ui.settings.view = View::split;
  ui.stats.recording = true;  // which is told at the foot as well
  for (PaneStats& pane : ui.stats.panes) pane.filtering_seconds = 3;
  for (const double angle : {30.0, -30.0, 60.0, 150.0}) {
    ui.settings.split.angle = angle;
    ui.frame(2);
    const ui::Area stage = ui::picture_area(ui.layout);
    ui.panes.assign(2, {stage.x, stage.y, stage.width, stage.height});  // the box of a slice may be as large
    ui.frame(2);
    for (const int pane : {0, 1}) {
      SCOPED_TRACE(std::to_string(angle) + " degrees, pane " + std::to_string(pane + 1));
      const ui::ItemRectangle* const mark = ui::item_rectangle("filtering/" + std::to_string(pane + 1));
      ASSERT_NE(mark, nullptr);
      EXPECT_FALSE(ui::overlap(area_of(*mark), area_of(*ui::item_rectangle("recording-mark"))));
      for (const float x : {mark->from.x + 1, mark->to.x - 1})
        for (const float y : {mark->from.y + 1, mark->to.y - 1})
          EXPECT_EQ(ui::pane_at(ui.settings, ui.layout, x, y), pane);
    }
  }
}

TEST(Recording, SaysOfWhatThereAreSoMany) {
  Harness ui(typical_sample(), 1600, 900);
  ui.stats.recording = true;
  const auto says_after = [&](std::int64_t frames, std::int64_t missed, const std::string& words) {
    ui.stats.frames_recorded = frames;
    ui.stats.frames_not_recorded = missed;
    ui.frame(2);
    EXPECT_FALSE(says("recording: " + words)) << "once is enough";
    return says("   " + words);
  };
  EXPECT_TRUE(says_after(0, 0, "starting"));
  EXPECT_TRUE(says_after(1, 0, "1 frame"));
  EXPECT_FALSE(says_after(1, 0, "1 frames"));
  EXPECT_TRUE(says_after(6, 2, "6 frames, 2 missed"));
}

}  // namespace
}  // namespace convoscope::test
