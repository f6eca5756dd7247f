// What the right button opens.
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/actions/panel_actions.h"
#include "app/ui/parts/key_codes.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

TEST(ContextMenus, OfAPane) {
  Harness ui(panes_sample(4), 1600, 900);
  ui.frame(2);
  const float x = ui.layout.picture_width * 0.75f, y = ui.layout.picture_height * 0.75f;
  ui.stats.inspect.under_cursor = PixelAddress{7, 9};
  ui.right_click_at(x, y);
  EXPECT_EQ(ui.settings.group().active_pane, 3) << "the menu is of the pane under the cursor";
  ui.stats.inspect.under_cursor.reset();  // the cursor is on the menu
  ui.click("menu/Explain this pixel");
  EXPECT_TRUE(ui.settings.inspect.explain);
  EXPECT_EQ(ui.settings.inspect.pinned, (PixelAddress{7, 9}));
  ui.settings.inspect.explain = false;
  ui.frame(2);
  ui.right_click_at(x, y);
  ui.click("menu/Close the pane");
  EXPECT_EQ(ui.settings.group().panes.size(), 3u);
  ui.right_click_at(x / 3, y / 3);
  ui.click("menu/Save a screenshot");
  EXPECT_TRUE(ui.requests.screenshot);
  ui.right_click_at(x / 3, y / 3);
  ui.move_to("menu/Filter");
  ui.frame(30);
  ui.click("menu/Sharpen");
  EXPECT_EQ(ui.settings.active().filter.kind, "sharpen");
}

TEST(ContextMenus, TypedNamesAndIdsFindAStrategyAndEnterTakesIt) {
  Harness ui(typical_sample(), 1600, 900);
  const auto take = [&](const std::string& list, std::initializer_list<int> keys, const std::string& letters) {
    ui.right_click_at(300, 300);
    ui.move_to("menu/" + list);
    ui.frame(30);
    for (const int key : keys) {
      EXPECT_TRUE(ui.key(key));
      ui.frame();
    }
    ui.type(letters);
    ui.key(ui::key::enter);
    ui.frame(2);
    EXPECT_TRUE(ImGui::GetCurrentContext()->OpenPopupStack.empty());
    return ui.settings.active().strategy;
  };
  EXPECT_EQ(take("Strategy", {}, "tiled-h"), "tiled-halo") << "by its id";
  EXPECT_EQ(take("Strategy", {}, "constant mem"), "constant") << "by its title";
  EXPECT_EQ(take("Strategy", {}, "halo"), "tiled-halo") << "within it, where none begins with it";
  EXPECT_EQ(take("Strategy", {ui::key::home}, ""), "source");
  take("Filter", {}, "shar");
  EXPECT_EQ(ui.filter().kind, "sharpen");
}

TEST(ContextMenus, AreLedThroughByArrowsAndEnter) {
  Harness ui(typical_sample(), 1600, 900);
  const auto open_count = [] { return ImGui::GetCurrentContext()->OpenPopupStack.Size; };
  const auto press = [&](std::initializer_list<int> keys) {
    for (const int key : keys) EXPECT_TRUE(ui.key(key));
  };
  using namespace ui::key;
  ui.right_click_at(300, 300);
  press({down, down, right});
  EXPECT_EQ(open_count(), 2) << "the list of filters";
  press({left});
  EXPECT_EQ(open_count(), 1);
  press({enter});
  EXPECT_EQ(open_count(), 2) << "Enter goes in, too";
  press({home, down, down});
  const std::string_view third = filter_kinds()[2].id;
  press({enter});
  EXPECT_EQ(open_count(), 0);
  EXPECT_EQ(ui.filter().kind, third);

  ui.right_click_at(300, 300);
  press({up, up, up, up, enter});
  EXPECT_TRUE(ui.requests.screenshot) << "the fourth from below";
  EXPECT_EQ(open_count(), 0);

  ui.right_click_at(300, 300);
  ui.type("full");
  press({enter});
  EXPECT_TRUE(ui.settings.fullscreen) << "by its name, as in a list";
  EXPECT_EQ(ui.settings.playback.paused, typical_sample().settings.playback.paused);
}

TEST(ContextMenus, EscapeClosesThem) {
  Harness ui(typical_sample(), 1600, 900);
  ui.settings.fullscreen = true;
  ui.frame(2);
  ui.right_click_at(300, 300);
  const auto is_open = [] { return !ImGui::GetCurrentContext()->OpenPopupStack.empty(); };
  EXPECT_TRUE(is_open());
  ui.key(ui::key::escape);
  EXPECT_FALSE(is_open());
  EXPECT_TRUE(ui.settings.fullscreen) << "one thing at a time";
  ui.key(ui::key::escape);
  EXPECT_FALSE(ui.settings.fullscreen);
}

TEST(ContextMenus, OfWeightsAndTransport) {
  Harness ui(typical_sample(), 1600, 1200);
  ui.settings.open_panels = {"filter"};
  ui.filter() = parse_filter("1 2 3");
  ui.frame(3);
  ui.right_click("weights");
  ui.click("menu/Flip left and right");
  EXPECT_EQ(ui.filter().filter.weights, (std::vector<float>{3, 2, 1}));
  ui.right_click("progress");
  ui.click("menu/To the first frame");
  EXPECT_EQ(ui.requests.seek_seconds, 0.0);
}

}  // namespace
}  // namespace convoscope::test
