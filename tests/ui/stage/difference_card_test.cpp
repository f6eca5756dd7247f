// The card of the difference of two panes: what it says, and that it leaves the picture alone.
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <cmath>
#include <limits>
#include <vector>

#include "app/ui/parts/format.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/layout.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

Sample different_sample() {
  Sample s = panes_sample(2);
  s.settings.group().view = View::difference;
  s.stats.difference = {.first = 0, .second = 1, .frame = 41};
  s.stats.difference.found = {.pixels = 921600,
                              .different = 17,
                              .largest = 9,
                              .at = {1000, 300},
                              .channel = 1,
                              .mean = 0.002,
                              .psnr = 61.2,
                              .ssim = 0.9991};
  return s;
}

TEST(DifferenceCard, LeadsToTheLargestDifference) {
  for (const auto& [width, height] : {std::pair{1600.0f, 900.0f}, {640.0f, 480.0f}}) {
    Harness ui(different_sample(), width, height);
    ui.click("difference-largest");
    EXPECT_EQ(ui.settings.inspect.pinned, (PixelAddress{1000, 300})) << width;
    EXPECT_TRUE(ui.settings.inspect.values);
    EXPECT_GT(ui.settings.zoom.scale, 4);
    EXPECT_NEAR(ui.settings.zoom.centre_x, 1000.5 / ui.stats.source.width, 1e-9);
  }
}

TEST(DifferenceCard, WhatItLeadsToIsSeenAlsoWhereASheetLeavesRoomForOneCard) {
  Harness ui(panes_sample(2), 640, 480);
  ui.settings.group().view = View::difference;
  ui.settings.inspect.explain = true;
  ui.stats.difference = {.first = 0, .second = 1};
  ui.stats.difference.found = {.pixels = 100, .different = 17, .largest = 9, .at = {5, 5}, .psnr = 61, .ssim = 0.9};
  ui.click("difference-largest");
  PixelPatch patch;
  patch.area = {0, 0, 13, 13};
  patch.pixels.assign(169, 0xFF808080u);
  InspectStats& inspect = ui.stats.inspect;
  inspect.pixel = ui.settings.inspect.pinned;
  inspect.pane = 0;
  inspect.patches.assign(2, patch);
  inspect.values.assign(2, patch.at(5, 5));
  const UiLayout& stage = ui.layout;
  ui.panes = {{stage.picture_x, stage.picture_y, stage.picture_width, stage.picture_height}, {}};
  const float x = stage.picture_x + stage.picture_width / 2, y = stage.picture_y + stage.picture_height / 2;
  const float width = static_cast<float>(ui.stats.source.width), height = static_cast<float>(ui.stats.source.height);
  ui.pictures.assign(2, {x - 5.5f * 32, y - 5.5f * 32, width * 32, height * 32});
  ui.frame(4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(drawn(ui, "inspection")) << "in every frame";
    EXPECT_EQ(ui::layout_faults(), std::vector<std::string>());
    ui.frame();
  }
  ui.settings.inspect.pinned.reset();
  ui.settings.inspect.values = ui.settings.inspect.magnifier = false;
  EXPECT_TRUE(drawn(ui, "difference-card"));
}

TEST(DifferenceCard, LiesInTheBarThatThePictureLeaves) {
  for (const ImVec2 size : {ImVec2(1280, 800), ImVec2(1920, 1080)}) {
    Harness ui(panes_sample(2), size.x, size.y);
    ui.settings.group().view = View::difference;
    ui.frame();
    const float width = ui.layout.picture_width, height = width * 9 / 16;
    const float bar = std::floor((ui.layout.picture_height - height) / 2);
    ui.pictures.assign(2, {0, bar, width, height});
    for (const std::int64_t different : {0, 709980}) {
      ui.stats.difference = {.first = 0, .second = 1, .frame = 339};
      ui.stats.difference.found = {.pixels = 921600,
                                   .different = different,
                                   .largest = 199,
                                   .at = {1255, 41},
                                   .mean = 44.69,
                                   .psnr = 12.32,
                                   .ssim = 0.3651};
      ui.frame(4);
      EXPECT_LE(ui::item_rectangle("difference-card")->to.y, bar + 1) << size.x;
      EXPECT_EQ(ui::layout_faults(), std::vector<std::string>()) << size.x;
    }
    ui.click("difference-largest");
    EXPECT_EQ(ui.settings.inspect.pinned, (PixelAddress{1255, 41}));
    ui.settings.group().view = View::difference;
    ui.pictures.assign(2, {0, 0, width, ui.layout.picture_height});  // zoomed in: no bar
    ui.frame(4);
    EXPECT_LE(ui::item_rectangle("difference-card")->to.x, 340);
  }
}

TEST(DifferenceCard, CanBeClickedWhileTheLargestDifferenceMoves) {
  Harness ui(different_sample());
  ui.frame(4);
  ui.move_to("difference-largest");
  ui.frame(2);
  ui.press();
  ui.stats.difference.found.at = {500, 20};
  ui.frame();
  ui.release();
  EXPECT_EQ(ui.settings.inspect.pinned, (PixelAddress{500, 20}));
}

