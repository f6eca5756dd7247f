// Choosing strategies where the emulator is at work, and where another one stands in for the choice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "app/ui/actions/strategy_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/panels/panel.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/windows/palette.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// All that the strategy panel writes. A log ends with its window, so this one has the panel alone.
std::string panel_texts(Harness& ui) {
  ui.frame(3);
  ImGui::NewFrame();
  ImGui::SetNextWindowSize({600, 800});
  ImGui::Begin("panel");
  ImGui::LogToClipboard();
  (*std::ranges::find(ui::panels(), "strategy", &ui::Panel::id))->draw(ui.stats, ui.settings, ui.requests);
  ImGui::LogFinish();
  ImGui::End();
  ImGui::Render();
  const char* const text = ImGui::GetClipboardText();
  return text ? text : "";
}

TEST(EmulatedStrategies, EachCanBeClicked) {
  Harness ui(emulated_sample());
  ui.settings.open_panels = {"strategy"};
  ui.filter() = parse_filter("gaussian:radius=1");  // that all of them take
  for (const StrategyRow& row : ui.stats.ladder) {
    if (row.backend != Backend::emulated) continue;
    const std::string id(row.strategy->id);
    ui.settings.active().strategy = id;  // the list scrolls there, and stays
    ui.frame(3);
    ui.settings.active().strategy = "source";
    ui.click("strategy/" + id);
    EXPECT_EQ(ui.settings.active().strategy, id);
  }
}

TEST(EmulatedStrategies, TheKeyGoesThroughAllOfThemAndStaysAmongThem) {
  Harness ui(emulated_sample());
  ui.filter() = parse_filter("gaussian:radius=1");
  std::set<std::string> expected, seen;
  for (const StrategyRow& row : ui.stats.ladder)
    if (row.backend == Backend::emulated) expected.emplace(row.strategy->id);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ui.key('N');
    seen.insert(ui.settings.active().strategy);
  }
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(ui.settings.active().strategy, "constant") << "where it began";
}

TEST(CpuStrategiesInThePanel, NinePanesGoRoundThroughThemAll) {
  Harness ui(cpu_sample());
  while (ui.settings.group().panes.size() < max_panes) {
    const std::string before = ui.settings.active().strategy;
    ui.key('D', ui::key::control);
    ui.frame(1);
    EXPECT_NE(ui.settings.active().strategy, before) << "pane " << ui.settings.group().panes.size();
  }
  EXPECT_EQ(ui::ui_state().feedback.text,
            "Every strategy that can run here is shown already, so this pane repeats one");
}

TEST(EmulatedStrategies, ANewPaneHasTheNextOfTheSameBackendThatTakesTheFilter) {
  Harness ui(emulated_sample());
  ui.settings.active().strategy = "separable";  // winograd is next, and does not take 9 × 9
  ui.key('D', ui::key::control);
  ASSERT_EQ(ui.settings.group().panes.size(), 2u);
  EXPECT_EQ(ui.settings.active().strategy, "cudnn");
}

TEST(EmulatedStrategies, ThePaletteHasThem) {
  Harness ui(emulated_sample());
  ui.settings.active().strategy = "global";
  ui.frame(2);
  const std::vector<ui::Command> commands = ui::palette_commands(ui.stats, ui.settings);
  const auto found =
      std::ranges::find_if(commands, [](const ui::Command& c) { return c.name.starts_with("Strategy: constant,"); });
  ASSERT_NE(found, commands.end());
  found->run(ui.stats, ui.settings, ui.requests);
  EXPECT_EQ(ui.settings.active().strategy, "constant");
}

TEST(EmulatedStrategies, OnlyWhatIsKnownIsShown) {
  Harness emulated(emulated_sample());
  emulated.settings.open_panels = {"strategy"};
  const std::string unknown = panel_texts(emulated);
  EXPECT_THAT(unknown, HasSubstr("Grid × block"));
  EXPECT_THAT(unknown, HasSubstr("Shared memory"));
  EXPECT_THAT(unknown, HasSubstr("known only on a GPU"));
  EXPECT_THAT(unknown, Not(HasSubstr("a thread")));
  EXPECT_THAT(unknown, Not(HasSubstr("blocks an SM")));
}

