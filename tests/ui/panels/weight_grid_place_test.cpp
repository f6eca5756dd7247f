// Where the grid of weights and the filter's parameters lie while weights are edited.
#include <gtest/gtest.h>

#include "app/ui/keys/keys.h"
#include "app/ui/parts/marks.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

using namespace ui::key;

TEST(WeightGridPlace, StaysUnderTheMouseWhenAnEditMakesTheFilterACustomOne) {
  for (const char* const kind : {"gaussian", "box:radius=2", "binomial", "unsharp", "sobel-x", "identity", "sharpen"}) {
    Harness ui(typical_sample(), 1600, 1200);
    ui.settings.open_panels = {"filter"};
    ui.filter() = parse_filter(kind);
    ui.click("weights");
    const ui::ItemRectangle before = *ui::item_rectangle("weights");
    ui.key(ui::key::page_up);
    ASSERT_EQ(ui.filter().kind, "custom") << kind;
    ui.frame(3);
    EXPECT_EQ(ui::item_rectangle("weights")->from.y, before.from.y) << kind;
    EXPECT_EQ(ui::item_rectangle("weights")->from.x, before.from.x) << kind;
    EXPECT_NE(ui::item_rectangle("parameter/rx"), nullptr) << kind << ": its size can still be set";
    EXPECT_NE(ui::item_rectangle("parameter/ry"), nullptr) << kind;
    ImGui::SetClipboardText("no matrix");
    ui.key('V', ui::key::control);
    ui.frame(3);
    EXPECT_EQ(ui::item_rectangle("weights")->from.y, before.from.y) << kind << ": what went wrong is told elsewhere";
  }
}

TEST(WeightGridPlace, ParametersOfTheSameNameStayWhereTheyAre) {
  Harness ui(typical_sample(), 1600, 1200);
  ui.settings.open_panels = {"filter"};
  ui.filter() = parse_filter("box:radius=2");
  ui.click("weights");
  const float x = ui::item_rectangle("parameter/rx")->from.y, y = ui::item_rectangle("parameter/ry")->from.y;
  ui.key(page_up);
  ASSERT_EQ(ui.filter().kind, "custom");
  ui.frame(3);
  EXPECT_EQ(ui::item_rectangle("parameter/rx")->from.y, x);
  EXPECT_EQ(ui::item_rectangle("parameter/ry")->from.y, y);
}

TEST(WeightGridPlace, BothRadiiStandTogether) {
  for (const char* const kind : {"gaussian", "box:radius=2", "sobel-x", "1 2 3; 4 5 6; 7 8 9"}) {
    Harness ui(typical_sample(), 1600, 1200);
    ui.settings.open_panels = {"filter"};
    ui.filter() = parse_filter(kind);
    ui.click("weights");
    ui.key(page_up);
    ui.frame(3);
    const float weights = ui::item_rectangle("weights")->from.y;
    EXPECT_EQ(ui::item_rectangle("parameter/rx")->from.y < weights,
              ui::item_rectangle("parameter/ry")->from.y < weights)
        << kind;
  }
}

}  // namespace
}  // namespace convoscope::test
