// What a card says, and what the mouse and a key do to it.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/ui/cards/cards.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/tooltips.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

TEST(CardLine, SaysTheIntervalAsPreciselyAsTheMedian) {
  Harness ui;
  const double median = ui.stats.panes[0].kernel.median();
  ui.stats.panes[0].median_interval = Interval{median - 0.002, median + 0.002};
  ui.frame(2);
  const ui::CardLine line = ui::card_parts(ui.stats, ui.settings, ui.layout, 0).line;
  EXPECT_EQ(line.interval, "± 0.0020") << "of " << line.median;
}

TEST(CardLine, TellsTheEndsOfAnIntervalThatIsNotEvenAboutTheMedian) {
  Harness ui;
  const double median = ui.stats.panes[0].kernel.median();
  for (const Interval interval :
       {Interval{median * 0.99, median * 1.2}, Interval{median * 0.1, median * 2.2}, Interval{0, median * 4.2}}) {
    ui.stats.panes[0].median_interval = interval;
    ui.frame(2);
    const ui::CardLine line = ui::card_parts(ui.stats, ui.settings, ui.layout, 0).line;
    EXPECT_EQ(line.interval, ui::format_interval(interval.low, interval.high)) << "as the panel does";
    EXPECT_EQ(line.interval.find("–"), std::string::npos) << "an end that is not known is left out";
  }
}

// In rooms that become narrower: nothing comes back, and the time is there for longest.
TEST(CardLine, LeavesOutTheIntervalThenShortensTheFilter) {
  Harness ui;
  PaneStats& pane = ui.stats.panes[0];
  const double median = pane.kernel.median();
  pane.median_interval = Interval{median - 0.002, median + 0.002};
  ui.filter() = parse_filter("log");
  ui.frame(2);
  const auto line_in = [&](float width) { return ui::card_line(ui.stats, ui.settings, 0, {0, 0, width, 500}, 1e9f); };
  const ui::CardLine whole = line_in(900);
  ASSERT_EQ(whole.title, "Laplacian of Gaussian");
  ASSERT_FALSE(whole.median.empty() || whole.interval.empty());
  EXPECT_TRUE(line_in(whole.width - 1).interval.empty());
  EXPECT_EQ(line_in(whole.width - 1).title, whole.title);
  bool shortened = false;
  for (float width = whole.width; width > 110; --width) {
    const ui::CardLine line = line_in(width);
    EXPECT_LE(line.width, width);
    EXPECT_EQ(line.number, "1") << width;
    EXPECT_EQ(line.median, whole.median) << width;
    EXPECT_TRUE(line.title.empty() || line.id == "constant") << width;
    EXPECT_TRUE(line.interval.empty() || line.title == whole.title) << width;
    shortened |= line.title != whole.title && !line.median.empty();
  }
  EXPECT_TRUE(shortened);
}

// A time is never shown beside the name of a strategy that did not take it.
TEST(CardLine, SaysWhatReallyRunsAtEveryWidth) {
  Harness ui(substitute_sample());
  PaneStats& pane = ui.stats.panes[0];
  pane.runs = pane.substitute = "cpu-separable-int16";
  ui.frame(2);
  const auto line_in = [&](float width) { return ui::card_line(ui.stats, ui.settings, 0, {0, 0, width, 500}, 1e9f); };
  const ui::CardLine whole = line_in(900);
  ASSERT_EQ(whole.id, "winograd → cpu-separable-int16");
  bool shortened = false;
  for (float width = whole.width; width > 60; --width) {
    const ui::CardLine line = line_in(width);
    EXPECT_LE(line.width, width);
    EXPECT_TRUE(line.id.starts_with("wi")) << width << ": " << line.id;
    EXPECT_TRUE(line.median.empty() || line.id.starts_with("winograd → ")) << width << ": " << line.id;
    EXPECT_TRUE(line.title.empty() || line.id == whole.id) << width << ": " << line.title;
    shortened |= line.id.starts_with("winograd → cpu") && line.id.ends_with("…") && line.median == whole.median;
    EXPECT_FALSE(line.id.ends_with("→")) << width << ": what runs is cut, and nothing says so";
  }
  EXPECT_TRUE(shortened);
}

