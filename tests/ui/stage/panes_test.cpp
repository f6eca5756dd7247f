// Panes by key and mouse: added, closed, moved, linked; what is held; the wipe; the palette.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/ui/actions/command_table.h"
#include "app/ui/actions/pane_actions.h"
#include "app/ui/cards/cards.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/windows/palette.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

std::vector<std::string> strategies(const Settings& settings) {
  std::vector<std::string> ids;
  for (const PaneSettings& pane : settings.group().panes) ids.push_back(pane.strategy);
  return ids;
}
using Names = std::vector<std::string>;

Settings three() {
  Settings settings;
  settings.group().panes.resize(3);
  for (int i = 0; i < 3; ++i) {
    settings.group().panes[static_cast<std::size_t>(i)].strategy = std::string(1, static_cast<char>('a' + i));
    settings.group().panes[static_cast<std::size_t>(i)].id = i + 1;
  }
  settings.group().active_pane = 2;
  settings.group().baseline_pane = 1;
  settings.difference.first = 0;
  settings.difference.second = 2;
  return settings;
}

TEST(Panes, PositionsFollowTheirPanes) {
  Settings s = three();
  ui::move_pane(s, 2, 0);  // c a b
  EXPECT_EQ(strategies(s), (Names{"c", "a", "b"}));
  EXPECT_EQ(s.group().active_pane, 0);
  EXPECT_EQ(s.group().baseline_pane, 2);
  EXPECT_EQ(s.difference.first, 1);
  EXPECT_EQ(s.difference.second, 0);
  ui::close_pane(s, 1);  // c b
  EXPECT_EQ(strategies(s), (Names{"c", "b"}));
  EXPECT_EQ(s.group().baseline_pane, 1);
  ui::swap_panes(s, 0, 1);
  EXPECT_EQ(s.group().active_pane, 1);
  EXPECT_EQ(s.group().panes[0].id, 2);
  ui::close_pane(s, 7);
  ui::move_pane(s, 0, 5);
  EXPECT_EQ(strategies(s), (Names{"b", "c"}));
}

TEST(Panes, AreComparedInTheirOrderWhicheverIsActive) {
  Settings s = three();
  ui::compare_with(s, 0);
  EXPECT_EQ(s.difference.first, 0);
  EXPECT_EQ(s.difference.second, 2);
  s.group().active_pane = 1;
  ui::compare_with(s, 2);
  EXPECT_EQ(s.difference.first, 1);
  EXPECT_EQ(s.difference.second, 2);
}

TEST(Panes, ANewOneHasTheNextStrategyAndAnIdOfItsOwn) {
  Harness ui;
  ui.settings.group().panes.resize(1);
  ui.settings.active().strategy = "global";
  ui.key('D', ui::key::control);
  ASSERT_EQ(ui.settings.group().panes.size(), 2u);
  EXPECT_EQ(ui.settings.group().active_pane, 1);
  EXPECT_NE(ui.settings.group().panes[1].strategy, "global");
  EXPECT_NE(ui.settings.group().panes[0].id, ui.settings.group().panes[1].id);
  EXPECT_EQ(ui.settings.group().view, View::grid);
  for (int i = 0; i < 20; ++i) ui.key('D', ui::key::control);
  EXPECT_EQ(ui.settings.group().panes.size(), max_panes);
}

TEST(Panes, ANewOneIsNeverTheSlowestByGoingAround) {
  Harness ui;  // a 9 × 9 filter, of the strategies on the GPU
  ui.settings.group().panes.resize(1);
  ui.settings.active().strategy = ui.stats.panes[0].strategy = "auto";
  ui.stats.panes[0].runs = "register-tile";
  ui.key('D', ui::key::control);
  EXPECT_EQ(ui.settings.active().strategy, "separable") << "the one after what auto runs";
  ui.key('D', ui::key::control);
  EXPECT_EQ(ui.settings.active().strategy, "tiled-halo") << "the last one that is not shown";
  ui.settings.group().panes.resize(1);
  ui.settings.group().active_pane = 0;
  ui.stats.panes[0].runs = "separable";
  ui.key('D', ui::key::control);
  EXPECT_EQ(ui.settings.active().strategy, "register-tile");
}

