// The side panel where it is narrow and where it is long: choices, sliders, and sections below the fold.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/ui/actions/panel_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/panels/panel.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/theme.h"
#include "app/ui/parts/widgets.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

TEST(Transport, ItsButtonsLieBesideEachOtherInTheSmallestWindow) {
  for (float width = 200; width <= 420; width += 10) {
    Harness ui(typical_sample(), width, 150);
    ui.frame(3);
    EXPECT_NE(ui::item_rectangle("play"), nullptr) << width;
    std::vector<ui::Mark> buttons;
    for (const ui::Mark& mark : ui::marks())
      if (mark.window == "##transport" && !mark.holds_others) buttons.push_back(mark);
    for (const ui::Mark& a : buttons)
      for (const ui::Mark& b : buttons)
        EXPECT_TRUE(a.id == b.id || !ui::overlap(area_of(a.at), area_of(b.at)))
            << a.id << " on " << b.id << ", " << width;
  }
}

// As a desktop without a window manager may have it.
TEST(SmallestWindow, HasNoSidePanelAndNothingOverAnother) {
  for (const ImVec2 size : {ImVec2(320, 240), ImVec2(400, 300), ImVec2(479, 600), ImVec2(800, 299)}) {
    SCOPED_TRACE(std::to_string(size.x) + " × " + std::to_string(size.y));
    Harness ui(panes_sample(3), size.x, size.y);
    ui.settings.show_hint = true;
    ui.stats.recording = true;
    ui.stats.messages = {
        {MessageLevel::information, "Saved a screenshot as /home/user/convoscope-001.png.", 99, "saved"},
        {MessageLevel::error, "The file '/home/user/holiday.mp4' is empty.", 99, "source"}};
    ui.key('B');
    ui.frame(3);
    EXPECT_EQ(ui.layout.picture_width, size.x);
    EXPECT_GT(ui.layout.picture_height, size.y * 0.6f);
    EXPECT_NE(ui::item_rectangle("transport"), nullptr);
    EXPECT_EQ(ui::layout_faults(), std::vector<std::string>());
    for (const ui::Mark& mark : ui::marks()) EXPECT_NE(mark.window, "##panel") << mark.id;
  }
  Harness ui(typical_sample(), 480, 300);
  ui.frame(3);
  EXPECT_LT(ui.layout.picture_width, 480);
}

TEST(SmallestWindow, NothingIsCutOffOrDrawnOutsideOfIt) {
  for (const ImVec2 size : {ImVec2(200, 120), ImVec2(640, 480), ImVec2(960, 80)})
    for (Sample (*const sample)() : {typical_sample, cpu_sample, layer_sample, sound_sample})
      for (const View view : {View::single, View::grid, View::difference}) {
        SCOPED_TRACE(std::to_string(size.x) + " × " + std::to_string(size.y) + ", view " +
                     std::to_string(static_cast<int>(view)));
        Harness ui(sample(), size.x, size.y);
        if (ui.settings.group().panes.size() < 2) ui.settings.group().panes.resize(2, ui.settings.group().panes[0]);
        ui.settings.group().panes[1].id = 77;
        ui.settings.group().view = view;
        ui.settings.inspect.histogram = true;
        ui.stats.recording = true;
        ui.stats.messages = {{MessageLevel::information,
                              "Saved a screenshot as /home/user/convoscope-001.png.",
                              ui.stats.now,
                              "saved",
                              {{Offer::open, "/x"}, {Offer::show_in_folder, "/x"}}}};
        ui.frame(6);
        EXPECT_EQ(ui::layout_faults(), std::vector<std::string>());
        for (const ui::Mark& mark : ui::marks()) {
          const ui::ItemRectangle& seen = mark.seen;
          if (seen.to.x <= seen.from.x || seen.to.y <= seen.from.y) continue;
          EXPECT_TRUE(seen.from.x >= -1 && seen.from.y >= -1 && seen.to.x <= size.x + 1 && seen.to.y <= size.y + 1)
              << mark.id;
        }
      }
}

TEST(SmallestWindow, SaysThatTheSweepHasTheRoom) {
  Harness ui(typical_sample(), 640, 480);
  ui.frame(3);
  ui.key(ui::key::f(8));
  ui.frame(3);
  ui::ui_state().feedback = {};
  ui.key('E');
  EXPECT_EQ(
      ui::ui_state().feedback.text,
      "There is no room for the explanation of a pixel beside the sweep: close it (F8), or make the window larger.");
}

