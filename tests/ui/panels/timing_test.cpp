// The timing panel's results and the sweep, by mouse and key.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/results/sweep_plot.h"
#include "kernels/kinds/layer.h"
#include "kernels/kinds/volume.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

using testing::HasSubstr;
using testing::Not;

Sample timed_sample() {
  Sample sample = panes_sample(3);
  for (PaneStats& pane : sample.stats.panes) {
    const double median = pane.kernel.median();
    pane.median_interval = Interval{median * 0.99, median * 1.01};
    pane.speed_up = SpeedUp{1.5, {1.4, 1.6}, true};
  }
  sample.settings.open_panels = {"timing"};
  sample.stats.limits = {.copy_bytes_per_second = 7e11, .flop_per_second = 4.8e13};
  sample.stats.health = {.present = true, .sm_clock_mhz = 1980, .memory_clock_mhz = 3201, .temperature_c = 40};
  return sample;
}

SweepStats swept() {
  SweepStats sweep;
  for (const char* const strategy : {"constant", "separable"})
    for (const int radius : {1, 2, 4, 8})
      for (const int height : {360, 720}) {
        const double ms = strategy[0] == 'c' ? 0.01 * radius * radius : 0.03 * radius;
        const Filter filter{.width = 2 * radius + 1, .height = 2 * radius + 1};
        sweep.rows.push_back({strategy,
                              "gaussian",
                              {height * 16 / 9, height, PixelFormat::rgba8, Border::replicate, filter},
                              ms,
                              ms * 0.98,
                              ms * 1.02,
                              0.02,
                              true,
                              ""});
      }
  sweep.loaded = sweep.rows;
  sweep.loaded_from = "/tmp/yesterday.json";
  sweep.device = "A GPU";
  return sweep;
}

TEST(Results, SayHowManyFramesAnIntervalTakes) {
  Sample sample = timed_sample();
  sample.stats.panes[0].median_interval.reset();
  sample.stats.panes[0].kernel = times(1, 0.1, 12);
  Harness ui(sample, 1600, 1400);
  ui.frame(3);
  EXPECT_TRUE(says("12 of 30 frames so far"));
  ui.move_to("baseline/1");
  ui.frame(4);
  EXPECT_THAT(ui::tooltip_text(), HasSubstr("An interval takes 30 measured frames; there are 12"));
}

TEST(Results, SayThatEmulatedKernelsAreNotTimed) {
  Sample sample = emulated_sample();
  sample.settings.open_panels = {"timing"};
  Harness ui(sample, 1600, 1400);
  ui.frame(3);
  EXPECT_TRUE(says("not timed"));
  EXPECT_FALSE(says("frames so far")) << "there will never be any";
  ui.move_to("baseline/1");
  ui.frame(4);
  EXPECT_THAT(ui::tooltip_text(), HasSubstr("says nothing about a GPU"));
}

TEST(Results, AClickOrAKeyChoosesTheBaseline) {
  Harness ui(timed_sample(), 1600, 1400);
  ui.click("baseline/3");
  EXPECT_EQ(ui.settings.group().baseline_pane, 2);
  ui.settings.group().active_pane = 1;
  EXPECT_TRUE(ui.key('B', ui::key::control));
  EXPECT_EQ(ui.settings.group().baseline_pane, 1);
}

TEST(Results, TheRooflineIsThereOnceTheLimitsAre) {
  Harness ui(timed_sample(), 1600, 1400);
  ui.frame(3);
  EXPECT_NE(ui::item_rectangle("roofline"), nullptr);
  ui.stats.limits = {};
  ui::watch_items(true);
  ui.frame(2);
  EXPECT_EQ(ui::item_rectangle("roofline"), nullptr);
}

