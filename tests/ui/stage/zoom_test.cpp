#include <gtest/gtest.h>

#include <cmath>

#include "app/ui/memory/ui_state.h"
#include "app/ui/places/layout.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

// The point of the picture (0…1) that is seen at a place on the screen: the compositor's rule, written once more.
ImVec2 under(const Settings& settings, const Stats& stats, const ui::Area& area, float x, float y) {
  const double fit = std::min(area.width / (stats.source.width * stats.source.pixel_aspect),
                              static_cast<double>(area.height) / stats.source.height);
  const double width = stats.source.width * stats.source.pixel_aspect * fit * settings.zoom.scale;
  const double height = stats.source.height * fit * settings.zoom.scale;
  const double left = area.x + area.width / 2.0 - settings.zoom.centre_x * width,
               top = area.y + area.height / 2.0 - settings.zoom.centre_y * height;
  return {static_cast<float>((x - left) / width), static_cast<float>((y - top) / height)};
}

TEST(Zoom, ThePointUnderTheCursorStays) {
  for (const double aspect : {1.0, 2.0, 0.5}) {
    Harness ui;
    ui.stats.source.pixel_aspect = aspect;
    ui.frame();
    const ui::Area area = ui::picture_area(ui.layout);
    const float x = area.x + area.width * 0.45f, y = area.y + area.height * 0.6f;
    const ImVec2 before = under(ui.settings, ui.stats, area, x, y);
    for (const float notches : {1.0f, 3.0f, -1.5f, 7.0f, -5.0f}) {
      handle_wheel(notches, x, y, ui.layout, ui.stats, ui.settings);
      const ImVec2 after = under(ui.settings, ui.stats, area, x, y);
      EXPECT_NEAR(after.x, before.x, 1e-5);
      EXPECT_NEAR(after.y, before.y, 1e-5);
    }
    EXPECT_GT(ui.settings.zoom.scale, 2);
  }
}

TEST(Zoom, InAGridThePaneUnderTheCursorCounts) {
  Harness ui(panes_sample(4));
  ui.frame();
  const ui::Area area = ui::pane_area(ui.settings, ui.layout, 3);
  const float x = area.x + area.width * 0.6f, y = area.y + area.height * 0.5f;
  const ImVec2 before = under(ui.settings, ui.stats, area, x, y);
  handle_wheel(4, x, y, ui.layout, ui.stats, ui.settings);
  EXPECT_NEAR(under(ui.settings, ui.stats, area, x, y).x, before.x, 1e-5);
}

TEST(Zoom, DraggingMovesThePictureWithTheMouse) {
  Harness ui;
  ui.frame();
  ui.settings.zoom = {4, 0.5, 0.5};
  const ui::Area area = ui::picture_area(ui.layout);
  const ImVec2 before = under(ui.settings, ui.stats, area, 400, 300);
  handle_drag(35, -20, ui.layout, ui.stats, ui.settings);
  const ImVec2 after = under(ui.settings, ui.stats, area, 435, 280);
  EXPECT_NEAR(after.x, before.x, 1e-5);
  EXPECT_NEAR(after.y, before.y, 1e-5);
}

TEST(Zoom, StaysInRangeWhateverHappens) {
  Harness ui;
  ui.frame();
  for (int i = 0; i < 200; ++i) handle_wheel(5, 10, 10, ui.layout, ui.stats, ui.settings);
  EXPECT_LE(ui.settings.zoom.scale, 100);
  for (int i = 0; i < 400; ++i) handle_wheel(-5, 900, 600, ui.layout, ui.stats, ui.settings);
  EXPECT_GE(ui.settings.zoom.scale, 0.1);
  handle_drag(1e9f, -1e9f, ui.layout, ui.stats, ui.settings);
  EXPECT_EQ(ui.settings.zoom.centre_x, 0);
  EXPECT_EQ(ui.settings.zoom.centre_y, 1);
  handle_wheel(1e30f, 500, 500, ui.layout, ui.stats, ui.settings);
  EXPECT_TRUE(std::isfinite(ui.settings.zoom.scale));
  ui.stats.source.width = ui.stats.source.height = 0;
  handle_wheel(1, 500, 500, ui.layout, ui.stats, ui.settings);
  handle_drag(5, 5, ui.layout, ui.stats, ui.settings);
  EXPECT_TRUE(std::isfinite(ui.settings.zoom.centre_x));
}

TEST(Zoom, TheWheelOverThePanelsIsNotForThePicture) {
  Harness ui;
  ui.frame();
  handle_wheel(3, 1500, 100, ui.layout, ui.stats, ui.settings);
  EXPECT_EQ(ui.settings.zoom.scale, 1);
}

TEST(Panes, ThePlacesThatTheCompositorGaveAreUsed) {
  Harness ui(panes_sample(2));
  UiLayout layout;
  layout.picture_width = 1000;
  layout.picture_height = 500;
  layout.panes = {{0, 0, 300, 500}, {300, 0, 700, 500}};
  ui.settings.group().view = View::grid;
  EXPECT_EQ(ui::pane_at(ui.settings, layout, 299, 10), 0);
  EXPECT_EQ(ui::pane_at(ui.settings, layout, 301, 10), 1);
  EXPECT_EQ(ui::pane_at(ui.settings, layout, 1001, 10), -1);
}

}  // namespace
}  // namespace convoscope::test