TEST(DifferenceCard, SaysIdenticalAndShowsNoFiguresOfOtherPanes) {
  Harness ui(different_sample());
  ui.stats.difference.found = {.pixels = 921600, .psnr = std::numeric_limits<double>::infinity(), .ssim = 1};
  ui.frame(4);
  EXPECT_EQ(ui::item_rectangle("difference-largest"), nullptr) << "there is no largest";
  EXPECT_NE(ui::item_rectangle("difference-card"), nullptr);
  const ui::ItemRectangle card = *ui::item_rectangle("difference-card");
  const float pane = ui.layout.picture_width * ui.layout.picture_height;
  EXPECT_LT((card.to.x - card.from.x) * (card.to.y - card.from.y), pane / 10);
  ui.stats.difference = {};
  ui.stats.difference.found.different = 5;
  ui.frame(4);
  EXPECT_EQ(ui::item_rectangle("difference-largest"), nullptr);
}

TEST(DifferenceCard, SaysThatOfALayerWhatIsDrawnWasCompared) {
  Sample s = layer_sample();
  s.settings.group().panes.push_back(s.settings.group().panes[0]);
  s.stats.panes.push_back(s.stats.panes[0]);
  s.settings.group().panes[1].id = s.stats.panes[1].id = 99;
  for (PaneStats& pane : s.stats.panes)
    pane.wall = Wall{.maps = 16, .map_width = 160, .map_height = 90, .width = 160, .height = 90};
  s.settings.group().view = View::difference;
  s.stats.difference = {.first = 0, .second = 1};
  s.stats.difference.found = {.pixels = 14400, .psnr = std::numeric_limits<double>::infinity(), .ssim = 1};
  Harness ui(s);
  ui.frame(4);
  EXPECT_TRUE(says("All " + ui::format_count(14400) + " drawn pixels are the same"));
  EXPECT_TRUE(says(ui::format_count(230400) + " outputs"));
  ui.stats.difference.found.different = 5;
  ui.frame(4);
  EXPECT_TRUE(says("5 of " + ui::format_count(14400) + " drawn pixels differ"));
  for (PaneStats& pane : ui.stats.panes) pane.wall->frames = true;
  ui.stats.difference.found.different = 0;
  ui.frame(4);
  EXPECT_FALSE(says(ui::format_count(230400))) << "a frame is seen";
}

TEST(DifferenceCard, WhatIsTheSameIsToldWholeAboveAPicture) {
  Sample s = layer_sample();
  s.settings.group().panes.push_back(s.settings.group().panes[0]);
  s.stats.panes.push_back(s.stats.panes[0]);
  s.settings.group().panes[1].id = s.stats.panes[1].id = 99;
  for (PaneStats& pane : s.stats.panes)
    pane.wall = Wall{.maps = 16, .map_width = 1280, .map_height = 720, .width = 1280, .height = 720};
  s.settings.group().view = View::difference;
  s.stats.difference = {.first = 0, .second = 1, .frame = 238};
  s.stats.difference.found = {.pixels = 921600, .psnr = std::numeric_limits<double>::infinity(), .ssim = 1};
  Harness ui(s, 1280, 720);
  const UiLayout::Pane below{0, 84, ui.layout.picture_width, 500};
  ui.panes = ui.pictures = {below, below};
  ui.frame(4);
  EXPECT_TRUE(says("All " + ui::format_count(921600) + " drawn pixels are the same, frame 239."));
  EXPECT_TRUE(says("outputs were not compared themselves."));
}

TEST(DifferenceCard, SaysWhichPaneItWaitsFor) {
  Harness ui(different_sample());
  ui.stats.difference = {.shown = false, .waits_for = 1};
  PaneStats& pane = ui.stats.panes[1];
  pane.frames_behind = 32;
  ui.frame(4);
  EXPECT_TRUE(says("Waits for pane 2, which is 32 frames behind."));
  pane.frames_behind = -1;
  pane.frame_number = 6;
  ui.frame();
  EXPECT_TRUE(says("which is still at frame 7."));
  pane.of_source_before = true;
  ui.frame();
  EXPECT_TRUE(says("which still shows the previous source."));
  pane.stands_in = true;
  ui.frame();
  EXPECT_TRUE(says("which has no filtered picture yet."));
  ui.stats.sweep.measuring = true;
  ui.frame();
  EXPECT_TRUE(says("Waits for pane 2, until the sweep has measured."));
  ui.stats.sweep.measuring = false;
  ui.stats.difference = {};
  ui.frame();
  EXPECT_TRUE(says("The difference is being measured."));
  Harness small(different_sample(), 640, 480);
  const auto card_height = [&] {
    small.frame(4);
    return area_of(*ui::item_rectangle("difference-card")).height;
  };
  small.stats.difference = {.first = 0, .second = 1};
  const float identical = card_height();
  small.stats.difference = {.shown = false, .waits_for = 0};
  small.stats.panes[0].stands_in = true;
  EXPECT_GT(card_height(), identical) << "in as many lines as it takes";
}

TEST(DifferenceCard, ComparesNothingWithAPaneThatDoesNotRun) {
  for (const std::size_t pane : {0u, 1u}) {
    Harness ui(different_sample());
    ui.stats.panes[pane].problem = "Nothing can run here.";
    ui.frame(4);
    EXPECT_NE(ui::item_rectangle("difference-card"), nullptr);
    EXPECT_EQ(ui::item_rectangle("difference-largest"), nullptr) << "both show the source";
  }
}

}  // namespace
}  // namespace convoscope::test