TEST(Results, TheRoofIsMeasuredAgainOnRequest) {
  Harness ui(timed_sample(), 1600, 1400);
  ui.click("measure-roof");
  EXPECT_TRUE(ui.requests.measure_limits);
  ui.take_requests();
  ui.stats.measuring_limits = true;
  ui.click("measure-roof");
  EXPECT_FALSE(ui.requests.measure_limits) << "it is under way";
}

TEST(Results, NoRateOfTheRoofLiesOnADot) {
  for (const double scale : {1e-3, 1e-2, 0.1, 0.5, 1.0, 2.0}) {
    Sample sample = timed_sample();
    for (PaneStats& pane : sample.stats.panes) pane.cost.dram_bytes *= scale;
    sample.stats.limits = {.copy_bytes_per_second = 7e11, .flop_per_second = 2.4e13};
    for (PaneStats& pane : sample.stats.panes) pane.kernel = times(1.008e9 / 2.3e13 * 1e3, 1e-9);  // near the roof
    Harness ui(sample, 1600, 1400);
    ui.frame(3);
    const ui::ItemRectangle plot = *ui::item_rectangle("roofline");
    const auto in_plot = [&](const ui::DrawnText& text) {
      return text.at.from.y >= plot.from.y && text.at.to.y <= plot.to.y && text.at.from.x >= plot.from.x;
    };
    for (const ui::DrawnText& dot : ui::drawn_texts())
      for (const ui::DrawnText& rate : ui::drawn_texts()) {
        if (!in_plot(dot) || !in_plot(rate) || dot.text.size() != 1 || !rate.text.ends_with("FLOP/s")) continue;
        EXPECT_FALSE(ui::overlap(area_of(dot.at), area_of(rate.at))) << rate.text << " on " << dot.text;
      }
  }
}

TEST(Results, PanesThatLieOnOneAnotherHaveDotsBesideEachOther) {
  Sample sample = timed_sample();
  for (PaneStats& pane : sample.stats.panes) {
    pane.cost = sample.stats.panes[0].cost;
    pane.kernel = times(1, 1e-9);
  }
  Harness ui(sample, 1600, 1400);
  ui.frame(3);
  const ui::ItemRectangle plot = *ui::item_rectangle("roofline");
  std::vector<ui::Area> dots;
  for (const ui::DrawnText& text : ui::drawn_texts())
    if (text.text.size() == 1 && text.text != "0" && text.at.from.y > plot.from.y &&
        text.at.to.y < plot.to.y - ui::px(32) && text.at.from.x > plot.from.x + ui::px(38))
      dots.push_back(area_of(text.at));
  ASSERT_EQ(dots.size(), sample.stats.panes.size());
  for (std::size_t i = 1; i < dots.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) EXPECT_GE(std::abs(dots[i].x - dots[k].x), ui::px(12)) << i << " on " << k;
}

TEST(Results, NoLabelOfTheRooflineLiesOverAnother) {
  for (const float width : {640.0f, 1600.0f}) {
    for (const double flop : {4.8e13, 2e10}) {
      Sample sample = timed_sample();
      sample.stats.limits = {.copy_bytes_per_second = 2e10, .flop_per_second = flop};
      Harness ui(sample, width, 1400);
      ui.frame(3);
      const ui::ItemRectangle plot = *ui::item_rectangle("roofline");
      std::vector<ui::DrawnText> labels;
      for (const ui::DrawnText& text : ui::drawn_texts())
        if (text.text.size() > 1 && text.at.from.y >= plot.from.y && text.at.to.y <= plot.to.y &&
            text.at.from.x >= plot.from.x)
          labels.push_back(text);
      ASSERT_GT(labels.size(), 6u);
      for (const ui::DrawnText& a : labels)
        for (const ui::DrawnText& b : labels)
          EXPECT_TRUE(&a == &b || a.at.to.x <= b.at.from.x || b.at.to.x <= a.at.from.x ||
                      a.at.to.y <= b.at.from.y + 1 || b.at.to.y <= a.at.from.y + 1)
              << a.text << " over " << b.text << " at " << width;
    }
  }
}