TEST(CardLine, WhatChoseWhatRunsKeepsItsTime) {
  Harness ui(cpu_sample());
  ui.settings.group().panes[0].strategy = ui.stats.panes[0].strategy = "auto";
  ui.stats.panes[0].runs = "cpu-separable-int16";
  ui.stats.panes[0].substitute.clear();
  ui.frame(2);
  const auto line_in = [&](float width) { return ui::card_line(ui.stats, ui.settings, 0, {0, 0, width, 500}, 1e9f); };
  const ui::CardLine whole = line_in(900);
  ASSERT_EQ(whole.id, "auto → cpu-separable-int16");
  ASSERT_NE(whole.median, "");
  bool chosen = false, time_alone = false;
  for (float width = whole.width; width > 60; --width) {
    const ui::CardLine line = line_in(width);
    EXPECT_LE(line.width, width);
    EXPECT_FALSE(line.id.ends_with("→")) << width;
    EXPECT_TRUE(line.median == whole.median || width < 110) << width << ": " << line.id;
    chosen |= line.id == "auto" && line.median == whole.median;
    time_alone |= line.id.empty() && line.median == whole.median;
  }
  EXPECT_TRUE(chosen);
  EXPECT_TRUE(time_alone);
}

// Who compares several has to see which is which.
TEST(CardLine, WhyThereIsNoTimeGoesBeforeTheName) {
  Harness ui(emulated_sample());
  ui.frame(2);
  const auto line_in = [&](float width) { return ui::card_line(ui.stats, ui.settings, 0, {0, 0, width, 500}, 1e9f); };
  const ui::CardLine whole = line_in(900);
  ASSERT_EQ(whole.median, "emulated, not timed");
  bool shortened = false, alone = false;
  for (float width = whole.width; width > 60; --width) {
    const ui::CardLine line = line_in(width);
    EXPECT_LE(line.width, width);
    EXPECT_TRUE(line.median.empty() || line.id == whole.id) << width << ": " << line.id;
    EXPECT_FALSE(line.id.empty()) << width;
    shortened |= line.median == "emulated";
    alone |= line.id == whole.id && line.median.empty();
  }
  EXPECT_TRUE(shortened);
  EXPECT_TRUE(alone);
}

TEST(CardLine, SaysThatEmulatedKernelsAreNotTimed) {
  Harness ui(emulated_sample());
  ui.frame(2);
  EXPECT_EQ(ui::card_parts(ui.stats, ui.settings, ui.layout, 0).line.median, "emulated, not timed");
  ui.settings.group().panes[0].card.shape = CardShape::open;
  ui.frame(2);
  EXPECT_TRUE(says("says nothing about")) << "where the figures would be";
  EXPECT_FALSE(says("median"));
  ui.settings.group().panes[0].card = {};
  ui.settings.group().panes[0].strategy = ui.stats.panes[0].strategy = "cpu-direct";
  ui.frame(2);
  EXPECT_EQ(ui::card_parts(ui.stats, ui.settings, ui.layout, 0).line.median, "") << "it is timed, and not yet";
}

// What chooses the fastest times nothing in the emulator.
TEST(CardLine, CallsNothingTheFastestThatIsNotTimed) {
  Sample sample = emulated_sample();
  Strategy chooser = *std::ranges::find(sample.stats.ladder, "auto", [](const StrategyRow& row) {
                        return row.strategy->id;
                      })->strategy;
  chooser.chooses = true;
  sample.stats.ladder = {{&chooser, Backend::emulated, true, ""}};
  sample.settings.group().panes[0].strategy = sample.stats.panes[0].strategy = "auto";
  sample.stats.panes[0].title = chooser.title;
  Harness ui(sample);
  ui.frame(2);
  EXPECT_EQ(ui::pane_title(ui.settings.group().panes[0], ui.stats), "Best by the cost model");
  EXPECT_FALSE(says("Likely the fastest"));
  ui.stats.device.backend = Backend::cuda;
  EXPECT_EQ(ui::pane_title(ui.settings.group().panes[0], ui.stats), "Likely the fastest");
}

