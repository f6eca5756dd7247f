// The mark on a pane whose next picture is under way, and what is said at the foot while it is recorded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "app/ui/parts/format.h"
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
  EXPECT_FALSE(says("Computing")) << "it would only flicker";
  ui.stats.seconds_without_picture = 2;
  ui.frame(2);
  EXPECT_TRUE(says("Computing"));
}

TEST(FilteringMark, SaysAtOnceThatAPictureIsUnfiltered) {
  Harness ui;
  const auto says_unfiltered = [&] {
    ui.frame(2);
    return says("unfiltered meanwhile");
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
  EXPECT_TRUE(says("Computing (3 s)"));
  ui.move_to("filtering/1");
  ui.frame(4);
  EXPECT_THAT(ui::tooltip_text(), AllOf(HasSubstr("one after another"), HasSubstr("label")));
}

TEST(FilteringMark, APaneThatLagsSaysSo) {
  Harness ui;
  PaneStats& pane = ui.stats.panes[0];
  const auto says_in_frame = [&](const char* words) {
    ui.frame(2);
    return says(words);
  };
  pane.frame_number = 650;
  pane.frames_behind = 50;
  EXPECT_TRUE(says_in_frame("50 frames behind")) << "also before the next picture has been under way for long";
  pane.filtering_seconds = 2;
  EXPECT_TRUE(says_in_frame("50 frames behind, computing (2 s)"));
  ui.move_to("filtering/1");
  ui.frame(4);
  EXPECT_THAT(ui::tooltip_text(), HasSubstr("newest frame"));
  pane.frames_behind = 1;
  EXPECT_TRUE(says_in_frame("1 frame behind, computing"));
  pane.frames_behind = -1;  // the others have begun the loop anew
  EXPECT_TRUE(says_in_frame("Still at frame 651, computing"));
  ui.move_to("filtering/1");
  ui.frame(4);
  EXPECT_THAT(ui::tooltip_text(), HasSubstr("jump"));
  pane.of_source_before = true;
  EXPECT_TRUE(says_in_frame("Still the previous source, computing")) << "its number is none of this source";
  pane = {.id = pane.id, .strategy = pane.strategy, .frame_number = 650, .frames_behind = 2};
  ui.frame(2);
  EXPECT_FALSE(drawn(ui, "filtering/1")) << "it would only flicker";
}

TEST(FilteringMark, SaysThatThePictureIsOfTheFilterBefore) {
  Harness ui;
  PaneStats& pane = ui.stats.panes[0];
  pane.of_filter_before = true;
  pane.filtering_seconds = 0.1;
  EXPECT_FALSE(drawn(ui, "filtering/1")) << "it would only flicker";
  pane.filtering_seconds = 44;
  ui.frame(2);
  EXPECT_TRUE(says("Still the previous filter, computing (44 s)"));
  pane.frame_number = 650;
  pane.frames_behind = -1;
  ui.frame(2);
  EXPECT_TRUE(says("Still at frame 651 with the previous filter, computing"));
}

// Otherwise its pixels would be taken for those of the filter that is shown.
TEST(FilteringMark, ValuesOfAnOldPictureSayWhatTheyAre) {
  Harness ui(panes_sample(2), 1600, 900);
  InspectStats& inspect = ui.stats.inspect;
  inspect.under_cursor = inspect.pixel = PixelAddress{5, 5};
  inspect.pane = 0;
  PixelPatch patch;
  patch.area = {0, 0, 13, 13};
  patch.pixels.assign(169, 0xFF112233u);
  inspect.patches = {patch, patch};
  inspect.values = {patch.at(5, 5), patch.at(5, 5)};
  ui.settings.inspect.values = ui.settings.inspect.magnifier = true;
  ui.frame(2);
  EXPECT_FALSE(says("previous filter"));
  PaneStats& pane = ui.stats.panes[1];
  pane.of_filter_before = true;
  pane.filtering_seconds = 3;
  ui.frame(2);
  EXPECT_TRUE(says("… previous filter: 2"));
  EXPECT_TRUE(says("… 2  "));
  EXPECT_FALSE(says("… 1  "));
  ui.settings.inspect.magnifier = false;
  ui.frame(2);
  EXPECT_TRUE(says("… previous filter"));
  pane.of_filter_before = false;
  pane.stands_in = true;
  ui.frame(2);
  EXPECT_TRUE(says("… unfiltered"));
}

TEST(FilteringMark, IsNotCutWhereThereIsRoom) {
  for (const float width : {600.0f, 617.0f, 433.0f}) {
    Harness ui(panes_sample(2), 1600, 900);
    ui.settings.group().view = View::grid;
    ui.panes = {{0, 0, width, 400}, {width + 2, 0, width, 400}};
    for (double seconds = 0.31; seconds < 130; seconds *= 1.07) {
      ui.stats.panes[0].filtering_seconds = seconds;
      ui.frame(1);
      const std::string time = ui::format_number(seconds, seconds < 10 ? 2 : 3);
      ASSERT_TRUE(says("Computing (" + time + " s)")) << seconds << " in " << width;
    }
  }
}

TEST(FilteringMark, KeepsItsNumberWhereItIsNarrow) {
  Harness ui(panes_sample(4), 640, 480);
  ui.settings.group().view = View::grid;
  ui.frame(2);
  const ui::Area stage = ui::picture_area(ui.layout);
  for (int i = 0; i < 4; ++i)
    ui.panes.push_back({stage.x + static_cast<float>(i % 2) * 80, stage.y + static_cast<float>(i / 2) * 150, 78, 148});
  ui.stats.panes[0].filtering_seconds = 3;
  ui.frame(2);
  const std::vector<std::string> whole{"Computing (3 s)", "Computing, 3 s", "3 s"};
  EXPECT_TRUE(std::ranges::any_of(ui::drawn_texts(), [&](const ui::DrawnText& drawn) {
    return std::ranges::find(whole, drawn.text) != whole.end();
  }));
}

TEST(FilteringMark, StandsOnceInADifference) {
  Harness ui(panes_sample(2));
  ui.settings.group().view = View::difference;
  ui.stats.panes[0].filtering_seconds = 1;
  ui.stats.panes[1].filtering_seconds = 3;
  ui.frame(2);
  EXPECT_TRUE(says("(3 s)"));
  EXPECT_FALSE(says("(1 s)"));
}

TEST(FilteringMark, StaysOnItsPaneWhereASplitIsSlanted) {
  Harness ui(panes_sample(2));
  ui.settings.group().view = View::split;
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
  ui.stats.frames_dropped_recording = 40;
  EXPECT_TRUE(says_after(6, 2, "6 frames, 2 missed, 40 dropped"));
  EXPECT_TRUE(says_after(6, 0, "6 frames, 40 dropped"));
}

TEST(FilteringMark, APictureOfSeveralFramesSaysWhichOneItIsAndWhereSomeWereSkipped) {
  Harness ui(time_sample());
  PaneStats& pane = ui.stats.panes[0];
  pane.frames = {.first = 137, .middle = 139, .last = 141, .count = 5, .newest = 141, .before = 4};
  ui.frame(2);
  EXPECT_TRUE(says("Frame 140, from 138 to 142"));
  ui.move_to("frames/1");
  ui.frame(4);
  EXPECT_THAT(ui::tooltip_text(), HasSubstr("counter below is at the newest"));
  pane.frames = {.first = 120, .middle = 130, .last = 149, .count = 5, .newest = 149, .before = 4, .whole = false};
  ui.frame(2);
  EXPECT_TRUE(says("Frame 131, from 5 between 121 and 150: frames are skipped"));
  pane.frames = {
      .first = 38, .middle = 38, .last = 79, .count = 3, .same = 2, .newest = 79, .before = 2, .whole = false};
  ui.frame(2);
  EXPECT_TRUE(says("Frame 39, from 39 (2 times) and 80: frames are skipped")) << "two of the three are one frame";
  pane.frames = {.first = 24, .middle = 24, .last = 24, .count = 3, .same = 3, .newest = 24, .before = 2};
  ui.frame(2);
  EXPECT_TRUE(says("Frame 25, 3 times: no others have been shown yet"));
  ui.move_to("frames/1");
  ui.frame(4);
  EXPECT_THAT(ui::tooltip_text(), HasSubstr("copies of the first one stand in"));
  pane.frames = {};
  ui.frame(2);
  EXPECT_FALSE(drawn(ui, "frames/1")) << "a single frame is what the counter says";
}

}  // namespace
}  // namespace convoscope::test