// A library that was opened beside the window: the reasons that were remembered are asked for again.
TEST(EmulatedStrategies, AreAskedAgainWhenALibraryHasBecomeKnown) {
  static std::string missing;
  missing.clear();
  const Strategy peer{.id = "peer", .refuses = [](const Problem&, const Device&, const Tuned&) { return missing; }};
  Harness ui(emulated_sample());
  ui.stats.ladder = {{&peer, Backend::emulated, true, {}}};
  EXPECT_EQ(ui::why_unfit(0, ui.stats, ui.settings), "");
  missing = "The peer is not installed.";
  EXPECT_EQ(ui::why_unfit(0, ui.stats, ui.settings), "") << "it is remembered, not asked in each frame";
  ++libraries_opened;
  EXPECT_EQ(ui::why_unfit(0, ui.stats, ui.settings), missing);
}

// 64 × 64 outputs of the sample's 9 × 9 filter.
TEST(EmulatedStrategies, AModelWithATileSaysWhatItHoldsAndSaves) {
  Harness ui(emulated_sample());
  ui.settings.open_panels = {"strategy"};
  EXPECT_THAT(panel_texts(ui), Not(HasSubstr("Input tile")));
  Cost& cost = ui.stats.panes[0].cost;
  cost.global_loads_per_output = 72.0 * 72 / (64 * 64);
  cost.tile_width = cost.tile_height = 72;
  const std::string said = panel_texts(ui);
  EXPECT_THAT(said, HasSubstr("Fewer loads"));
  EXPECT_THAT(said, HasSubstr("64 ×"));
  EXPECT_THAT(said, HasSubstr("72 × 72, 20.2 KiB"));
}

TEST(EmulatedStrategies, AModelSaysWhatTheEdgesChange) {
  Harness ui(emulated_sample());
  ui.settings.open_panels = {"strategy"};
  ui.settings.active().border = Border::replicate;
  EXPECT_THAT(panel_texts(ui), AllOf(Not(HasSubstr("Ghost cells")), Not(HasSubstr("Diverging warps"))));
  ui.settings.active().border = Border::zero;
  EXPECT_THAT(panel_texts(ui), HasSubstr("Ghost cells"));
  ui.settings.active().border = Border::replicate;
  ui.stats.panes[0].cost.diverging_warps = 0.034;
  EXPECT_THAT(panel_texts(ui), AllOf(HasSubstr("Diverging warps"), HasSubstr("3.4 %")));
}

TEST(CompiledStrategies, AllOfItIsShown) {
  Sample sample = typical_sample();
  sample.settings.group().panes[0].id = sample.stats.panes[0].id = 1;
  Harness ui(std::move(sample));
  ui.settings.open_panels = {"strategy"};
  const std::string known = panel_texts(ui);
  EXPECT_THAT(known, HasSubstr("38 a thread"));
  EXPECT_THAT(known, HasSubstr("6 blocks an SM"));
  EXPECT_THAT(known, Not(HasSubstr("known only on a GPU")));
}

TEST(Strategies, TheChosenRowIsInSightAlsoAfterTheBackendIsAnother) {
  Harness ui(cpu_sample());
  ui.settings.open_panels = {"strategy"};
  ui.settings.active().strategy = "cpu-direct";
  ui.frame(5);
  ASSERT_TRUE(ui::item_rectangle("strategy/cpu-direct"));
  Sample emulated = emulated_sample();
  emulated.stats.backend = "emulated";
  // The rows of the CPU come last now.
  std::ranges::stable_sort(emulated.stats.ladder, std::ranges::greater(), &StrategyRow::backend);
  ui.stats = emulated.stats;
  ui.frame(5);
  const auto row = std::ranges::find(ui::marks(), "strategy/cpu-direct", &ui::Mark::id);
  ASSERT_NE(row, ui::marks().end());
  EXPECT_GT(row->seen.to.y - row->seen.from.y, 20) << "it lies in the part of the list that is seen";
}

TEST(Strategies, WhatStandsBelowTheListIsNoTooltipOfIt) {
  Harness ui;
  ui.settings.open_panels = {"strategy"};
  ui.settings.active().strategy = "global";
  ui.frame(3);
  ui.move_to("strategy/global");
  ui.frame(3);
  EXPECT_EQ(ui::tooltip_text(), "");
  ui.move_to("strategy/constant");
  ui.frame(3);
  EXPECT_NE(ui::tooltip_text(), "") << "another one's idea is read before it is chosen";
}