TEST(Card, ThatIsOpenSaysWhatReallyRuns) {
  Harness ui(substitute_sample());
  ui.settings.group().panes[0].card.shape = CardShape::open;
  ui.frame(2);
  EXPECT_TRUE(says("winograd → constant"));
}

TEST(Card, NamesItsStrategyAsTheCommandLineDoes) {
  Harness ui(panes_sample(4));
  ui.settings.group().view = View::grid;
  ui.frame(2);
  const ui::CardLine line = ui::card_parts(ui.stats, ui.settings, ui.layout, 2).line;
  EXPECT_EQ(line.number, "3");
  EXPECT_EQ(line.id, "tiled-halo");
  EXPECT_EQ(line.title, "Sharpen") << "and what it filters with, as all linked panes do";
  EXPECT_FALSE(line.median.empty());
}

TEST(Card, OpensUnderTheMouseAndFoldsWhenItLeaves) {
  Harness ui(panes_sample(4));
  ui.settings.group().view = View::grid;
  ui.frame(2);
  ui.move_to("card/2");
  ui.frame(40);
  EXPECT_TRUE(drawn(ui, "card/2/hide"));
  ui.move(700, 400);
  EXPECT_FALSE(drawn(ui, "card/2/hide"));
}

TEST(Card, ThatIsOpenLeavesNothingToReachOfThoseBelowIt) {
  Harness ui(panes_sample(9), 900, 600);
  ui.settings.group().view = View::grid;
  for (PaneStats& pane : ui.stats.panes) pane.check.state = CheckResult::State::right;
  ui.frame(2);
  for (int i = 1; i <= 9; ++i) {
    ui.move_to("card/" + std::to_string(i));
    ui.frame(40);
    for (const std::string& fault : ui::layout_faults()) EXPECT_EQ(fault.find("/badge"), std::string::npos) << fault;
  }
}

TEST(Card, ItsBadgeSaysThatCheckingRestsWhileTheLayerLearns) {
  Harness ui(learning_sample());
  ui.stats.panes[0].check = {};
  ui.frame(2);
  ASSERT_TRUE(drawn(ui, "card/1/badge"));
  ui.move_to("card/1/badge");
  ui.frame(2);
  EXPECT_NE(ui::tooltip_text().find("Checking is paused while the layer learns"), std::string::npos);
  ui.move(-1000, -1000);
  ui::momentary().learning = false;
  ui.frame(2);
  EXPECT_FALSE(drawn(ui, "card/1/badge")) << "nothing has been checked yet";
}

TEST(Card, ItsBadgeSaysWhyNothingCanBeCompared) {
  Harness ui;
  CheckResult& check = ui.stats.panes[0].check = {};
  check.state = CheckResult::State::impossible;
  check.reason = "Any output would pass.";
  ui.frame(2);
  ASSERT_TRUE(drawn(ui, "card/1/badge"));
  ui.move_to("card/1/badge");
  ui.frame(2);
  EXPECT_EQ(ui::tooltip_text(), "It is not compared with the reference: Any output would pass.");
  ui.stats.panes[0].problem = "It does not run.";
  ui.frame(2);
  EXPECT_FALSE(drawn(ui, "card/1/badge")) << "the pane says it itself";
}

bool lies_in_pane(const ui::Area& card, int pane, const Harness& ui) {
  for (const float x : {card.x + 1, card.x + card.width - 1})
    for (const float y : {card.y + 1, card.y + card.height - 1})
      if (ui::pane_at(ui.settings, ui.layout, x, y) != pane) return false;
  return true;
}

