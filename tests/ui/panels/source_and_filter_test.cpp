// What is recent, by keys; and what a filter's parameters say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>

#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/lists.h"
#include "app/ui/parts/tooltips.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

void hold_escape(bool down) {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 18700
  io.AddKeyEvent(ImGuiKey_Escape, down);
#else
  constexpr int escape = 300;
  io.KeyMap[ImGuiKey_Escape] = escape;
  io.KeysDown[escape] = down;
#endif
}

void paste(bool down = true) {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 18700
  io.AddKeyEvent(ImGuiMod_Ctrl, down);
  io.AddKeyEvent(ImGuiKey_V, down);
#else
  constexpr int v = 301;
  io.KeyMap[ImGuiKey_V] = v;
  io.KeysDown[v] = io.KeyCtrl = down;
#endif
}

TEST(SourcePanel, ListsTheClipsThatPlayOneAfterAnother) {
  Harness ui;
  ui.settings.open_panels = {"source"};
  EXPECT_FALSE(drawn(ui, "next-clip")) << "there is no list";
  ui.stats.clips.names = std::make_shared<const std::vector<std::string>>(
      std::vector<std::string>{"/videos/a.mp4", "/videos/b.mp4", "/videos/c.wav"});
  ui.take_requests();
  ui.click("next-clip");
  EXPECT_EQ(ui.requests.step_clip, 1);
  ui.take_requests();
  ui.click("clip-before");
  EXPECT_EQ(ui.requests.step_clip, -1);
  ui.click("clips");
  ui.frame(2);
  ui.click("clip/2");
  EXPECT_EQ(ui.requests.clip, 2u);
}

TEST(SourcePanel, ArrowsAndLettersFindWhatIsRecentAndEnterOpensIt) {
  Harness ui;
  ui.settings.open_panels = {"source"};
  ui.settings.recent = {"/videos/city.mp4", "pattern", "/videos/tree.png", "camera:0"};
  ui.settings.source.input = "/videos/city.mp4";
  const auto take = [&](std::initializer_list<int> keys, const std::string& letters) {
    ui.take_requests();
    ui.click("recent");
    ui.frame(2);
    for (const int key : keys) {
      EXPECT_TRUE(ui.key(key));
      ui.frame();
    }
    if (!letters.empty()) ui.type(letters);
    ui.key(ui::key::enter);
    ui.frame(2);
    EXPECT_FALSE(ui::is_menu_open());
    return ui.requests.open;
  };
  EXPECT_EQ(take({ui::key::down, ui::key::down}, ""), "/videos/tree.png");
  EXPECT_EQ(take({ui::key::end}, ""), "camera:0");
  EXPECT_EQ(take({}, "pat"), "pattern");
  EXPECT_EQ(take({}, "tre"), "/videos/tree.png") << "by the name of the file";
}

TEST(FilterPanel, ADoubleClickOnASliderOrItsValueLetsANumberBeTyped) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  ui.filter() = parse_filter("gaussian:radius=3");
  ui.double_click("parameter/radius");
  EXPECT_EQ(ui.filter().values[0], 3) << "where the knob was clicked is not what was meant";
  ui.type("9");
  EXPECT_EQ(ui.filter().values[0], 9);
  ui.click("border/zero");  // elsewhere
  const ui::ItemRectangle track = *ui::item_rectangle("parameter/radius");
  const ImVec2 value{track.to.x + 30, track.centre().y};
  ui.double_click_at(value.x, value.y);
  ui.type("12");
  EXPECT_EQ(ui.filter().values[0], 12);
  ui.type("999");
  EXPECT_EQ(ui.filter().values[0], find_filter_kind("gaussian")->parameters[0].maximum) << "no more than it can be";
}

TEST(FilterPanel, ANumberTypedIntoASliderIsTheNearestThatItCanBe) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  const double most = find_filter_kind("gaussian")->parameters[0].maximum;
  struct Typed {
    const char* typed;
    double radius;
  };
  for (const Typed& c : {Typed{"3000000000", most}, Typed{"99999999999999999999", most}, Typed{"1e999", most},
                         Typed{"-3000000000", 0}, Typed{"3,5", 4}, Typed{"1,2", 1}, Typed{"1e1", 10}}) {
    ui.filter() = parse_filter("gaussian:radius=3");
    ui.double_click("parameter/radius");
    ui.type(c.typed);
    EXPECT_EQ(ui.filter().values[0], c.radius) << c.typed;
    ui.click("border/zero");
    EXPECT_EQ(ui.filter().values[0], c.radius) << c.typed;
  }
}

TEST(FilterPanel, ACommaTypedIntoASliderIsAPoint) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  ui.filter() = parse_filter("gaussian:radius=3,sigma=3");
  ui.double_click("parameter/sigma");
  ui.type("1,5");
  EXPECT_EQ(ui.filter().values[1], 1.5);
}

