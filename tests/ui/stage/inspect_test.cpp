
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "app/ui/cards/check_badge.h"
#include "app/ui/memory/inspect_state.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/places/on_screen.h"
#include "tests/ui/harness.h"
#include "tests/ui/stage/explained_picture.h"

namespace convoscope::test {
namespace {

class InspectTest : public testing::Test {
 protected:
  InspectTest() {
    harness.settings.open_panels = {"inspect"};
    InspectStats& inspect = harness.stats.inspect;
    inspect.under_cursor = inspect.pixel = PixelAddress{5, 5};
    inspect.pane = 0;
    PixelPatch patch;
    patch.area = {0, 0, 13, 13};
    for (unsigned i = 0; i < 169; ++i) patch.pixels.push_back(0xFF000000u | i * 0x010203u);
    inspect.patches = {patch};
    inspect.values = {patch.at(5, 5)};
    for (auto& bins : inspect.histogram) bins.assign(256, 7);
    inspect.vectorscope.assign(128 * 128, 3);
    inspect.histogram_pane = 0;
    inspect.explained = explained("gaussian:radius=1", Border::replicate, {5, 5});
  }
  Harness harness;
};

TEST_F(InspectTest, EverythingCanBeSwitchedByMouseAndByKey) {
  InspectSettings& inspect = harness.settings.inspect;
  struct Switch {
    const char* item;
    bool* value;
    int key, modifiers;
  };
  const Switch switches[] = {{"values", &inspect.values, 'I', 0},
                             {"magnifier", &inspect.magnifier, 'Q', 0},
                             {"histogram", &inspect.histogram, 'J', 0},
                             {"vectorscope", &inspect.vectorscope, 'J', 1},
                             {"explain", &inspect.explain, 'E', 0}};
  for (const Switch& s : switches) {
    harness.click(s.item);
    EXPECT_TRUE(*s.value) << s.item;
    EXPECT_TRUE(harness.key(s.key, s.modifiers));
    EXPECT_FALSE(*s.value) << s.item;
  }
  harness.click("pin");
  EXPECT_TRUE(inspect.pinned);
  EXPECT_TRUE(harness.key('I', 1));
  EXPECT_FALSE(inspect.pinned);
}

TEST_F(InspectTest, TheKeyExplainsThePixelUnderTheMouseAtOnce) {
  InspectSettings& inspect = harness.settings.inspect;
  inspect.pinned = PixelAddress{1, 2};
  harness.key('E');
  EXPECT_TRUE(inspect.explain);
  EXPECT_EQ(inspect.pinned, (PixelAddress{5, 5}));
  harness.key('E');
  EXPECT_FALSE(inspect.explain);
  harness.stats.inspect.under_cursor.reset();  // over no picture
  inspect.pinned.reset();
  harness.key('E');
  EXPECT_TRUE(inspect.explain);
  EXPECT_FALSE(inspect.pinned);
}

TEST_F(InspectTest, ThePinOfTheExplanationGoesWithIt) {
  InspectSettings& inspect = harness.settings.inspect;
  const auto expect_gone_after = [&](const char* what, const std::function<void()>& close) {
    harness.key('E');
    harness.frame(2);
    EXPECT_EQ(inspect.pinned, (PixelAddress{5, 5})) << what;
    close();
    harness.frame(2);
    EXPECT_FALSE(inspect.explain) << what;
    EXPECT_FALSE(inspect.pinned) << what;
  };
  expect_gone_after("the key", [&] { harness.key('E'); });
  expect_gone_after("Escape", [&] { harness.key(ui::key::escape); });
  expect_gone_after("its button", [&] { harness.click("story-close"); });
  inspect.pinned = PixelAddress{1, 2};  // the user's own
  harness.key('E');
  harness.frame(2);
  EXPECT_EQ(inspect.pinned, (PixelAddress{5, 5}));
  harness.key('E');
  harness.frame(2);
  EXPECT_EQ(inspect.pinned, (PixelAddress{1, 2}));
}

TEST_F(InspectTest, AClickOnThePicturePinsItsPixelAndASecondOneLetsGo) {
  const auto click = [&] {
    harness.move(400, 300);
    harness.frame(2);
    harness.press();
    harness.release();
    harness.frame(40);
  };
  click();
  EXPECT_FALSE(harness.settings.inspect.pinned) << "nothing is looked at";
  harness.settings.inspect.values = true;
  click();
  EXPECT_EQ(harness.settings.inspect.pinned, (PixelAddress{5, 5}));
  click();
  EXPECT_FALSE(harness.settings.inspect.pinned);
  harness.click("card/1");
  EXPECT_FALSE(harness.settings.inspect.pinned) << "a card is no part of the picture";
}

TEST_F(InspectTest, ASecondClickOnTheExplainedPixelLeavesTheSheetAsItIs) {
  harness.settings.inspect.explain = true;
  for (int i = 0; i < 2; ++i) {
    harness.move(400, 300);
    harness.frame(2);
    harness.press();
    harness.release();
    harness.frame(40);
    EXPECT_EQ(harness.settings.inspect.pinned, (PixelAddress{5, 5}));
  }
}

// Two maps of 100 pixels each, with the gap between them.
TEST_F(InspectTest, AClickBetweenTwoMapsKeepsTheExplainedPixel) {
  InspectSettings& inspect = harness.settings.inspect;
  const Wall wall{.maps = 2, .map_width = 100, .map_height = 100, .width = 200, .height = 200};
  const PixelAddress place{50, 100}, other{150, 100}, gap{99, 100}, margin{50, 10};
  ASSERT_GE(place_on_wall(wall, other.x, other.y).map, 0);
  ASSERT_LT(place_on_wall(wall, gap.x, gap.y).map, 0);
  harness.stats.panes[0].wall = wall;
  const auto click = [&](const PixelAddress& at) {
    harness.stats.inspect.under_cursor = at;
    harness.move(400, 300);
    harness.frame(2);
    harness.press();
    harness.release();
    harness.frame(40);
  };
  inspect.explain = true;
  click(place);
  for (const PixelAddress& beside : {gap, margin}) {
    click(beside);
    EXPECT_EQ(inspect.pinned, place);
  }
  click(other);
  EXPECT_EQ(inspect.pinned, other);
  harness.key('E');
  inspect.pinned = place;
  harness.stats.inspect.under_cursor = gap;
  harness.key('E');
  EXPECT_TRUE(inspect.explain);
  EXPECT_EQ(inspect.pinned, place) << "also by the key";
}

TEST_F(InspectTest, TheKeyPinsAnotherPixelInsteadAndLetsGoOfTheSame) {
  InspectSettings& inspect = harness.settings.inspect;
  inspect.pinned = PixelAddress{1, 2};
  harness.key('I', 1);
  EXPECT_EQ(inspect.pinned, (PixelAddress{5, 5}));
  harness.key('I', 1);
  EXPECT_FALSE(inspect.pinned);
  inspect.pinned = PixelAddress{1, 2};
  harness.stats.inspect.under_cursor.reset();  // over no picture, as when the button is clicked
  harness.key('I', 1);
  EXPECT_FALSE(inspect.pinned);
}

TEST_F(InspectTest, TheLongestValuesHaveAGapBetweenThem) {
  harness.settings.inspect.values = true;
  harness.settings.format = harness.stats.inspect.patches[0].format = PixelFormat::gray32f;
  harness.pictures = {{0, 0, 1200, 800}};
  harness.stats.inspect.values[0].channels = 1;
  harness.stats.inspect.values[0].values[0] = -1.919042e-8f;
  harness.frame(3);
  const auto drawn = [](const std::string& text) {
    const auto found = std::ranges::find(ui::drawn_texts(), text, &ui::DrawnText::text);
    return found == ui::drawn_texts().end() ? ui::ItemRectangle{} : found->at;
  };
  const ui::ItemRectangle code = drawn("−4.894e−06"), hex = drawn("0xb2a4d82e"), value = drawn("−1.919042e−08");
  ASSERT_GT(code.to.x, code.from.x);
  ASSERT_GT(value.to.x, value.from.x);
  EXPECT_GT(hex.from.x, code.to.x + 4);
  EXPECT_GT(value.from.x, hex.to.x + 4);
}

TEST_F(InspectTest, CardsAndWindowsStayOnThePictureAtEverySize) {
  harness.settings.inspect = {true, true, true, true, true, PixelAddress{5, 5}};
  harness.pictures = {{0, 0, 1200, 800}};
  for (const auto& [width, height] : {std::pair{1600.0f, 900.0f}, {700.0f, 400.0f}, {90.0f, 60.0f}}) {
    harness.resize(width, height);
    harness.frame(4);
  }
  harness.resize(1600, 900);
  harness.frame(4);
  for (const char* item : {"inspection", "scopes", "story"}) {
    const ui::ItemRectangle* const at = ui::item_rectangle(item);
    ASSERT_NE(at, nullptr) << item;
    EXPECT_GE(at->from.x, 0) << item;
    EXPECT_GE(at->from.y, 0) << item;
    EXPECT_LE(at->to.x, 1600) << item;
    EXPECT_LE(at->to.y, 900) << item;
  }
}

TEST_F(InspectTest, TheValuesStayInThePaneThatIsLookedAt) {
  harness.settings.group().panes.resize(2, harness.settings.group().panes[0]);
  harness.stats.panes.resize(2, harness.stats.panes[0]);
  harness.settings.group().view = View::grid;
  harness.settings.inspect.values = true;
  harness.pictures = harness.panes = {{0, 0, 600, 700}, {600, 0, 600, 700}};
  InspectStats& inspect = harness.stats.inspect;
  inspect.patches.resize(2, inspect.patches[0]);
  inspect.values.resize(2, inspect.values[0]);
  const int width = harness.stats.source.width, height = harness.stats.source.height;
  inspect.pixel = PixelAddress{width * 9 / 10, height / 2};
  harness.frame(4);
  const ui::ItemRectangle* const card = ui::item_rectangle("inspection");
  ASSERT_NE(card, nullptr);
  EXPECT_LE(card->to.x, 600);
  inspect.pane = 1;
  inspect.pixel = PixelAddress{width / 2, height / 2};
  harness.frame(4);
  EXPECT_GE(ui::item_rectangle("inspection")->from.x, 600);
}

TEST_F(InspectTest, ThreePanesAreMagnifiedAndOnePictureIsCoveredAtTheMost) {
  const InspectStats looked_at = harness.stats.inspect;
  Harness ui(panes_sample(3), 1280, 800);
  ui.panes = {{0, 0, 455, 367}, {461, 0, 455, 367}, {230, 373, 455, 367}};
  ui.pictures = {{0, 56, 455, 256}, {461, 56, 455, 256}, {230, 429, 455, 256}};
  ui.settings.inspect.magnifier = ui.settings.inspect.values = ui.settings.inspect.histogram = true;
  InspectStats& inspect = ui.stats.inspect = looked_at;
  inspect.explained.reset();
  inspect.vectorscope.clear();
  inspect.patches.resize(3, inspect.patches[0]);
  inspect.values.resize(3, inspect.values[0]);
  inspect.pixel = PixelAddress{ui.stats.source.width * 2 / 3, ui.stats.source.height * 19 / 20};
  ui.frame(4);
  const ui::ItemRectangle* const card = ui::item_rectangle("inspection");
  ASSERT_NE(card, nullptr);
  EXPECT_LE(card->to.y - card->from.y, 300) << "three magnifiers have the room of two";
  EXPECT_GE(card->to.x - card->from.x, 3 * 130);
  int covered = 0;
  for (const UiLayout::Pane& p : ui.pictures) covered += ui::overlap(area_of(*card), {p.x, p.y, p.width, p.height});
  EXPECT_LE(covered, 1);
}

TEST_F(InspectTest, MagnifiersLieInTheOrderOfTheTable) {
  const InspectStats looked_at = harness.stats.inspect;
  Harness ui(panes_sample(3), 1600, 900);
  ui.panes = ui.pictures = {{0, 0, 455, 367}, {461, 0, 455, 367}, {230, 373, 455, 367}};
  ui.settings.inspect.magnifier = ui.settings.inspect.values = true;
  InspectStats& inspect = ui.stats.inspect = looked_at;
  inspect.explained.reset();
  inspect.patches.resize(3, inspect.patches[0]);
  inspect.values.resize(3, inspect.values[0]);
  for (inspect.pane = 0; inspect.pane < 3; ++inspect.pane) {
    ui.frame(3);
    const ui::Area card = area_of(*ui::item_rectangle("inspection"));
    std::vector<int> order;
    for (const ui::DrawnText& text : ui::drawn_texts())
      for (int i = 0; i < 3; ++i) {
        const std::string title = std::to_string(i + 1) + "  " + ui::pane_title(ui.stats, ui.settings, i);
        if (ui::overlap(card, area_of(text.at)) && text.text.starts_with(title.substr(0, 8))) order.push_back(i);
      }
    EXPECT_EQ(order, (std::vector{0, 1, 2, 0, 1, 2})) << "looked at in pane " << inspect.pane + 1;
  }
}

TEST_F(InspectTest, TheMagnifiedPixelIsNotCovered) {
  const InspectStats looked_at = harness.stats.inspect;
  Harness ui(panes_sample(4), 1600, 900);
  ui.settings.group().view = View::grid;
  ui.panes = {{0, 0, 617, 419}, {619, 0, 617, 419}, {0, 421, 617, 419}, {619, 421, 617, 419}};
  for (const UiLayout::Pane& pane : ui.panes) ui.pictures.push_back({pane.x, pane.y + 36, 617, 347});
  ui.settings.inspect.magnifier = ui.settings.inspect.values = true;
  InspectStats& inspect = ui.stats.inspect = looked_at;
  inspect.explained.reset();
  inspect.patches.resize(4, inspect.patches[0]);
  inspect.values.resize(4, inspect.values[0]);
  for (inspect.pane = 0; inspect.pane < 4; ++inspect.pane)
    for (const int tenth : {0, 2, 5, 8}) {
      inspect.pixel = PixelAddress{ui.stats.source.width * tenth / 10, ui.stats.source.height * tenth / 10};
      ui.frame(2);
      const ui::ItemRectangle* const card = ui::item_rectangle("inspection");
      ASSERT_NE(card, nullptr);
      const ui::Area pixel =
          ui::on_screen(ui.layout, ui.stats, inspect.pane, {inspect.pixel->x, inspect.pixel->y, 1, 1});
      EXPECT_FALSE(ui::overlap(area_of(*card), pixel)) << tenth << " tenths, pane " << inspect.pane + 1;
    }
}

TEST_F(InspectTest, TheHintIsNotPushedOverThePicture) {
  harness.resize(840, 480);
  harness.settings.show_hint = harness.settings.inspect.histogram = harness.settings.inspect.vectorscope = true;
  harness.frame(4);
  ASSERT_TRUE(drawn(harness, "scopes"));
  EXPECT_FALSE(drawn(harness, "hint"));
  harness.settings.inspect.histogram = harness.settings.inspect.vectorscope = false;
  EXPECT_TRUE(drawn(harness, "hint")) << "it waits";
}

TEST_F(InspectTest, TheMagnifierIsNoWiderThanItsPicture) {
  harness.settings.inspect.magnifier = harness.settings.inspect.values = true;
  InspectStats& inspect = harness.stats.inspect;
  inspect.patches.push_back(inspect.patches[0]);
  inspect.values.push_back(inspect.values[0]);
  for (const auto& [width, height] : {std::pair{640.0f, 480.0f}, {900.0f, 600.0f}, {1600.0f, 900.0f}}) {
    for (const int cells : {7, 15}) {
      ui::inspect_state().magnifier_cells = cells;
      harness.resize(width, height);
      harness.frame(3);
      const ui::ItemRectangle at = *ui::item_rectangle("inspection");
      const UiLayout& room = harness.layout;
      EXPECT_GE(at.from.x, room.picture_x) << width;
      EXPECT_GE(at.from.y, room.picture_y) << width;
      EXPECT_LE(at.to.x, room.picture_x + room.picture_width) << width;
      EXPECT_LE(at.to.y, room.picture_y + room.picture_height) << width;
      for (const std::string& fault : ui::layout_faults()) ADD_FAILURE() << fault;
    }
  }
}

TEST_F(InspectTest, TheSourceBehindThePanesIsLookedAtWhileItsKeyIsHeld) {
  harness.settings.inspect.values = true;
  harness.pictures = {{0, 0, 1200, 800}};
  harness.panes = {{0, 0, 1200, 800}};
  ui::momentary().flick_pane = flick_source;
  harness.pictures.push_back({0, 0, 1200, 800});
  harness.panes[0] = {};  // the only pane is hidden
  InspectStats& inspect = harness.stats.inspect;
  inspect.pane = 1;
  inspect.patches.push_back(inspect.patches[0]);
  inspect.values.push_back(inspect.values[0]);
  harness.frame(3);
  EXPECT_NE(ui::item_rectangle("inspection"), nullptr);
  EXPECT_EQ(ui::pane_title(harness.stats, harness.settings, 1), "Source, unfiltered");
  const ui::Area seen = ui::pane_area(harness.settings, harness.layout, 1);
  EXPECT_EQ(seen.width, harness.layout.picture_width);
  EXPECT_EQ(ui::pane_area(harness.settings, harness.layout, 0).width, 0);
  for (const int nowhere : {-1, 2, 9}) EXPECT_EQ(ui::pane_area(harness.settings, harness.layout, nowhere).width, 0);
}

TEST_F(InspectTest, AWrongPaneSaysWhereAndLeadsThere) {
  harness.settings.group().panes[0].id = harness.stats.panes[0].id = 1;
  CheckResult& check = harness.stats.panes[0].check;
  check = {.state = CheckResult::State::wrong, .max_error = 9.2, .tolerance = 0.01, .x = 37, .y = 5};
  check.expected = 100.3;
  check.actual = 110;
  const std::string text = ui::check_text(harness.stats.panes[0], PixelFormat::rgba8);
  EXPECT_NE(text.find("(37, 5)"), std::string::npos) << text;
  EXPECT_NE(text.find("100.3"), std::string::npos) << text;
  EXPECT_NE(text.find("of a code value"), std::string::npos) << text;
  PaneStats maps = harness.stats.panes[0];
  maps.wall = Wall{16, 320, 180, 640, 360, -1};
  maps.check.channel = 4;
  maps.check.expected = -0.25;
  maps.check.actual = -3;
  const std::string of_map = ui::check_text(maps, PixelFormat::rgba8);
  EXPECT_NE(of_map.find("(37, 5) of map 5"), std::string::npos) << of_map;
  EXPECT_NE(of_map.find("the reference is −0.25, the output −3."), std::string::npos) << of_map;
  EXPECT_EQ(of_map.find("code value"), std::string::npos) << of_map;
  harness.click("show-wrong");
  EXPECT_EQ(harness.requests.show_wrong_pixel, 0);
}

TEST_F(InspectTest, WhereNoMapIsNothingIsSaidOfThePixel) {
  harness.settings.inspect.values = harness.settings.inspect.magnifier = true;
  const Wall wall{.maps = 5, .map_width = 60, .map_height = 60, .width = 300, .height = 300};
  harness.stats.panes[0].wall = wall;
  const auto is_drawn_at = [&](int x, int y) {
    harness.stats.inspect.pixel = PixelAddress{x, y};
    return drawn(harness, "inspection");
  };
  EXPECT_FALSE(is_drawn_at(20, 5)) << "above the maps";
  EXPECT_FALSE(is_drawn_at(290, wall.top() + wall.cell_height() + 20)) << "beside the last one";
  EXPECT_TRUE(is_drawn_at(20, wall.top() + 20));
  harness.stats.panes[0].wall->frames = true;
  EXPECT_TRUE(is_drawn_at(20, 5));
}

}  // namespace
}  // namespace convoscope::test