TEST(SmallestWindow, SaysWhatItHasNoRoomFor) {
  Harness ui(typical_sample(), 320, 240);
  ui.settings.open_panels = {"timing"};
  const auto said = [&](int key, int modifiers = 0) {
    ui::ui_state().feedback = {};
    ui.key(key, modifiers);
    const std::string text = ui::ui_state().feedback.text;
    ui.frame(2);
    return text;
  };
  ui.frame(3);
  for (const int again : {1, 2}) {
    EXPECT_EQ(said(ui::key::f(5)), "The window is too small for the panels: make it larger.") << again;
    EXPECT_TRUE(ui.settings.open_panels.contains("timing")) << "closed unseen";
  }
  EXPECT_EQ(said('E'), "The window is too small for the explanation of a pixel: make it larger.");
  EXPECT_EQ(said('E'), "The explanation of a pixel is closed again.");
  EXPECT_EQ(said(ui::key::f(8)), "The window is too small for the sweep: make it larger.");
  EXPECT_EQ(said(ui::key::f(8)), "The sweep is closed again.");
  EXPECT_EQ(said(ui::key::tab, ui::key::shift), "The window is too small for the panels: make it larger.");
  EXPECT_EQ(said(ui::key::tab), "Playback buttons hidden: Tab brings them back");
  EXPECT_EQ(said(ui::key::tab), "The window is too small for the panels: make it larger.");
  ui.resize(1600, 900);
  ui.frame(3);
  EXPECT_EQ(said(ui::key::tab), "Panels hidden: Tab brings them back");
  EXPECT_EQ(said(ui::key::f(8)), "") << "the sweep is to be seen";
}

TEST(Segmented, EveryChoiceHasRoomForItsName) {
  for (const ImVec2 size : {ImVec2(640, 480), ImVec2(800, 600), ImVec2(1600, 900)}) {
    Harness ui(typical_sample(), size.x, size.y);
    ui.settings.open_panels = {"filter"};
    ui.frame(3);
    float panel_end = 0;
    for (const char* const name : {"zero", "replicate", "mirror", "wrap"}) {
      const ui::ItemRectangle* const item = ui::item_rectangle(std::string("border/") + name);
      ASSERT_NE(item, nullptr);
      EXPECT_GE(item->to.x - item->from.x, ui::text_size(ui::Font::strong, name).x + 4) << name << " at " << size.x;
      EXPECT_LE(item->to.x, size.x);
      panel_end = std::max(panel_end, item->to.x);
    }
    ui.click("border/wrap");
    EXPECT_EQ(ui.settings.active().border, Border::wrap);
    ui.click("border/mirror");
    EXPECT_EQ(ui.settings.active().border, Border::mirror);
  }
}

TEST(Panes, AllCanBeReachedInANarrowPanel) {
  for (const int count : {5, 9}) {
    Harness ui(panes_sample(count), 640, 480);
    ui.settings.open_panels = {"strategy"};
    ui.frame(3);
    for (int i = 1; i <= count; ++i) {
      const ui::ItemRectangle* const button = ui::item_rectangle("pane/" + std::to_string(i));
      ASSERT_NE(button, nullptr) << i;
      EXPECT_LE(button->to.x, 640) << i;
    }
    ui.click("pane/" + std::to_string(count));
    EXPECT_EQ(ui.settings.group().active_pane, count - 1);
    ui.click("close-pane");
    EXPECT_EQ(ui.settings.group().panes.size(), static_cast<std::size_t>(count - 1));
  }
}

TEST(Slider, LeavesRoomForItsValueBesideIt) {
  Harness ui;
  ui.settings.open_panels = {"view"};
  ui.frame(3);
  const ui::ItemRectangle track = *ui::item_rectangle("timing-window"), header = *ui::item_rectangle("section/View");
  EXPECT_GE(header.to.x - track.to.x, ui::text_size(ui::Font::body, "1000 frames").x);
  ui.drag("timing-window", 60, 0);
  EXPECT_GT(ui.settings.timing_window, 400);
}

class Sections : public testing::TestWithParam<const ui::Panel*> {};

TEST_P(Sections, AKeyOpensThemWhereTheyAreSeen) {
  const ui::Panel& panel = *GetParam();
  for (const float height : {480.0f, 600.0f, 900.0f}) {
    Harness ui(ui::applies(panel, typical_sample().settings) ? typical_sample() : layer_sample(), 1280, height);
    ui.settings.open_panels = all_panels();
    ui.settings.open_panels.erase(std::string(panel.id));
    ui.frame(3);
    ui.key(panel.key, panel.modifiers);
    ui.frame(4);
    ASSERT_TRUE(ui::is_open(ui.settings, panel.id));
    const ui::ItemRectangle header = *ui::item_rectangle(std::string("section/") + panel.title);
    const float foot = height - ui::px(60);
    EXPECT_GE(header.from.y, ui::px(96) - 1) << panel.title << " at " << height;
    EXPECT_LE(header.to.y + ui::px(20), foot) << panel.title << " at " << height;
    ui.key(panel.key, panel.modifiers);
    EXPECT_FALSE(ui::is_open(ui.settings, panel.id)) << "in sight, the key closes it";
  }
}