TEST(FilterPanel, ACommaPastedIntoASliderIsAPointAndPartsNoThousands) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  ui.filter() = parse_filter("gaussian:radius=3,sigma=3");
  ui.double_click("parameter/sigma");
  ImGui::SetClipboardText("1,5");
  paste();
  ui.frame();
  paste(false);
  ui.frame(2);
  EXPECT_EQ(ui.filter().values[1], 1.5);
  EXPECT_STREQ(ImGui::GetClipboardText(), "1,5") << "it is the user's";
  EXPECT_EQ(ui::with_point("1,000.5"), "1000.5");
  EXPECT_EQ(ui::with_point("1.000,5"), "1000.5");
  EXPECT_EQ(ui::with_point("1,000,000"), "1000000");
  EXPECT_EQ(ui::with_point("-12"), "-12");
}

TEST(FilterPanel, WhatBecameOfATypedNumberIsSaid) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  ui.filter() = parse_filter("gaussian:radius=3");
  const auto type = [&](const char* control, const char* text) {
    ui::ui_state().feedback = {};
    ui.double_click(control);
    ui.type(text);
    ui.click("border/zero");  // elsewhere
    return ui::ui_state().feedback.text;
  };
  EXPECT_EQ(type("parameter/radius", "999"), "999 is above the maximum: 63 is used.");
  EXPECT_EQ(type("parameter/radius", "-2"), "−2 is below the minimum: 0 is used.");
  EXPECT_EQ(type("parameter/radius", "9"), "");
  EXPECT_EQ(ui.filter().values[0], 9);
  EXPECT_EQ(type("selected-weight", "abc"), "Only a number can be typed here.");
  EXPECT_EQ(type("selected-weight", "0.25"), "");
  ui.double_click("selected-weight");
  ui.type("abc");
  ui::ui_state().feedback = {};
  ui.click("border/mirror");
  EXPECT_EQ(ui::ui_state().feedback.text, "Only a number can be typed here.") << "also when the typing ends";
}

TEST(FilterPanel, ADoubleClickOnASliderIsNoStepThatIsUndone) {
  for (const bool escaped : {false, true}) {
    Harness ui;
    ui.settings.open_panels = {"filter"};
    ui.filter() = parse_filter("gaussian:radius=3,sigma=1.2345");
    ui.frame(30);
    const std::size_t steps = ui::ui_state().histories.begin()->second.undo_count();
    const double sigma = ui.filter().values[1];
    ui.double_click("parameter/sigma");
    ui.type("2");
    EXPECT_EQ(ui.filter().values[1], 2);
    hold_escape(escaped);
    ui.frame();
    hold_escape(false);
    if (!escaped) ui.click("weights");
    ui.frame(30);
    EXPECT_EQ(ui::ui_state().histories.begin()->second.undo_count(), escaped ? steps : steps + 1);
    if (!escaped) ui.key('Z', ui::key::control);
    EXPECT_EQ(ui.filter().values[1], sigma);
  }
}

TEST(FilterPanel, ADoubleClickOnTheSizeOfACustomFilterLosesNoWeights) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  ui.filter() = parse_filter("1 2 3 4 5; 6 7 8 9 10; 1 2 3 4 6; 1 2 3 4 7; 1 2 3 4 8");
  ui.frame(30);
  const Filter before = ui.filter().filter;
  const ui::ItemRectangle track = *ui::item_rectangle("parameter/rx");
  ui.double_click_at(track.from.x + 6, track.centre().y);
  hold_escape(true);
  ui.frame();
  hold_escape(false);
  ui.frame(30);
  EXPECT_EQ(ui.filter().filter, before);
}

TEST(FilterPanel, ANumberIsTypedOverAuto) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  ui.filter() = parse_filter("box:radius=3");
  ui.double_click("parameter/rx");
  ui.type("5");
  EXPECT_EQ(ui.filter().values[1], 5);
}

TEST(FilterPanel, AClickOnASliderIsAStepThatIsUndone) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  ui.filter() = parse_filter("gaussian:radius=3");
  ui.click("parameter/radius");
  ASSERT_NE(ui.filter().values[0], 3);
  EXPECT_EQ(ui::ui_state().histories.begin()->second.undo_count(), 1u);
  ui.key('Z', ui::key::control);
  EXPECT_EQ(ui.filter().values[0], 3);
}

