// Where the grid of weights and the filter's parameters lie while weights are edited.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"
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

TEST(WeightGridPlace, ADoubleClickBesideTheOverviewTypesTheWeightUnderIt) {
  Harness ui(typical_sample(), 1600, 1200);
  ui.settings.open_panels = {"filter"};
  ui.filter() = parse_filter("box:radius=63");
  ui.click("overview");
  const ui::GridState& grid = ui::ui_state().grid;
  const int column = grid.column, row = grid.row;
  const ui::ItemRectangle cells = *ui::item_rectangle("weights");
  const float size = (cells.to.x - cells.from.x) / 7;
  ui.double_click_at(cells.from.x + size * 6.5f, cells.from.y + size * 1.5f);
  ui.frame(3);
  EXPECT_TRUE(grid.editing);
  EXPECT_EQ(grid.column, column + 3);
  EXPECT_EQ(grid.row, row - 2);
  ui.type("5");
  ui.key(enter);
  const Filter& filter = ui.filter().filter;
  EXPECT_EQ(filter.weights[static_cast<std::size_t>((row - 2) * filter.width + column + 3)], 5);
}

TEST(WeightGridPlace, EveryWeightBesideTheOverviewIsANumber) {
  for (const char* const kind : {"gaussian:radius=49", "gaussian:radius=12", "box:radius=63"}) {
    Harness ui(typical_sample(), 1600, 1200);
    ui.settings.open_panels = {"filter"};
    ui.filter() = parse_filter(kind);
    ui.click("overview");
    const ui::ItemRectangle cells = *ui::item_rectangle("weights");
    EXPECT_EQ(std::ranges::count_if(ui::drawn_texts(),
                                    [&](const ui::DrawnText& drawn) {
                                      return drawn.at.from.x >= cells.from.x && drawn.at.to.x <= cells.to.x &&
                                             drawn.at.from.y >= cells.from.y && drawn.at.to.y <= cells.to.y;
                                    }),
              49)
        << kind;
  }
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