TEST(Results, DrawWhatIsNoNumber) {
  Sample sample = timed_sample();
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  sample.stats.panes[0].median_interval = Interval{nan, infinity};
  sample.stats.panes[1].speed_up = SpeedUp{nan, {-infinity, infinity}, true};
  sample.stats.panes[2].cost.flop = infinity;
  sample.settings.group().baseline_pane = 77;
  for (const double limit : {nan, infinity, 1e-300, -1.0}) {
    sample.stats.limits = {.copy_bytes_per_second = limit, .flop_per_second = limit};
    Harness ui(sample, 1600, 1400);
    ui.frame(2);
  }
  sample.stats.health = {.present = true, .power_w = nan, .throttling = std::string(5000, 'W'), .clocks_moved = true};
  Harness ui(sample, 1600, 1400);
  ui.frame(2);
}

TEST(SweepWindow, WhatRunsInAnotherWorkbenchIsSaidToBeShownThere) {
  Sample sample = time_sample();
  sample.settings.sweep.open = true;
  sample.stats.sweep = {.running = true, .kind = &layer_kind, .done = 1, .total = 9};
  Harness ui(sample, 1600, 1400);
  ui.frame(3);
  EXPECT_TRUE(drawn(ui, "sweep-elsewhere"));
  EXPECT_FALSE(says("The first points are being measured."));
  ui.stats.sweep.kind = &volume_kind;
  EXPECT_FALSE(drawn(ui, "sweep-elsewhere"));
  EXPECT_TRUE(says("The first points are being measured."));
}

TEST(SweepWindow, OpensStartsCancelsAndCloses) {
  Harness ui(timed_sample(), 1600, 1400);
  ui.click("open-sweep");
  EXPECT_TRUE(ui.settings.sweep.open);
  ui.click("sweep-start");
  EXPECT_TRUE(ui.requests.start_sweep);
  ui.take_requests();
  ui.stats.sweep.running = true;
  ui.click("sweep-cancel");
  EXPECT_TRUE(ui.requests.cancel_sweep);
  ui.click("sweep-close");
  EXPECT_FALSE(ui.settings.sweep.open);
  ui.frame(2);
  EXPECT_THAT(ui::ui_state().feedback.text, HasSubstr("goes on"));
  EXPECT_TRUE(says("of " + std::to_string(ui.stats.sweep.total) + " points measured"));
  ui.take_requests();
  const int f8 = ui::key::f(8);
  EXPECT_TRUE(ui.key(f8, ui::key::shift));
  EXPECT_TRUE(ui.settings.sweep.open);
  EXPECT_TRUE(ui.requests.cancel_sweep) << "one is running";
  ui.take_requests();
  ui.stats.sweep.running = false;
  EXPECT_TRUE(ui.key(f8, ui::key::shift));
  EXPECT_TRUE(ui.requests.start_sweep);
  EXPECT_TRUE(ui.key(ui::key::escape));
  EXPECT_FALSE(ui.settings.sweep.open);
  EXPECT_TRUE(ui.key(f8));
  EXPECT_TRUE(ui.settings.sweep.open);
}

TEST(SweepWindow, BeginsAtItsTopInAnotherWorkbench) {
  Harness ui(timed_sample(), 900, 500);
  ui.settings.sweep.open = true;
  ui.frame(3);
  const auto sheet = [] { return ImGui::FindWindowByName("##sweep"); };
  ASSERT_TRUE(sheet());
  ImGui::SetScrollY(sheet(), 60);
  ui.frame(3);
  EXPECT_EQ(sheet()->Scroll.y, 60) << "there is more than is seen";
  ui.key('2', ui::key::control | ui::key::shift);
  ui.frame(3);
  EXPECT_EQ(sheet()->Scroll.y, 0);
}

