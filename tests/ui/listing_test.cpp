// The source of a strategy beside its picture.
#include <gtest/gtest.h>

#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/widgets.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

// Whose ladder is the program's own, so that its strategies have sources.
Sample with_real_ladder() {
  Sample sample = typical_sample();
  sample.stats.ladder.clear();
  for (const Strategy* const strategy : strategies(Backend::cpu))
    sample.stats.ladder.push_back({.strategy = strategy, .backend = Backend::cpu, .available = true});
  sample.settings.active().strategy = "cpu-direct";
  sample.stats.panes[0].strategy = sample.stats.panes[0].runs = "cpu-direct";
  return sample;
}

TEST(ListingSheet, OpensByKeyByButtonAndClosesByEscape) {
  Harness ui(with_real_ladder());
  ui.settings.open_panels = {"strategy"};
  EXPECT_FALSE(drawn(ui, "listing"));
  ui.key('K', ui::key::shift);
  ui.frame(3);
  EXPECT_TRUE(drawn(ui, "listing"));
  EXPECT_TRUE(says("7-cores/cpu-direct.cpp") || says("cpu-direct.cpp"));
  ui.key(ui::key::escape);
  ui.frame(2);
  EXPECT_FALSE(ui.settings.inspect.listing);
  ui.click("show-listing");
  EXPECT_TRUE(ui.settings.inspect.listing);
}

TEST(ListingSheet, LeavesTheStageToThePictureAlsoInANarrowWindow) {
  for (const float width : {1600.0f, 1280.0f, 640.0f}) {
    Harness ui(with_real_ladder(), width, 720);
    ui.settings.inspect.listing = true;
    ui.frame(4);
    ASSERT_TRUE(drawn(ui, "listing")) << width;
    const ui::Area sheet = area_of(*ui::item_rectangle("listing"));
    const ui::Area stage = ui::picture_area(ui.layout);
    EXPECT_FALSE(overlap(sheet, stage)) << width;
    EXPECT_GE(sheet.width, 250) << width;
    EXPECT_TRUE(ui::layout_faults().empty()) << width << ": " << ui::layout_faults().front();
  }
}

TEST(ListingSheet, SaysSoWhereNothingIsComputed) {
  Harness ui(with_real_ladder(), 1600, 1000);
  ui.settings.inspect.listing = true;
  ui.settings.active().strategy = "source";
  ui.frame(4);
  EXPECT_NE(all_said().find("This pane computes nothing."), std::string::npos);
}

}  // namespace
}  // namespace convoscope::test