TEST(FilterPanel, ARadiusThatFollowsTheOtherSaysAuto) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  ui.filter() = parse_filter("box:radius=3");
  ui::watch_items(true);
  ui.frame(3);
  EXPECT_EQ(std::ranges::count(ui::drawn_texts(), "auto", &ui::DrawnText::text), 2);
  EXPECT_FALSE(says("−1"));
  ui.filter() = parse_filter("box:radius=3,rx=5");
  ui.frame(3);
  EXPECT_EQ(std::ranges::count(ui::drawn_texts(), "auto", &ui::DrawnText::text), 1);
}

TEST(FilterPanel, ASigmaThatFollowsTheRadiusSaysHow) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  ui::watch_items(true);
  for (const auto& [text, shown] : {std::pair{"gaussian:radius=4", "auto: radius / 2"},
                                    {"log:radius=4", "auto: radius / 3"},
                                    {"gaussian:radius=4,sigma=opencv", "opencv"}}) {
    ui.filter() = parse_filter(text);
    ui.frame(3);
    EXPECT_EQ(std::ranges::count(ui::drawn_texts(), shown, &ui::DrawnText::text), 1) << text;
  }
}

TEST(FilterPanel, SaysWhatAHugeWeightDoesToThePicture) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  ui.filter() = parse_filter("1 1 1; 1 1e30 1; 1 1 1");
  EXPECT_TRUE(drawn(ui, "saturates"));
  EXPECT_FALSE(says("rank")) << "beside it the others vanish, but count where the pixel under it is black";
  ui.filter().filter.gain = 1e-30f;
  EXPECT_FALSE(drawn(ui, "saturates")) << "the gain brings it back";
  EXPECT_TRUE(says("rank 1, separable"));
  ui.filter() = parse_filter("-3 -3 -3; -3 25 -3; -3 -3 -3");
  EXPECT_FALSE(drawn(ui, "saturates")) << "that is strong, no more";
}

TEST(FilterPanel, ANumberThatIsDraggedLooksLikeIt) {
  Harness ui(typical_sample(), 1600, 1400);
  ui.settings.open_panels = {"filter"};
  ui.frame(3);
  ui.move_to("selected-weight");
  ui.frame(4);
  EXPECT_EQ(ImGui::GetMouseCursor(), ImGuiMouseCursor_ResizeEW);
  EXPECT_NE(ui::tooltip_text().find("Drag sideways to change it, double-click to type"), std::string::npos);
}

// At scales and widths where all of them just fit, or just do not.
TEST(FilterPanel, ItsToolsLieInOneRowOrBreakWhereAGroupEnds) {
  int rows_of_one = 0;
  for (float scale = 0.8f; scale < 2.2f; scale += 0.05f) {
    Harness ui(typical_sample(), 1280, 720, scale);
    ui.settings.open_panels = {"filter"};
    ui.frame(3);
    const auto row = [](const char* tool) { return ui::item_rectangle(tool)->from.y; };
    ASSERT_NE(ui::item_rectangle("grow"), nullptr) << scale;
    EXPECT_EQ(row("grow"), row("shrink")) << scale;
    EXPECT_EQ(row("undo"), row("redo")) << scale;
    EXPECT_EQ(row("copy"), row("paste")) << scale;
    EXPECT_EQ(row("normalise"), row("rotate")) << scale;
    rows_of_one += row("grow") == row("undo");
  }
  EXPECT_GT(rows_of_one, 17);
}

TEST(FilterPanel, OfTheSourceSaysThatNoPaneHasItsFilter) {
  Harness ui(panes_sample(2));
  ui.settings.open_panels = {"filter"};
  ui.settings.group().active_pane = 0;
  ui.settings.group().panes[0].strategy = "source";
  EXPECT_FALSE(drawn(ui, "filter-of-no-picture")) << "the other one follows it";
  ui.settings.group().panes[1].linked = false;
  EXPECT_TRUE(drawn(ui, "filter-of-no-picture"));
  ui.settings.group().active_pane = 1;
  EXPECT_FALSE(drawn(ui, "filter-of-no-picture"));
  ui.settings.group().active_pane = 0;
  ui.settings.group().panes[1].strategy = "source";
  EXPECT_FALSE(drawn(ui, "filter-of-no-picture")) << "the source gives way to a filter that is chosen";
}

TEST(FilterPanel, AnEdgeMagnitudeThatIsChosenByHandBeginsBrightEnoughToSee) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  const float as_named = parse_filter("sobel-magnitude").filter.gain;
  ui.click("kind");
  ui.click("kind/sobel-magnitude");
  EXPECT_EQ(ui.filter().filter.gain, 4 * as_named);
  ui.filter() = parse_filter("sobel-y");
  ui.key('G');
  EXPECT_EQ(ui.filter().kind, "sobel-magnitude");
  EXPECT_EQ(ui.filter().filter.gain, 4 * as_named);
}

}  // namespace
}  // namespace convoscope::test
