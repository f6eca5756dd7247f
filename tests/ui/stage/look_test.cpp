// Sheets beside the stage, tooltips beside their controls, menus of the right button, values under the cursor.
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/ui/parts/format.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/parts/wrapped_text.h"
#include "app/ui/places/layout.h"
#include "app/ui/results/sweep_plot.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

bool apart(const ui::ItemRectangle& a, ImVec2 from, ImVec2 to) {
  return a.to.x <= from.x || to.x <= a.from.x || a.to.y <= from.y || to.y <= a.from.y;
}

TEST(DockedSheets, ExplainAndSweepLeaveThePictureUncovered) {
  for (const auto& [width, height] :
       {std::pair{640.0f, 480.0f}, {1280.0f, 720.0f}, {1600.0f, 900.0f}, {2560.0f, 1440.0f}})
    for (const bool left : {false, true})
      for (const bool sweep : {false, true}) {
        SCOPED_TRACE(std::to_string(width) + (left ? " left" : "") + (sweep ? " sweep" : " explain"));
        Harness ui(typical_sample(), width, height);
        ui.settings.panels_left = left;
        (sweep ? ui.settings.sweep.open : ui.settings.inspect.explain) = true;
        ui.frame(4);
        const ui::ItemRectangle* const sheet = ui::item_rectangle(sweep ? "sweep" : "story");
        ASSERT_NE(sheet, nullptr);
        const UiLayout& l = ui.layout;
        EXPECT_TRUE(
            apart(*sheet, {l.picture_x, l.picture_y}, {l.picture_x + l.picture_width, l.picture_y + l.picture_height}));
        EXPECT_GE(sheet->from.x, 0);
        EXPECT_LE(sheet->to.x, width);
        EXPECT_LE(sheet->to.y, height);
        EXPECT_GE(l.picture_width, 290);
        EXPECT_GE(l.picture_height, 150);
        ui.click(sweep ? "sweep-close" : "story-close");
        EXPECT_FALSE(sweep ? ui.settings.sweep.open : ui.settings.inspect.explain);
      }
}

TEST(DockedSheets, TheSweepLeavesALargeWindowToThePictures) {
  Harness ui(panes_sample(4), 2560, 1440);
  ui.settings.sweep.open = true;
  ui.frame(4);
  const ui::ItemRectangle& sheet = *ui::item_rectangle("sweep");
  EXPECT_GE(ui.layout.picture_width, 1.7f * (sheet.to.x - sheet.from.x));
}

TEST(Tooltips, LieBesideTheirControl) {
  Harness ui(typical_sample(), 1280, 720);
  ui.settings.open_panels = all_panels();
  ui.frame(5);
  for (const char* item : {"play", "record", "full-screen", "screenshot", "overlay", "progress"}) {
    ui.move_to(item);
    ui.frame(4);
    const std::optional<ui::Area> tip = tooltip_area();
    ASSERT_TRUE(tip) << item;
    EXPECT_TRUE(apart(*ui::item_rectangle(item), tip->from(), tip->to())) << item;
    EXPECT_GE(tip->x, 0);
    EXPECT_LE(tip->x + tip->width, 1280) << item;
    EXPECT_LE(tip->y + tip->height, 720) << item;
  }
}

TEST(Tooltips, CoverNoRowThatTheMouseMayGoOnTo) {
  Harness ui(typical_sample(), 1600, 1400);
  const auto count_tips = [&](const std::string& window_name, const ui::Area& column) {
    const std::vector<ui::Mark> marks = ui::marks();
    int tips = 0;
    for (const ui::Mark& mark : marks) {
      const bool in_sight = mark.seen.to.x - mark.seen.from.x > 4 && mark.seen.to.y - mark.seen.from.y > 4;
      if (mark.holds_others || !in_sight || !mark.window.starts_with(window_name)) continue;
      ui.move(mark.seen.centre().x, mark.seen.centre().y);
      ui.frame(2);
      const std::optional<ui::Area> tip = tooltip_area();
      if (!tip) continue;
      ++tips;
      EXPECT_FALSE(ui::overlap(column, *tip)) << mark.id;
    }
    return tips;
  };
  for (const bool left : {false, true}) {
    ui.settings.panels_left = left;
    ui.settings.open_panels = {"filter", "inspect"};
    ui.frame(5);
    EXPECT_GT(count_tips("##panel", ui::geometry(ui.settings, 1600, 1400).panel), 10);
    ui.click("kind");
    ui.frame(3);
    const auto entry = std::ranges::find(ui::marks(), "kind/gaussian", &ui::Mark::id);
    ASSERT_NE(entry, ui::marks().end());
    const std::string list = entry->window;
    const ImGuiWindow* const window = ImGui::FindWindowByName(list.c_str());
    ASSERT_NE(window, nullptr);
    EXPECT_GT(count_tips(list, {window->Pos.x, window->Pos.y, window->Size.x, window->Size.y}), 5);
    ui.key(ui::key::escape);
    ui.frame(3);
  }
}