TEST(Card, ThatOpensUnderTheMouseStaysInASlantedSlice) {
  for (const double angle : {30.0, -30.0}) {
    Harness ui(panes_sample(3));
    ui.settings.group().view = View::split;
    ui.settings.split.angle = angle;
    ui.frame(2);
    const ui::Area stage = ui::picture_area(ui.layout);
    ui.panes.assign(3, {stage.x, stage.y, stage.width, stage.height});
    ui.frame(2);
    ui.move_to("card/2");
    ui.frame(60);
    const ui::CardParts card = ui::card_parts(ui.stats, ui.settings, ui.layout, 1);
    ASSERT_TRUE(card.open) << angle;
    EXPECT_TRUE(lies_in_pane(card.card, 1, ui)) << angle;
  }
}

TEST(Card, ThatIsKeptOpenIsOpenInASlantedSlice) {
  for (const double angle : {30.0, -30.0, 60.0}) {
    SCOPED_TRACE(angle);
    Harness ui(panes_sample(2));
    ui.settings.group().view = View::split;
    ui.settings.split.angle = angle;
    ui.frame(2);
    const ui::Area stage = ui::picture_area(ui.layout);
    ui.panes.assign(2, {stage.x, stage.y, stage.width, stage.height});
    for (const int pane : {0, 1}) {
      ui.settings.group().active_pane = pane;
      ui.frame(2);
      ui.key('O', ui::key::shift);
      EXPECT_TRUE(says("Label: full"));
      ui::CardParts card = ui::card_parts(ui.stats, ui.settings, ui.layout, pane);
      ASSERT_TRUE(card.open);
      EXPECT_TRUE(lies_in_pane(card.card, pane, ui));
      const ui::Area before = card.card;
      ui.move_to("card/" + std::to_string(pane + 1));
      ui.frame(60);
      card = ui::card_parts(ui.stats, ui.settings, ui.layout, pane);
      EXPECT_NEAR(card.card.x, before.x, 1) << "the mouse does not move it";
      EXPECT_NEAR(card.card.y, before.y, 1);
      ui.move(-1000, -1000);
      ui.frame(2);
    }
  }
}

TEST(Card, TheKeyLeavesOutWhatHasNoRoom) {
  Harness ui(panes_sample(9));
  ui.settings.group().view = View::split;
  ui.frame(2);
  const ui::Area stage = ui::picture_area(ui.layout);
  for (int i = 0; i < 9; ++i)
    ui.panes.push_back({stage.x + stage.width / 9 * static_cast<float>(i), stage.y, stage.width / 9, stage.height});
  ui.frame(2);
  ASSERT_TRUE(drawn(ui, "card/1"));
  ui.key('O', ui::key::shift);
  EXPECT_EQ(ui.settings.active().card.shape, CardShape::hidden);
  EXPECT_TRUE(says("Label: off; there is no room for the full one"));
  ui.key('O', ui::key::shift);
  EXPECT_EQ(ui.settings.active().card.shape, CardShape::line);
  ui.settings.open_panels = {"view"};
  ui.click("card/full");
  EXPECT_FALSE(drawn(ui, "card/1/fold"));
  EXPECT_TRUE(drawn(ui, "card/one-line"));
}

TEST(Card, AClickOnTheActiveOneKeepsItOpenAndTheNextFoldsIt) {
  Harness ui(panes_sample(4), 2560, 1440);
  ui.settings.group().view = View::grid;
  ui.settings.group().active_pane = 0;
  ui.click("card/2");
  EXPECT_EQ(ui.settings.group().active_pane, 1);
  EXPECT_EQ(ui.settings.group().panes[1].card.shape, CardShape::line) << "the first click picks its pane";
  ui.move_to("card/2");
  ui.press();
  ui.release();
  EXPECT_EQ(ui.settings.group().panes[1].card.shape, CardShape::open);
  ui.move(5, 700);
  EXPECT_TRUE(drawn(ui, "card/2/fold"));
  ui.click("card/2/fold");
  EXPECT_EQ(ui.settings.group().panes[1].card.shape, CardShape::line);
}

