// The line at the foot of a pane that another strategy filters than the chosen one: how much of the room it takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "app/ui/parts/theme.h"
#include "app/ui/places/wall_overlay.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

const std::string winograd_refused_for = "Winograd's tiles are for 3 × 3 filters; this one is 9 × 9";

TEST(SubstituteNotice, IsOneLineWhereThereIsRoom) {
  Harness ui(substitute_sample(), 1600, 900);
  ui.frame(3);
  const auto notice = std::ranges::find_if(ui::drawn_texts(), [](const ui::DrawnText& drawn) {
    return drawn.text.starts_with("Runs constant, as winograd cannot run");
  });
  ASSERT_NE(notice, ui::drawn_texts().end());
  EXPECT_EQ(notice->text.find('\n'), std::string::npos) << notice->text;
  EXPECT_TRUE(notice->text.ends_with(winograd_refused_for + "."));
}

// What runs is still said elsewhere; another reason is another notice.
TEST(SubstituteNotice, CanBePutAwayUntilThereIsAnotherReason) {
  Harness ui(substitute_sample(), 1600, 900);
  ui.click("pane/1/close-notice");
  EXPECT_FALSE(drawn(ui, "pane/1/why-substitute"));
  EXPECT_EQ(ui.settings.group().panes[0].strategy, "winograd");
  ui.stats.panes[0].why_substitute = "winograd cannot run: There is no memory for it. constant runs instead.";
  EXPECT_TRUE(drawn(ui, "pane/1/why-substitute"));
  EXPECT_TRUE(ui::layout_faults().empty()) << ui::layout_faults().front();
}

// A wall of 16 maps that leaves a bar of the pane free: above and below itself, or at its sides.
TEST(SubstituteNotice, KeepsOffTheMapsWhereThereIsRoomBesideThem) {
  for (const bool sides : {false, true})
    for (const float bar : {60.0f, 150.0f, 260.0f}) {
      if (sides && bar < 200) continue;  // not even a button has room
      SCOPED_TRACE(std::to_string(bar) + (sides ? " at the sides" : " above and below"));
      Sample sample = layer_sample();
      const PaneStats other = substitute_sample().stats.panes[0];
      sample.settings.group().panes[0].strategy = "winograd";
      PaneStats& pane = sample.stats.panes[0];
      pane.strategy = "winograd", pane.runs = pane.substitute = other.substitute;
      pane.why_substitute = other.why_substitute;
      Harness ui(sample, 1600, 900);
      ui.frame(2);
      const ui::Area stage = ui::picture_area(ui.layout);
      ui.panes = {{stage.x, stage.y, stage.width, stage.height}};
      ui.pictures = {sides ? UiLayout::Pane{stage.x + bar, stage.y, stage.width - 2 * bar, stage.height}
                           : UiLayout::Pane{stage.x, stage.y + bar, stage.width, stage.height - 2 * bar}};
      ui.frame(3);
      const ui::ItemRectangle* const line = ui::item_rectangle("substitute/1");
      ASSERT_NE(line, nullptr);
      const std::vector<ui::Area> maps = ui::maps_on_screen(ui.stats, ui.settings, ui.layout, 0);
      ASSERT_EQ(maps.size(), 16u);
      for (const ui::Area& map : maps) EXPECT_FALSE(ui::overlap(area_of(*line), map));
    }
}