TEST(Panes, TheDifferenceIsOneOfTheActivePane) {
  Harness ui(panes_sample(4));
  ui.settings.group().active_pane = 3;
  ui.key('4', ui::key::shift);
  EXPECT_EQ(ui.settings.group().view, View::difference);
  EXPECT_EQ(ui.settings.difference.first, 0);
  EXPECT_EQ(ui.settings.difference.second, 3);
  ui.settings.group().active_pane = 2;
  ui.key('4', ui::key::shift);
  EXPECT_EQ(ui.settings.difference.second, 3) << "it is there already";
  ui.settings.group().view = View::split;
  ui.settings.group().active_pane = 0;
  ui.key('V');
  EXPECT_EQ(ui.settings.difference.first, 0);
  EXPECT_EQ(ui.settings.difference.second, 3) << "the active pane is one of them";
}

TEST(Panes, LinkedOnesFollowAnEditAndOthersDoNot) {
  Harness ui(panes_sample(3));
  for (PaneSettings& pane : ui.settings.group().panes) pane.filter = parse_filter("box:radius=1");
  ui.settings.group().panes[2].linked = false;
  ui.settings.group().active_pane = 0;
  ui.filter() = parse_filter("gaussian:radius=3");
  ui.frame(2);
  EXPECT_EQ(ui.settings.group().panes[1].filter.kind, "gaussian");
  EXPECT_EQ(ui.settings.group().panes[2].filter.kind, "box");
  ui.settings.group().active_pane = 2;
  ui.key('L', ui::key::control);  // takes on theirs
  EXPECT_EQ(ui.settings.group().panes[2].filter.kind, "gaussian");
  EXPECT_TRUE(ui.settings.group().panes[2].linked);
  ui.key('B');
  EXPECT_EQ(ui.settings.group().panes[0].border, ui.settings.group().panes[2].border);
}

TEST(Panes, WhatIsHeldEndsWithItsKey) {
  Harness ui(panes_sample(3));
  const auto press = [&](int key, int modifiers, bool pressed) {
    handle_key({key, modifiers, false, pressed}, ui.stats, ui.settings, ui.requests);
    ui.frame();
  };
  press('2', ui::key::alt, true);
  EXPECT_EQ(ui::momentary().flick_pane, 1);
  EXPECT_EQ(shown_view(ui.settings), View::single);
  press('X', 0, false);  // another key
  EXPECT_EQ(ui::momentary().flick_pane, 1);
  press('2', 0, false);  // Alt was let go before
  EXPECT_EQ(ui::momentary().flick_pane, flick_none);
  press('X', 0, true);
  EXPECT_EQ(shown_view(ui.settings), View::difference);
  press('Z', 0, true);
  EXPECT_EQ(ui::momentary().flick_pane, flick_source);
  press('Z', 0, false);
  EXPECT_EQ(ui::momentary().flick_pane, flick_none);
}

class SplitMouse : public testing::Test {
 protected:
  void SetUp() override {
    ui.settings.group().view = View::split;
    ui.settings.split = {};
    ui.settings.show_panels = false;
    ui.settings.show_overlay = false;
    ui.frame(2);
  }
  void drag(float x0, float y0, float x1, float y1) {
    ui.move(x0, y0);
    ui.frame(2);
    ui.press();
    for (int i = 1; i <= 6; ++i) {
      ui.move(x0 + (x1 - x0) * static_cast<float>(i) / 6, y0 + (y1 - y0) * static_cast<float>(i) / 6);
      ui.frame();
    }
    ui.release();
    ui.frame(2);
  }
  Harness ui{panes_sample(2)};  // 1600 × 900
};