TEST(Card, IsMovedWithinItsPaneAndSwapsPanesWhenDroppedOnAnother) {
  Harness ui(panes_sample(4));
  ui.settings.group().view = View::grid;
  ui.frame(2);
  const ui::Area before = area_of(*ui::item_rectangle("card/1"));
  ui.drag("card/1", 60, 150);
  const CardSettings moved = ui.settings.group().panes[0].card;
  EXPECT_GT(moved.x, 0.05);
  EXPECT_GT(moved.y, 0.2);
  ui.move(700, 420);
  ASSERT_TRUE(drawn(ui, "card/1"));
  EXPECT_GT(area_of(*ui::item_rectangle("card/1")).y, before.y + 50);
  const std::string strategy = ui.settings.group().panes[0].strategy;
  const ui::Area other = ui::pane_area(ui.settings, ui.layout, 1), card = area_of(*ui::item_rectangle("card/1"));
  ui.drag("card/1", other.x + other.width / 2 - card.x, 0);
  EXPECT_EQ(ui.settings.group().panes[1].strategy, strategy);
  EXPECT_EQ(ui.settings.group().panes[1].card.x, moved.x) << "it lies in its pane as before";
  EXPECT_EQ(ui.settings.group().panes[1].card.y, moved.y);
}

TEST(Card, ThatIsThrownOnAnotherPaneLiesInItAsBefore) {
  Harness ui(panes_sample(4));
  ui.settings.group().view = View::grid;
  ui.frame(2);
  const std::string strategy = ui.settings.group().panes[0].strategy;
  const ui::Area card = area_of(*ui::item_rectangle("card/1")), other = ui::pane_area(ui.settings, ui.layout, 1);
  ui.move(card.x + 20, card.y + 8);
  ui.frame(2);
  ui.press();
  ui.move(card.x + 80, card.y + 90);
  ui.frame(2);
  ui.move(other.x + other.width / 2, other.y + 90);
  ui.release();  // in the frame that brings it there
  EXPECT_EQ(ui.settings.group().panes[1].strategy, strategy);
  EXPECT_EQ(ui.settings.group().panes[1].card.x, 0);
  EXPECT_EQ(ui.settings.group().panes[1].card.y, 0);
}

TEST(Card, AKeyOpensHidesAndBringsItBack) {
  Harness ui;
  ui.key('O', ui::key::shift);
  EXPECT_EQ(ui.settings.active().card.shape, CardShape::open);
  EXPECT_TRUE(drawn(ui, "card/1/hide"));
  ui.click("card/1/hide");
  EXPECT_EQ(ui.settings.active().card.shape, CardShape::hidden);
  EXPECT_FALSE(drawn(ui, "card/1"));
  ui.key('O', ui::key::shift);
  EXPECT_TRUE(drawn(ui, "card/1"));
}

TEST(Card, SaysWhyANetworkHasNoTimeWhileItLearns) {
  Harness ui(learning_sample());
  ui.stats.panes[0].kernel.clear();
  ui::momentary().learning = true;
  ui.frame(2);
  const auto line = [&] { return ui::card_line(ui.stats, ui.settings, 0, {0, 0, 600, 500}, 1e9f); };
  EXPECT_EQ(line().median, "learns, untimed");
  ui.stats.panes[0].kernel.add(18);  // from before it learned
  EXPECT_EQ(line().median, "learns, untimed");
  EXPECT_EQ(line().interval, "");
  ui.stats.panes[0].kernel.clear();
  ui::momentary().learning = false;
  EXPECT_EQ(line().median, "");
}

TEST(Card, APictureThatStaysHasNoRate) {
  Harness ui;
  ui.settings.active().card.shape = CardShape::open;
  ui.stats.panes[0].pictures_a_second = 0.125;
  ui.frame(2);
  EXPECT_TRUE(says("0.125 fps"));
  ui.stats.source.still = true;
  ui.frame(2);
  EXPECT_FALSE(says("fps"));
}

}  // namespace
}  // namespace convoscope::test