// The pixel under the cursor, as the program finds it: a line that the mouse is on hides it, and with it the values.
class NoticeAndValues : public ::testing::Test {
 protected:
  NoticeAndValues() {
    ui.settings.show_hint = false;
    ui.stats.messages.clear();
    for (std::size_t i = 0; i < 2; ++i) {
      PaneStats& pane = ui.stats.panes[i];
      pane.runs = pane.substitute = "cpu-parallel";
      pane.why_substitute = ui.settings.group().panes[i].strategy +
                            " cannot run: Its tiles are for filters of 3 × 3, and this one has 9 × 9. cpu-parallel "
                            "runs instead.";
    }
    ui.settings.inspect.values = true;
    ui.frame(2);
    const ui::Area stage = ui::picture_area(ui.layout);
    const float height = stage.height / 2, width = height * 16 / 9;
    for (const float y : {0.0f, height}) {
      ui.panes.push_back({stage.x, stage.y + y, stage.width, height});
      ui.pictures.push_back({stage.x + (stage.width - width) / 2, stage.y + y, width, height});
    }
  }
  void frame() {
    InspectStats& inspect = ui.stats.inspect;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    inspect = {};
    inspect.pane = ImGui::GetIO().WantCaptureMouse ? -1 : ui::pane_at(ui.settings, ui.layout, mouse.x, mouse.y);
    if (inspect.pane >= 0) {
      const UiLayout::Pane& picture = ui.pictures[static_cast<std::size_t>(inspect.pane)];
      const ui::Area area{picture.x, picture.y, picture.width, picture.height};
      PixelPatch patch;
      patch.area = {0, 0, 1, 1};
      patch.pixels.assign(1, 0xFF8040C0u);
      inspect.patches.assign(2, patch);
      inspect.values.assign(2, patch.at(0, 0));
      if (area.contains(mouse.x, mouse.y))
        inspect.pixel = inspect.under_cursor = PixelAddress{
            static_cast<int>((mouse.x - area.x) / area.width * static_cast<float>(ui.stats.source.width)),
            static_cast<int>((mouse.y - area.y) / area.height * static_cast<float>(ui.stats.source.height))};
    }
    ui.frame();
  }
  // Where everything is that may move.
  std::string places() const {
    std::string all;
    for (const char* const id : {"inspection", "substitute/1", "substitute/2"})
      if (const ui::ItemRectangle* const at = ui::item_rectangle(id))
        all += std::string(id) + " at " + std::to_string(at->from.x) + ", " + std::to_string(at->from.y) + "; ";
    return all;
  }
  Harness ui{panes_sample(2), 1280, 720};
};

TEST_F(NoticeAndValues, StayWhereTheyAreWhileTheMouseRests) {
  for (const float scale : {1.0f, 1.4f}) {
    ui.settings.ui_scale = scale;
    int shown = 0;
    for (int x = 200; x < static_cast<int>(ui.layout.picture_width); x += 120)
      for (int y = 20; y < static_cast<int>(ui.layout.picture_height); y += 22) {
        ui.move(static_cast<float>(x), static_cast<float>(y));
        for (int i = 0; i < 4; ++i) frame();
        const std::string before = places();
        shown += before.find("inspection") != std::string::npos;
        for (int i = 0; i < 3; ++i) {
          frame();
          ASSERT_EQ(places(), before) << "the mouse rests at " << x << ", " << y << ", scale " << scale;
        }
      }
    EXPECT_GT(shown, 20);
  }
}

// Who goes to a line, to press its button, finds it where it was.
TEST_F(NoticeAndValues, TheValuesKeepOffALineWhereThereIsOtherRoom) {
  ui.move(-1000, -1000);
  frame();
  frame();
  const ui::ItemRectangle* const line = ui::item_rectangle("substitute/2");
  ASSERT_NE(line, nullptr);
  const ui::Area at_rest = area_of(*line);
  for (float y = at_rest.y - 200; y < at_rest.y; y += 10) {
    ui.move(at_rest.x + at_rest.width / 2, y);
    for (int i = 0; i < 3; ++i) frame();
    ASSERT_NE(ui::item_rectangle("inspection"), nullptr) << y;
    ASSERT_NE(ui::item_rectangle("substitute/2"), nullptr) << y;
    EXPECT_EQ(ui::item_rectangle("substitute/2")->from.y, at_rest.y) << y;
  }
}

}  // namespace
}  // namespace convoscope::test