TEST(SweepWindow, ChoosesWhatIsMeasuredAndWhereItGoes) {
  Harness ui(timed_sample(), 1600, 1400);
  ui.settings.sweep.open = true;
  SweepChoices& choices = ui.settings.sweep.of["image"];
  choices.values["radius"] = {1, 2};
  ui.stats.sweep = swept();
  ui.click("sweep-radius/2");
  ui.click("sweep-radius/32");
  EXPECT_EQ(choices.values["radius"], (std::vector<int>{1, 32}));
  ui.click("sweep-size/640×360");
  EXPECT_EQ(choices.values["size"], (std::vector<int>{ui.stats.source.height, 360})) << "beside the source's own";
  std::vector<std::string> panes;
  for (const PaneSettings& pane : ui.settings.group().panes)
    if (std::ranges::find(panes, pane.strategy) == panes.end()) panes.push_back(pane.strategy);
  ui.click("sweep-strategy/winograd");
  EXPECT_TRUE(std::ranges::find(choices.strategies, "winograd") != choices.strategies.end());
  EXPECT_EQ(choices.strategies.size(), panes.size() + 1) << "added to those of the panes";
  ui.click("sweep-strategy/winograd");
  EXPECT_EQ(choices.strategies, panes);
  ui.click("sweep-hold");
  EXPECT_FALSE(ui.settings.sweep.hold_view);
  ui.click("sweep-shown/1280×720");
  EXPECT_EQ(ui::momentary().sweep_shown, 1);
  ui.click("sweep-along/size");
  EXPECT_EQ(choices.along, "size");
  ui.click("sweep-shown/radius 4");
  EXPECT_EQ(ui::momentary().sweep_shown, 2);
  ui.click("sweep-save");
  EXPECT_TRUE(ui::ui_state().save.open);
  EXPECT_EQ(ui::ui_state().save.what, ui::Saved::sweep);
  ui.click("save-cancel");
  ui.click("sweep-load");
  EXPECT_TRUE(ui::ui_state().browser.open);
  EXPECT_EQ(ui::ui_state().browser.purpose, ui::FileBrowser::Purpose::sweep);
  ui.key(ui::key::escape);
  EXPECT_FALSE(ui::ui_state().browser.open);
  EXPECT_TRUE(ui.key(ui::key::f(8), ui::key::control));
  EXPECT_TRUE(ui::ui_state().save.open);
}

TEST(SweepWindow, TheCaptionSpeaksOfRingsWhereThereAreSome) {
  Sample sample = timed_sample();
  sample.settings.sweep.open = true;
  sample.stats.sweep = swept();
  Harness ui(sample, 1600, 900);
  ui.frame(4);
  EXPECT_TRUE(says("rings mark where the fastest changes"));
  EXPECT_FALSE(says("Crossings with auto"));
  for (auto* rows : {&ui.stats.sweep.rows, &ui.stats.sweep.loaded})
    for (SweepRow& row : *rows)
      if (row.strategy == "separable") row.strategy = "auto";
  ui.frame(2);
  EXPECT_FALSE(says("rings mark"));
  EXPECT_TRUE(says("Crossings with auto are not marked: it runs one of the others."));
}

