// The line at the foot of a pane that another strategy filters than the chosen one: how much of the room it takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "app/ui/parts/theme.h"
#include "app/ui/stage/wall_overlay.h"
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

// A wall of 16 maps that leaves a bar of the pane free: above and below itself, or at its sides.
TEST(SubstituteNotice, KeepsOffTheMapsWhereThereIsRoomBesideThem) {
  for (const bool sides : {false, true})
    for (const float bar : {60.0f, 150.0f, 260.0f}) {
      if (sides && bar < 200) continue;  // not even a button has room
      SCOPED_TRACE(std::to_string(bar) + (sides ? " at the sides" : " above and below"));
      Sample sample = layer_sample();
      const PaneStats other = substitute_sample().stats.panes[0];
      sample.settings.panes[0].strategy = "winograd";
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

}  // namespace
}  // namespace convoscope::test
