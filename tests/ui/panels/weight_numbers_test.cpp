// The numbers of a grid of weights are written alike, and what is small looks small.
#include "app/ui/weights/weight_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "app/ui/weights/weight_grid.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

// Of the numbers in the grid: how many figures each has behind its point, and how high it is.
struct Look {
  std::set<std::size_t> decimals;
  std::set<int> heights;
};

Look look_of(Harness& ui, const std::string& filter) {
  ui.filter() = parse_filter(filter);
  ui.frame(3);
  const ui::ItemRectangle grid = *ui::item_rectangle("weights");
  Look look;
  for (const ui::DrawnText& drawn : ui::drawn_texts()) {
    if (drawn.at.from.x < grid.from.x || drawn.at.to.x > grid.to.x || drawn.at.from.y < grid.from.y ||
        drawn.at.to.y > grid.to.y)
      continue;
    const std::size_t point = drawn.text.find('.');
    if (drawn.text != "0") look.decimals.insert(point == std::string::npos ? 0 : drawn.text.size() - point - 1);
    look.heights.insert(static_cast<int>(drawn.at.to.y - drawn.at.from.y));
  }
  return look;
}

TEST(WeightNumbers, HaveOneSizeAndOneNumberOfDecimals) {
  Harness ui(typical_sample(), 1600, 1200);
  ui.settings.open_panels = {"filter"};
  for (const char* const filter : {"gaussian:radius=1", "gaussian:radius=2", "gaussian:radius=3", "log:radius=2",
                                   "0.0001 0.25 0; -0.5 1 3; 0 0 0", "sobel-x", "box:radius=2", "unsharp:radius=3"}) {
    const Look look = look_of(ui, filter);
    EXPECT_EQ(look.decimals.size(), 1u) << filter;
    EXPECT_EQ(look.heights.size(), 1u) << filter;
  }
}

TEST(WeightNumbers, OneThatIsNearlyZeroHasHardlyAColour) {
  Harness ui;
  for (const bool light : {false, true}) {
    ui.settings.light_theme = light;
    ui.frame(2);
    const auto colourfulness = [](float weight) {
      const ImVec4 c = ImGui::ColorConvertU32ToFloat4(ui::weight_tint(weight, 0.25f));
      return std::max({c.x, c.y, c.z}) - std::min({c.x, c.y, c.z});
    };
    EXPECT_LT(colourfulness(0.0001f), colourfulness(0.25f) / 5) << light;
    EXPECT_LT(colourfulness(-0.0001f), colourfulness(-0.25f) / 5) << light;
  }
}

}  // namespace
}  // namespace convoscope::test