TEST_F(SplitMouse, ALineStaysWhereItIsDropped) {
  drag(800, 450, 400, 470);
  ASSERT_EQ(ui.settings.split.lines.size(), 1u);
  EXPECT_NEAR(ui.settings.split.lines[0], 0.25, 0.01);
  EXPECT_EQ(ui.settings.split.angle, 0);
  EXPECT_EQ(ui.settings.zoom.centre_x, 0.5) << "the picture does not move along";
}

TEST_F(SplitMouse, OfLinesOnOneAnotherTheOneMovesThatCan) {
  ui.settings.group().panes.push_back(ui.settings.group().panes[0]);
  ui.settings.split.lines = {0.6, 0.6};
  drag(960, 450, 480, 450);
  EXPECT_THAT(ui.settings.split.lines, testing::ElementsAre(testing::DoubleNear(0.3, 0.01), 0.6));
}

TEST_F(SplitMouse, NearItsEndALineTurnsAboutItsMiddle) {
  drag(800, 800, 800 - 350, 800);  // bottom end, above where the transport comes: 45 degrees
  EXPECT_NEAR(ui.settings.split.angle, 45, 1.5);
  EXPECT_NEAR(ui.settings.split.lines[0], 0.5, 0.02);
}

TEST_F(SplitMouse, ASlantedLineIsHeldWhereItIsAndPartsThePanes) {
  ui.settings.split = {30, {0.5}};                                            // through the middle of 1600 × 900
  const float across = std::cos(std::numbers::pi_v<float> / 6), down = 0.5f;  // its normal
  const ImVec2 on_line{800 - 150 * down, 450 + 150 * across};
  const auto beside = [&](float away) { return ImVec2(on_line.x + away * across, on_line.y + away * down); };
  for (const float away : {-300.0f, -3.0f, 3.0f, 300.0f})
    EXPECT_EQ(ui::pane_at(ui.settings, ui.layout, beside(away).x, beside(away).y), away > 0) << away;
  drag(beside(30).x, beside(30).y, beside(90).x, beside(90).y);
  EXPECT_EQ(ui.settings.split.lines[0], 0.5) << "too far away to be held";
  drag(on_line.x, on_line.y, beside(200).x, beside(200).y);
  EXPECT_EQ(ui.settings.split.angle, 30);
  EXPECT_NEAR(ui.settings.split.lines[0], 0.5f + 200 / (1600 * across + 900 * down), 0.005);
}

TEST_F(SplitMouse, ElsewhereThePictureIsHeld) {
  drag(300, 450, 500, 450);
  EXPECT_TRUE(ui.settings.split.lines.empty());
}

TEST(Cards, NeverOverlapInAnyViewAndSize) {
  for (const ImVec2 size : {ImVec2(1600, 900), ImVec2(800, 500), ImVec2(1280, 720)}) {
    for (const int count : {2, 4, 9}) {
      Harness ui(panes_sample(count), size.x, size.y);
      for (const double angle : {0.0, 30.0, 90.0, 135.0}) {
        for (const View view : {View::grid, View::split}) {
          ui.settings.group().view = view;
          ui.settings.split = {angle, {}};
          ui.frame();
          std::vector<ui::Area> cards;
          for (int i = 0; i < count; ++i) {
            if (view == View::split && angle == 0.0) continue;  // boxes are the compositor's to say
            if (view == View::split && angle == 90.0) continue;
            const ui::Area card = ui::card_parts(ui.stats, ui.settings, ui.layout, i).card;
            if (card.width > 0) cards.push_back(card);
          }
          for (std::size_t a = 0; a < cards.size(); ++a)
            for (std::size_t b = 0; b < a; ++b)
              EXPECT_TRUE(cards[a].x >= cards[b].x + cards[b].width || cards[b].x >= cards[a].x + cards[a].width ||
                          cards[a].y >= cards[b].y + cards[b].height || cards[b].y >= cards[a].y + cards[a].height)
                  << count << " panes at " << angle;
        }
      }
    }
  }
}

