// Where the values of a pixel lie in a small window.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "app/ui/cards/cards.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/places/on_screen.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

class SmallWindow : public ::testing::Test {
 protected:
  SmallWindow() {
    ui.settings.group().view = View::grid;
    ui.settings.show_hint = false;
    ui.stats.messages.clear();
    ui.frame(2);
    const float width = ui.layout.picture_width / 2, height = ui.layout.picture_height / 2;
    for (const float y : {0.0f, height})
      for (const float x : {0.0f, width})
        ui.panes.push_back({ui.layout.picture_x + x, ui.layout.picture_y + y, width, height});
    ui.pictures = ui.panes;
    ui.settings.inspect.magnifier = ui.settings.inspect.values = true;
    PixelPatch patch;
    patch.area = {0, 0, 15, 15};
    patch.pixels.assign(15 * 15, 0xFF8040C0u);
    inspect().patches.assign(4, patch);
    inspect().values.assign(4, patch.at(5, 5));
  }
  InspectStats& inspect() { return ui.stats.inspect; }
  void look_at(int pane, int tenth) {
    inspect().pane = pane;
    inspect().pixel = PixelAddress{ui.stats.source.width * tenth / 10, ui.stats.source.height * tenth / 10};
    ui.settings.inspect.pinned = inspect().pixel;
    ui.move(-100, -100);
    ui.frame(3);
  }
  ui::Area card(int pane) { return ui::card_parts(ui.stats, ui.settings, ui.layout, pane).card; }
  void expect_apart() {
    const ui::ItemRectangle* const box = ui::item_rectangle("inspection");
    if (!box) return;
    const PixelAddress at = *inspect().pixel;
    EXPECT_FALSE(ui::overlap(area_of(*box), ui::on_screen(ui.layout, ui.stats, inspect().pane, {at.x, at.y, 1, 1})));
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(ui::overlap(area_of(*box), card(i))) << "card " << i + 1;
  }
  Harness ui{panes_sample(4), 640, 480};
};

TEST_F(SmallWindow, TheValuesCoverNeitherTheirPixelNorACard) {
  for (int pane = 0; pane < 4; ++pane)
    for (const int tenth : {0, 2, 4, 5, 8}) {
      SCOPED_TRACE(std::to_string(tenth) + " tenths, pane " + std::to_string(pane + 1));
      look_at(pane, tenth);
      EXPECT_NE(ui::item_rectangle("inspection"), nullptr);
      expect_apart();
    }
}

TEST_F(SmallWindow, TheValuesMakeWayForTheCardThatTheMouseOpens) {
  for (int pane = 0; pane < 4; ++pane) {
    look_at(0, 5);
    const ui::Area closed = card(pane);
    if (closed.width <= 0) continue;
    ui.move(closed.x + closed.width / 2, closed.y + closed.height / 2);
    ui.frame(60);
    EXPECT_TRUE(ui::ui_state().hovered_card.open);
    SCOPED_TRACE("card " + std::to_string(pane + 1));
    expect_apart();
  }
}

TEST_F(SmallWindow, ThePixelIsNotCoveredHoweverLittleRoomThereIs) {
  for (const auto& [width, height] : {std::pair{640.0f, 480.0f}, {480.0f, 320.0f}, {360.0f, 240.0f}, {300.0f, 200.0f}})
    for (const int tenth : {2, 5, 8}) {
      ui.resize(width, height);
      ui.pictures.clear();
      ui.panes.clear();
      SCOPED_TRACE(std::to_string(width) + ", " + std::to_string(tenth) + " tenths");
      ui.frame();
      ui.panes =
          ui.pictures = {{ui.layout.picture_x, ui.layout.picture_y, ui.layout.picture_width, ui.layout.picture_height}};
      look_at(0, tenth);
      expect_apart();
    }
}

}  // namespace
}  // namespace convoscope::test