TEST(WrappedText, BreaksBetweenWordsOnly) {
  Harness ui;
  ui.frame(2);
  ImGui::GetIO().DisplaySize = {1600, 900};
  ImGui::NewFrame();
  const std::string text = "The largest error is 0.000314 of white, which is 0.08 code values.";
  for (float width = 60; width < 400; width += 3) {
    const std::string lines = ui::wrapped(text, width);
    EXPECT_EQ(lines.find("0.\n"), std::string::npos) << lines;
    std::string joined = lines;
    for (char& c : joined)
      if (c == '\n') c = ' ';
    EXPECT_EQ(joined, text) << width;
    EXPECT_LE(ImGui::CalcTextSize(lines.c_str()).x, width) << lines;
  }
  const std::string path = "/a/folder/with-a-name-that-has-no-spaces-at-all-and-goes-on.mkv";
  EXPECT_LE(ImGui::CalcTextSize(ui::wrapped(path, 80).c_str()).x, 80);
  EXPECT_EQ(ui::wrapped("one\n\ntwo  three", 1000), "one\n\ntwo  three");
  ImGui::EndFrame();
}

TEST(SweepChoices, SayWhatWillBeMeasuredAndWhyNot) {
  Harness ui(typical_sample(), 1600, 1400);
  ui.settings.sweep.open = true;
  ui.settings.sweep.of["image"].values["radius"] = {};
  ui.click("sweep-start");
  EXPECT_FALSE(ui.requests.start_sweep) << "no radius is chosen";
  EXPECT_NE(ui::item_rectangle("sweep-why-not"), nullptr) << "it says so beside the button";
  ui.click("sweep-radius/4");
  ui.click("sweep-start");
  EXPECT_TRUE(ui.requests.start_sweep) << "strategies and size have defaults";
}

TEST(ActualSize, ShowsOnePixelForEach) {
  Harness ui(typical_sample(), 1600, 900);
  ui.settings.open_panels = {"view"};
  ui.stats.source.width = 1920, ui.stats.source.height = 1080, ui.stats.source.pixel_aspect = 1;
  const auto shown = [&] {
    const ui::Area area = ui::picture_area(ui.layout);
    return ui::fitted_size(area, ui.stats.source).x * ui.settings.zoom.scale / 1920;
  };
  ui.frame(2);
  EXPECT_LT(shown(), 0.9);
  EXPECT_TRUE(ui.key('0', ui::key::shift));
  EXPECT_NEAR(shown(), 1, 1e-4);
  ui.click("fit");
  ui.click("actual-size");
  EXPECT_NEAR(shown(), 1, 1e-4);
}

Problem picture_with(int radius) {
  return {.width = 640, .height = 360, .filter = {.width = 2 * radius + 1, .height = 2 * radius + 1}};
}

TEST(HoverValues, OfTheSweepsPlot) {
  SweepStats sweep;
  for (const int radius : {1, 4})
    sweep.rows.push_back({.strategy = "texture",
                          .filter = "gaussian",
                          .problem = picture_with(radius),
                          .median_ms = radius * 2.0,
                          .p05_ms = radius * 1.9,
                          .p95_ms = radius * 2.2,
                          .copy_ms = 0.5,
                          .verified = true});
  Harness ui;
  ui.frame(2);
  int named = 0;
  ImGui::NewFrame();
  for (float x = 0; x < 600; x += 10)
    for (float y = 0; y < 400; y += 10)
      named += sweep_point_near({x, y}, {0, 0}, {600, 400}, sweep, shown_sweep(sweep, ui.settings, image_kind))
                   .text.find("texture, radius 4") == 0;
  ImGui::EndFrame();
  EXPECT_GT(named, 4);
  EXPECT_LT(named, 60) << "only near the point";
}

TEST(HoverValues, OfTheHistogram) {
  Harness ui(typical_sample(), 1600, 900);
  ui.settings.inspect.histogram = true;
  for (auto& bins : ui.stats.inspect.histogram) bins.assign(256, 7);
  ui.stats.inspect.histogram_pane = 0;
  ui.frame(3);
  EXPECT_FALSE(tooltip_area());
  ui.move_to("scopes");
  ui.frame(4);
  EXPECT_TRUE(tooltip_area());
}

TEST(Hints, AreOneForAButton) {
  Harness ui;
  ui.stats.source.live = true;
  ui.settings.open_panels = {"recording"};
  ui.frame(3);
  ui.move_to("panel-render");
  ui.frame(4);
  EXPECT_TRUE(ui::layout_faults().empty()) << ui::layout_faults().front();
}

}  // namespace
}  // namespace convoscope::test