TEST(Substitute, ThePanelSaysSoAndItsButtonMakesItTheChoice) {
  Harness ui(substitute_sample());
  ui.settings.open_panels = {"strategy"};
  std::string said = panel_texts(ui);
  std::ranges::replace(said, '\n', ' ');  // where it is wrapped is the panel's affair
  EXPECT_THAT(said, HasSubstr("constant runs instead."));
  ui.click("choose-what-runs");
  EXPECT_EQ(ui.settings.active().strategy, "constant");
}

TEST(Substitute, ThePaneSaysSoAndItsButtonMakesItTheChoice) {
  Harness ui(substitute_sample());
  ui.frame(3);
  const std::string said = "Runs constant, as winograd cannot run: Wino";
  EXPECT_TRUE(std::ranges::any_of(ui::drawn_texts(), [&](const auto& drawn) { return drawn.text.starts_with(said); }))
      << "why, as far as there is room";
  ui.move_to("pane/1/why-substitute");
  ui.frame(2);
  EXPECT_EQ(ui::tooltip_text(), ui.stats.panes[0].why_substitute) << "all of it";
  ui.click("pane/1/choose-what-runs");
  EXPECT_EQ(ui.settings.active().strategy, "constant");
}

TEST(Substitute, ThePaneSaysTheWholeReasonWhereThereIsRoom) {
  Harness ui(substitute_sample(), 1280, 720);
  ui.stats.panes[0].why_substitute =
      "winograd cannot run: This filter has rank 2: only a filter of rank 1, a column times a row, can be done in two "
      "passes. constant runs instead.";
  ui.frame(3);
  std::string said;
  for (const ui::DrawnText& drawn : ui::drawn_texts()) said += drawn.text + " ";
  std::ranges::replace(said, '\n', ' ');
  EXPECT_THAT(said, HasSubstr("Runs constant, as winograd cannot run: this filter has rank 2: only a filter of rank 1, "
                              "a column times a row, can be done in two passes."));
}

// The settings are those of the choice; what was compiled and the model are of what runs.
TEST(Substitute, ThePanelSaysWhatBelongsToWhich) {
  const auto order = [](const std::string& text) {
    const std::size_t chosen = text.find("CHOSEN  ·  winograd, which does not run now"), settings = text.find("Block"),
                      runs = text.find("RUNS INSTEAD  ·  constant"), model = text.find("MODEL");
    return chosen < settings && settings < runs && runs < model && model != std::string::npos;
  };
  Harness ui(substitute_sample());
  EXPECT_TRUE(order(panel_texts(ui))) << panel_texts(ui);
  Harness automatic;
  automatic.settings.group().panes[0].strategy = automatic.stats.panes[0].strategy = "auto";
  EXPECT_THAT(panel_texts(automatic), HasSubstr("RUNS  ·  constant"));
  Harness usual;
  EXPECT_THAT(panel_texts(usual), Not(HasSubstr("CHOSEN")));
}

TEST(Substitute, TheKeyMakesItTheChoice) {
  Harness ui(substitute_sample());
  ui.key('N', ui::key::control);
  EXPECT_EQ(ui.settings.active().strategy, "constant");
  ui.key('N', ui::key::control);
  EXPECT_EQ(ui.settings.active().strategy, "constant") << "nothing else runs";
}

TEST(Substitute, ARowThatRefusesTheFilterCanBeChosenAllTheSame) {
  Harness ui(emulated_sample());
  ui.settings.open_panels = {"strategy"};
  ui.settings.active().strategy = "separable";
  ui.frame(3);
  ui.click("strategy/winograd");
  EXPECT_EQ(ui.settings.active().strategy, "winograd");
}

TEST(Substitute, NextGoesOnFromAChoiceThatCannotRun) {
  Harness ui(substitute_sample());
  ui.key('N');
  EXPECT_EQ(ui.settings.active().strategy, "auto") << "cudnn is not installed";
  ui.key('P');
  EXPECT_EQ(ui.settings.active().strategy, "separable") << "winograd is left out";
}

}  // namespace
}  // namespace convoscope::test
