// The row under the mouse stays there, whatever a click in it makes of the rows above and below.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

float top_of(const std::string& item) { return ui::item_rectangle(item)->from.y; }

// The View panel in sight, with those above it open.
void show_view_panel(Harness& ui) {
  ui.settings.open_panels = {"filter", "strategy", "timing"};
  ui.frame(3);
  ui.key(ui::key::f(6));
  ui.frame(10);
}

void point_at(Harness& ui, const std::string& item) {
  ui.move_to(item);
  ui.frame(3);
}

TEST(HeldRow, StaysWhereWhatIsAboveItVanishes) {
  Harness ui(typical_sample(), 1600, 700);
  show_view_panel(ui);
  point_at(ui, "backend/cpu");
  const float before = top_of("backend/cpu");
  const std::size_t panes = ui.stats.panes.size();
  ui.stats = cpu_sample().stats;  // other kernels, other rows of the ladder, no health of a device
  ui.stats.panes.clear();
  ui.frame(6);
  EXPECT_NEAR(top_of("backend/cpu"), before, 1.5);
  ui.stats = typical_sample().stats;
  ASSERT_EQ(ui.stats.panes.size(), panes);
  ui.frame(6);
  EXPECT_NEAR(top_of("backend/cpu"), before, 1.5);
}

// There is nothing to scroll up to: blank space takes the place of what is gone.
TEST(HeldRow, StaysWhereThereIsNothingToScrollTo) {
  Harness ui(typical_sample(), 1600, 900);
  ui.settings.open_panels = {"filter", "timing"};
  ui.frame(6);
  point_at(ui, "section/Timing");
  const float before = top_of("section/Timing");
  ui.settings.open_panels = {"timing"};
  ui.frame(8);
  EXPECT_NEAR(top_of("section/Timing"), before, 1.5);
  ui.move(300, 300);  // which has left the column: there the blank is not needed
  ui.frame(6);
  EXPECT_LT(top_of("section/Timing"), before - 100);
  EXPECT_LT(top_of("section/Source"), 140);
}

TEST(HeldRow, StaysWhereWhatIsBelowItVanishes) {
  Harness ui(typical_sample(), 1600, 700);
  show_view_panel(ui);
  ui.settings.open_panels.insert("recording");
  ui.frame(6);
  ui.key(ui::key::f(6));
  ui.key(ui::key::f(6));
  ui.frame(10);
  point_at(ui, "zoom");
  const float before = top_of("zoom");
  ui.settings.open_panels.erase("recording");
  ui.frame(6);
  EXPECT_NEAR(top_of("zoom"), before, 1.5);
}

TEST(HeldRow, LetsTheWheelScroll) {
  Harness ui(typical_sample(), 1600, 700);
  show_view_panel(ui);
  point_at(ui, "zoom");
  const float before = top_of("zoom");
  ImGui::GetIO().MouseWheel = 1;
  ui.frame(4);
  EXPECT_GT(top_of("zoom"), before + 20);
}

TEST(HeldRow, NoViewMovesTheRowsOfItsPanel) {
  Harness ui(panes_sample(3), 1600, 900);
  show_view_panel(ui);
  ui.settings.group().view = View::single;
  ui.frame(4);
  const float before = top_of("format/rgba8");
  for (const View view : {View::grid, View::split, View::difference, View::blink, View::single}) {
    ui.settings.group().view = view;
    ui.frame(4);
    EXPECT_NEAR(top_of("format/rgba8"), before, 1.5) << static_cast<int>(view);
  }
}

// What chooses among the others belongs to the backend at work, and so is above or below the rest of the list.
TEST(HeldRow, OfTheStrategiesStaysWhereAnotherBackendHasOthersAboveIt) {
  Stats cuda = typical_sample().stats, cpu = cpu_sample().stats;
  const auto row = std::ranges::find_if(cpu.ladder, [](const StrategyRow& r) { return r.strategy->id == "auto"; });
  std::rotate(cpu.ladder.begin() + 3, row, row + 1);
  for (const char* const item : {"strategy/global", "strategy/tiled-halo", "strategy/auto", "strategy/cpu-direct"}) {
    Harness ui(typical_sample(), 1600, 900);
    ui.settings.open_panels = {"strategy"};
    ui.settings.group().panes[0].strategy = "auto";
    ui.stats = cpu;
    ui.frame(6);
    point_at(ui, item);
    const float before = top_of(item);
    for (const Stats* const stats : {&cuda, &cpu, &cuda, &cpu}) {
      ui.stats = *stats;
      ui.frame(6);
      EXPECT_NEAR(top_of(item), before, 1.5) << item << " of " << stats->backend;
    }
  }
}

}  // namespace
}  // namespace convoscope::test
