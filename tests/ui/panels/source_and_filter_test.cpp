// What is recent, by keys; and what a filter's parameters say.
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>

#include "app/ui/keys/keys.h"
#include "app/ui/parts/lists.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

TEST(SourcePanel, ArrowsAndLettersFindWhatIsRecentAndEnterOpensIt) {
  Harness ui;
  ui.settings.open_panels = {"source"};
  ui.settings.recent = {"/videos/city.mp4", "pattern", "/videos/tree.png", "camera:0"};
  ui.settings.source.input = "/videos/city.mp4";
  const auto take = [&](std::initializer_list<int> keys, const std::string& letters) {
    ui.take_requests();
    ui.click("recent");
    ui.frame(2);
    for (const int key : keys) {
      EXPECT_TRUE(ui.key(key));
      ui.frame();
    }
    if (!letters.empty()) ui.type(letters);
    ui.key(ui::key::enter);
    ui.frame(2);
    EXPECT_FALSE(ui::is_menu_open());
    return ui.requests.open;
  };
  EXPECT_EQ(take({ui::key::down, ui::key::down}, ""), "/videos/tree.png");
  EXPECT_EQ(take({ui::key::end}, ""), "camera:0");
  EXPECT_EQ(take({}, "pat"), "pattern");
  EXPECT_EQ(take({}, "tre"), "/videos/tree.png") << "by the name of the file";
}

TEST(FilterPanel, ADoubleClickOnASliderOrItsValueLetsANumberBeTyped) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  ui.filter() = parse_filter("gaussian:radius=3");
  ui.double_click("parameter/radius");
  EXPECT_EQ(ui.filter().values[0], 3) << "where the knob was clicked is not what was meant";
  ui.type("9");
  EXPECT_EQ(ui.filter().values[0], 9);
  ui.click("border/zero");  // elsewhere
  const ui::ItemRectangle track = *ui::item_rectangle("parameter/radius");
  const ImVec2 value{track.to.x + 30, track.centre().y};
  ui.double_click_at(value.x, value.y);
  ui.type("12");
  EXPECT_EQ(ui.filter().values[0], 12);
  ui.type("999");
  EXPECT_EQ(ui.filter().values[0], find_filter_kind("gaussian")->parameters[0].maximum) << "no more than it can be";
}

TEST(FilterPanel, ARadiusThatFollowsTheOtherSaysAuto) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  ui.filter() = parse_filter("box:radius=3");
  ui::watch_items(true);
  ui.frame(3);
  EXPECT_EQ(std::ranges::count(ui::drawn_texts(), "auto", &ui::DrawnText::text), 2);
  EXPECT_FALSE(says("−1"));
  ui.filter() = parse_filter("box:radius=3,rx=5");
  ui.frame(3);
  EXPECT_EQ(std::ranges::count(ui::drawn_texts(), "auto", &ui::DrawnText::text), 1);
}

}  // namespace
}  // namespace convoscope::test