INSTANTIATE_TEST_SUITE_P(All, Sections, testing::ValuesIn(ui::panels().begin(), ui::panels().end()),
                         [](const auto& each) { return std::string(each.param->id); });

TEST(Sections, AnOpenOneOutOfSightIsShownInsteadOfClosed) {
  Harness ui(typical_sample(), 1280, 600);
  ui.settings.open_panels = all_panels();
  ui.frame(3);
  ui.key(ui::key::f(9));
  ui.frame(4);
  EXPECT_TRUE(ui::is_open(ui.settings, "inspect"));
  EXPECT_LT(ui::item_rectangle("section/Inspect")->to.y, 540);
}

TEST(Sections, AnOpenOneWithAlmostNothingInSightIsShownInsteadOfClosed) {
  Harness ui(typical_sample(), 1280, 900);
  ui.settings.open_panels = all_panels();
  ui.frame(3);
  const auto header_of = [](const ui::Panel* panel) {
    return *ui::item_rectangle(std::string("section/") + panel->title);
  };
  std::vector<const ui::Panel*> drawn;
  for (const ui::Panel* const panel : ui::panels())
    if (ui::applies(*panel, ui.settings)) drawn.push_back(panel);
  const auto low = std::ranges::adjacent_find(drawn, [&](const ui::Panel* panel, const ui::Panel* next) {
    const float top = header_of(panel).to.y;
    return top > 480 && header_of(next).from.y > top + 200;
  });
  ASSERT_NE(low, drawn.end());
  const float height = std::round(header_of(*low).to.y + 80);
  ui.resize(1280, height);
  ui.frame(3);
  ui.key((*low)->key, (*low)->modifiers);
  ui.frame(4);
  ASSERT_TRUE(ui::is_open(ui.settings, (*low)->id));
  EXPECT_LE(header_of(*low).to.y + 120, height);
  ui.key((*low)->key, (*low)->modifiers);
  EXPECT_FALSE(ui::is_open(ui.settings, (*low)->id)) << "in sight, the key closes it";
}

TEST(NarrowPanel, ALabelGivesWayBeforeItsValueIsCut) {
  Harness ui(typical_sample(), 640, 900);
  ui.settings.open_panels = {"strategy"};
  ui.stats.panes[0].kernels[0].grid_x = 1920;
  ui.stats.panes[0].kernels[0].grid_y = 1080;
  ui.frame(3);
  const std::string whole = "1920×1080×1  ×  32×8×1";
  EXPECT_TRUE(std::ranges::any_of(ui::drawn_texts(), [&](const ui::DrawnText& drawn) { return drawn.text == whole; }));
}

TEST(NarrowTransport, LoopMarksAndSpeedAreInAMenu) {
  Harness ui(typical_sample(), 640, 480);
  ui.frame(3);
  ASSERT_EQ(ui::item_rectangle("loop-a"), nullptr);
  const ui::ItemRectangle more = *ui::item_rectangle("transport-more");
  EXPECT_GT(more.from.x, ui::item_rectangle("step-forward")->to.x);
  for (const char* const action : {"Loop from here (A)", "Faster", "Loop"}) {
    ui.click("transport-more");
    ui.click(std::string("menu/") + action);
  }
  EXPECT_TRUE(ui.settings.playback.loop_a.has_value());
  EXPECT_GT(ui.settings.playback.speed, 1);
  EXPECT_FALSE(ui.settings.playback.loop);
}

TEST(NarrowStandIn, HasItsButtonBelowItsWholeSentence) {
  Harness ui(substitute_sample(), 640, 480);
  ui.frame(3);
  const ui::ItemRectangle *const why = ui::item_rectangle("pane/1/why-substitute"), *const button = ui::item_rectangle(
                                                                                        "pane/1/choose-what-runs");
  ASSERT_NE(why, nullptr);
  ASSERT_NE(button, nullptr);
  EXPECT_GE(button->from.y, why->to.y) << "the sentence has the whole width";
  EXPECT_GE(why->from.x, 0);
  EXPECT_LE(why->to.x, ui.layout.picture_x + ui.layout.picture_width);
  EXPECT_LE(button->to.y, ui.layout.picture_y + ui.layout.picture_height);
}

TEST(SidePanel, LeavesMostOfASmallWindowToThePicture) {
  Harness ui(typical_sample(), 640, 480);
  ui.frame(2);
  EXPECT_GE(ui.layout.picture_width, 370);
}

}  // namespace
}  // namespace convoscope::test