TEST(SweepWindow, TheTooltipOfAPointLiesAtThePoint) {
  Sample sample = timed_sample();
  sample.settings.sweep.open = true;
  sample.stats.sweep = swept();
  for (const float width : {1600.0f, 700.0f}) {
    Harness ui(sample, width, 900);
    ui.frame(4);
    const ui::Area plot = area_of(*ui::item_rectangle("sweep-plot"));
    int seen = 0;
    for (float x = plot.x + 10; x < plot.x + plot.width; x += 25)
      for (float y = plot.y + 10; y < plot.y + plot.height; y += 25) {
        ui.move(x, y);
        ui.frame();
        const std::optional<ui::Area> tip = tooltip_area();
        if (!tip) continue;
        ++seen;
        ImGui::NewFrame();  // who measures texts needs one
        const SweepPointSeen point =
            sweep_point_near({x, y}, {plot.x, plot.y}, {plot.x + plot.width, plot.y + plot.height}, ui.stats.sweep,
                             shown_sweep(ui.stats.sweep, ui.settings, image_kind));
        ImGui::EndFrame();
        if (point.text.empty()) continue;  // it is of something else in the plot
        const float across = std::max({tip->x - point.at.x, point.at.x - tip->x - tip->width, 0.0f});
        const float down = std::max({tip->y - point.at.y, point.at.y - tip->y - tip->height, 0.0f});
        EXPECT_LT(std::hypot(across, down), 24) << "of " << point.text;
        EXPECT_FALSE(tip->contains(point.at.x, point.at.y)) << point.text;
      }
    EXPECT_GT(seen, 3) << width;
  }
}

TEST(SweepWindow, DrawsInEverySizeAndWithAnyRows) {
  for (const ImVec2 size : {ImVec2(1600, 900), ImVec2(900, 500), ImVec2(320, 200), ImVec2(1, 1)}) {
    Sample sample = timed_sample();
    sample.settings.sweep.open = true;
    Harness empty(sample, size.x, size.y);
    empty.frame(2);
    sample.stats.sweep = swept();
    Harness ui(sample, size.x, size.y);
    ui.frame(2);
    ui::momentary().sweep_shown = -5;
    ui.stats.sweep.rows.clear();
    ui.frame(2);
    for (SweepRow& row : ui.stats.sweep.loaded)
      row.problem.filter.width = 1, row.median_ms = 1e-300, row.copy_ms = 1e300;
    ui.frame(2);
  }
}

// Its median, added to the others', was more than a whole frame.
TEST(Results, APaneThatRunsBesideTheFramesIsToldApart) {
  Sample sample = timed_sample();
  sample.stats.device.backend = Backend::cpu;
  for (PaneStats& pane : sample.stats.panes) pane.kernel = times(4, 0.01), pane.pictures_a_second = 30;
  Harness ui(sample, 1600, 1400);
  ui.frame(3);
  EXPECT_FALSE(drawn(ui, "runs-beside"));
  ui.stats.panes[1].kernel = times(1857, 0.01);
  ui.stats.panes[1].pictures_a_second = 0.5;
  ui.frame(3);
  EXPECT_TRUE(drawn(ui, "runs-beside"));
  for (const ui::DrawnText& text : ui::drawn_texts()) EXPECT_FALSE(text.text.starts_with("1,86")) << text.text;
  for (const std::size_t quick : {0, 2})  // paused: that of the slow one is still remembered
    ui.stats.panes[quick].pictures_a_second = 0;
  ui.frame(3);
  EXPECT_FALSE(drawn(ui, "runs-beside"));
  for (PaneStats& pane : ui.stats.panes) pane.pictures_a_second = 0;  // paused: all of them made the picture
  ui.frame(3);
  EXPECT_FALSE(drawn(ui, "runs-beside"));
}

TEST(Results, ASpeedUpOverAnotherFilterSaysSo) {
  Harness ui(timed_sample(), 1600, 1400);
  ui.settings.group().baseline_pane = 0;
  ui.stats.panes[1].speed_up = SpeedUp{.factor = 2, .interval = {1.9, 2.1}, .seen = true};
  for (PaneStats& pane : ui.stats.panes) pane.filter = "gaussian:radius=4";
  ui.frame(3);
  EXPECT_FALSE(says("other filter"));
  ui.stats.panes[1].filter = "sharpen";
  ui.frame(3);
  EXPECT_TRUE(says("2×  faster, other filter"));
  ui.move_to("baseline/2");
  ui.frame(4);
  EXPECT_THAT(ui::tooltip_text(), HasSubstr("The filters differ: sharpen here, gaussian:radius=4 there"));
}

}  // namespace
}  // namespace convoscope::test