TEST(Palette, FindsByLettersInOrder) {
  EXPECT_GT(ui::fuzzy_score("", "anything"), 0);
  EXPECT_GT(ui::fuzzy_score("vs", "View: split"), 0);
  EXPECT_EQ(ui::fuzzy_score("zq", "View: split"), 0);
  EXPECT_GT(ui::fuzzy_score("split view", "View: split"), 0) << "words in any order";
  EXPECT_GT(ui::fuzzy_score("sep", "Strategy: separable"), ui::fuzzy_score("sep", "Strategy: tiled-sleep"));
}

TEST(Palette, SaysThatScatteredLettersAreNoNameAndRunsNothing) {
  Harness ui;
  ui::momentary().show_palette = true;
  ui.frame(3);
  const std::vector<ui::Command> commands = ui::palette_commands(ui.stats, ui.settings);
  std::string text;
  for (const char* const typed : {"wqt", "wndqt", "vwspt", "flgssn", "strgycnst"})
    if (ui::find_commands(commands, typed).by == ui::Answers::letters) text = typed;
  ASSERT_NE(text, "");
  ui.type(text);
  ui.frame(3);
  EXPECT_TRUE(drawn(ui, "palette-about"));
  const PaneGroup before = ui.settings.group();
  ui.key(ui::key::enter);
  ui.frame(2);
  EXPECT_FALSE(ui.requests.quit);
  EXPECT_EQ(ui.settings.group(), before);
  ui::momentary().show_palette = false;
  ui.frame(2);
  ui::momentary().show_palette = true;
  ui.frame(3);
  ui.type("split");
  ui.frame(3);
  EXPECT_FALSE(drawn(ui, "palette-about"));
}

TEST(Palette, HasEveryActionStrategyFilterViewAndRecentFile) {
  Harness ui;
  ui.settings.recent = {"/videos/clip.mp4"};
  const std::vector<ui::Command> commands = ui::palette_commands(ui.stats, ui.settings);
  const auto has = [&](const std::string& text) {
    return std::ranges::any_of(commands, [&](const ui::Command& c) { return c.name.find(text) != std::string::npos; });
  };
  for (const ui::Binding& binding : ui::bindings()) {
    if (!ui::applies(binding, ui.settings)) continue;
    const bool by_number = std::string_view(binding.keys).find("…") != std::string_view::npos;
    EXPECT_TRUE(binding.release || by_number || has(binding.action)) << binding.action;
  }
  for (const FilterKind& kind : filter_kinds()) EXPECT_TRUE(has("Filter: " + std::string(kind.title)));
  for (const char* text : {"Strategy: constant", "View: blink", "Open: /videos/clip.mp4", "Border: wrap"})
    EXPECT_TRUE(has(text)) << text;
}

TEST(Palette, FindsFiltersByWhatTheyDo) {
  Harness ui;
  const std::vector<ui::Command> commands = ui::palette_commands(ui.stats, ui.settings);
  const auto finds = [&](std::string_view typed, const std::string& name) {
    return std::ranges::any_of(commands, [&](const ui::Command& c) {
      return c.name == "Filter: " + name && ui::has_words(typed, c.name + ' ' + c.also);
    });
  };
  for (const char* name : {"Gaussian", "Box", "Disk", "Motion blur", "Binomial"})
    EXPECT_TRUE(finds("Blur", name)) << name;
  for (const char* name : {"Sobel x", "Prewitt y", "Scharr magnitude", "Laplacian"})
    EXPECT_TRUE(finds("edge", name)) << name;
  for (const char* name : {"Sharpen", "Unsharp mask"}) EXPECT_TRUE(finds("sharpen", name)) << name;
  EXPECT_FALSE(finds("edge", "Box"));
}

TEST(Palette, OffersWhatWasOpenedBeforeOnceOnly) {
  Harness ui;
  const std::string offered = ui.stats.sources.front().choices.front().input;
  ui.settings.recent = {offered, "/videos/clip.mp4"};
  const std::vector<ui::Command> commands = ui::palette_commands(ui.stats, ui.settings);
  for (const std::string& input : ui.settings.recent)
    EXPECT_EQ(std::ranges::count(commands, "Open: " + input, &ui::Command::name), 1) << input;
}

TEST(Palette, OffersWhatIsTypedAndWasOpenedBeforeOnceOnly) {
  Harness ui;
  ui.settings.recent = {"pattern"};
  ui::momentary().show_palette = true;
  ui.frame(3);
  ui.type("pattern");
  ui::watch_items(true);
  ui.frame(3);
  EXPECT_EQ(std::ranges::count(ui::marks(), "command/Open: pattern", &ui::Mark::id), 1);
}

TEST(Palette, WhoTypesAStrategyMeansToChooseIt) {
  Harness ui(panes_sample(4));
  const std::vector<ui::Command> commands = ui::palette_commands(ui.stats, ui.settings);
  for (const char* const typed : {"tile", "halo", "constant"}) {
    const ui::FoundCommands found = ui::find_commands(commands, typed);
    ASSERT_FALSE(found.commands.empty());
    EXPECT_TRUE(found.commands.front()->name.starts_with("Strategy: ")) << found.commands.front()->name;
  }
  EXPECT_EQ(ui::find_commands(commands, "pick pane 3").commands.front()->name, "Panes: Pick pane 3, tiled-halo");
}

TEST(Palette, RunsWhatIsTypedAndClosesOnEscape) {
  Harness ui;
  ui.key('P', ui::key::control);
  ui.frame(3);
  ASSERT_TRUE(ui::momentary().show_palette);
  ui.type("filter box");
  ui.key(ui::key::enter);
  EXPECT_FALSE(ui::momentary().show_palette);
  EXPECT_EQ(ui.filter().kind, "box");
  ui.key('P', ui::key::control);
  EXPECT_TRUE(ui::momentary().show_palette);
  ui.frame(2);
  ui.key('T');
  EXPECT_FALSE(ui.settings.light_theme) << "letters are text";
  ui.key(ui::key::down);
  ui.key(ui::key::escape);
  EXPECT_FALSE(ui::momentary().show_palette);
}

TEST(Panes, WhatChangedTogetherIsUndoneTogether) {
  Harness ui(panes_sample(3));
  for (PaneSettings& pane : ui.settings.group().panes) pane.filter = parse_filter("box:radius=1");
  ui.settings.group().panes[2].linked = false;
  ui.settings.group().active_pane = 0;
  ui.frame(2);
  ui.filter() = parse_filter("gaussian:radius=3");
  ui.frame(2);
  ui.settings.group().active_pane = 1;  // another of those that have changed
  ui.frame(2);
  ui.key('Z', ui::key::control);
  EXPECT_EQ(ui.settings.group().panes[0].filter.kind, "box");
  EXPECT_EQ(ui.settings.group().panes[1].filter.kind, "box");
  ui.settings.group().active_pane = 2;
  ui.frame(2);
  ui.filter() = parse_filter("disk");
  ui.frame(2);
  ui.settings.group().active_pane = 0;
  ui.frame(2);
  ui.key('Z', ui::key::control);
  EXPECT_EQ(ui.settings.group().panes[2].filter.kind, "disk") << "it is not linked";
}

TEST(Panes, OneThatIsUnlinkedKeepsItsPast) {
  Harness ui(panes_sample(2));
  for (PaneSettings& pane : ui.settings.group().panes) pane.filter = parse_filter("box:radius=1");
  ui.frame(2);
  ui.filter() = parse_filter("gaussian:radius=3");
  ui.frame(2);
  ui.key('L', ui::key::control);
  ASSERT_FALSE(ui.settings.active().linked);
  ui.key('Z', ui::key::control);
  EXPECT_EQ(ui.filter().kind, "box");
  EXPECT_EQ(ui.settings.group().panes[1 - ui.settings.group().active_pane].filter.kind, "gaussian");
}

}  // namespace
}  // namespace convoscope::test
