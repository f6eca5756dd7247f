// What a panel calls a control is what the palette finds it by: forgotten in Panel::controls, it fails here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "app/state/workbench.h"
#include "app/ui/actions/layer_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/panels/panel.h"
#include "app/ui/windows/palette.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

// Names of weights, layers and strategies are not those of controls.
bool names_a_control(const std::string& label) {
  const bool has_letter = std::ranges::any_of(label, [](unsigned char c) { return std::isalpha(c) != 0; });
  const bool counts = std::ranges::any_of(label, [](unsigned char c) { return std::isdigit(c) != 0; });
  return has_letter && !counts && !label.starts_with("Choose ");
}

void expect_found(const Harness& ui) {
  const std::vector<ui::Command> commands = ui::palette_commands(ui.stats, ui.settings);
  for (const std::string& label : ui::drawn_labels()) {
    if (!names_a_control(label)) continue;
    const ui::FoundCommands found = ui::find_commands(commands, label);
    EXPECT_EQ(found.by, ui::Answers::words) << label;
    const auto has_label = [&](const ui::Command* command) {
      return command->name.find(": " + label) != std::string::npos || command->also.find(label) != std::string::npos;
    };
    EXPECT_TRUE(std::ranges::any_of(found.commands, has_label)) << label;
  }
}

void open_all(Harness& ui) {
  for (const ui::Panel* const panel : ui::panels()) ui.settings.open_panels.emplace(panel->id);
  ui.settings.recording.keep_last_seconds = true;
  ui.frame(3);
}

TEST(PaletteLabels, OfEveryPanelAreFoundInEachWorkbenchAndView) {
  for (const Workbench& bench : workbenches)
    for (const View view : {View::split, View::blink, View::difference}) {
      SCOPED_TRACE(std::string(bench.id) + ", view " + std::to_string(static_cast<int>(view)));
      Harness ui;
      show_workbench(ui.settings, bench.id);
      if (ui.settings.group().panes.size() < 2) ui.settings.group().panes.resize(2, ui.settings.group().panes[0]);
      ui.settings.group().view = view;
      open_all(ui);
      expect_found(ui);
    }
}

TEST(PaletteLabels, OfWhatIsLearntAndOfANetworkAreFound) {
  for (const LearnTask task : {LearnTask::filter, LearnTask::denoise, LearnTask::pane}) {
    Harness ui;
    show_workbench(ui.settings, "layer");
    ui.settings.learn.task = task;
    ui.settings.learn.layers = 2;
    ui::choose_network(ui.settings, "denoise");
    open_all(ui);
    expect_found(ui);
  }
}

TEST(PaletteLabels, ShowThePanelTheyAreIn) {
  Harness ui;
  ui.settings.open_panels = {};
  ui.settings.show_panels = false;
  const std::vector<ui::Command> commands = ui::palette_commands(ui.stats, ui.settings);
  const ui::FoundCommands found = ui::find_commands(commands, "keep them");
  ASSERT_FALSE(found.commands.empty());
  EXPECT_EQ(found.commands[0]->name, "Recording panel: Keep them");
  found.commands[0]->run(ui.stats, ui.settings, ui.requests);
  ui.frame(4);
  EXPECT_TRUE(drawn(ui, "keep-last"));
}

TEST(PaletteLabels, WhatDoesItComesBeforeWhatShowsIt) {
  Harness ui;
  const std::vector<ui::Command> commands = ui::palette_commands(ui.stats, ui.settings);
  EXPECT_EQ(ui::find_commands(commands, "light").commands.at(0)->name, "Window: Dark or light");
  show_workbench(ui.settings, "volume");
  const std::vector<ui::Command> of_time = ui::palette_commands(ui.stats, ui.settings);
  EXPECT_EQ(ui::find_commands(of_time, "reach").commands.at(0)->name, "Filter panel: Frames");
}

// Enter takes the first one, and whoever types what a picture is to look like means a filter for it.
TEST(PaletteFilters, OfTheWorkbenchThatIsShownComeFirst) {
  Harness ui;
  ui.settings.recent = {"pattern:edges"};
  const std::vector<ui::Command> commands = ui::palette_commands(ui.stats, ui.settings);
  const auto is_filter = [](const ui::Command* command) { return command->name.starts_with("Filter: "); };
  for (const std::string typed : {"blur", "edge", "edge detection"}) {
    const ui::FoundCommands found = ui::find_commands(commands, typed);
    ASSERT_EQ(found.by, ui::Answers::words) << typed;
    EXPECT_TRUE(std::ranges::is_partitioned(found.commands, is_filter)) << typed;
    EXPECT_TRUE(is_filter(found.commands[0])) << typed;
  }
  const std::vector<const ui::Command*> blur = ui::find_commands(commands, "blur").commands;
  EXPECT_TRUE(blur.back()->name.ends_with(" workbench)")) << "a bank or network, after all else";
  show_workbench(ui.settings, "layer");
  const std::vector<ui::Command> of_layer = ui::palette_commands(ui.stats, ui.settings);
  EXPECT_EQ(ui::find_commands(of_layer, "edge").commands[0]->name, "Bank: Edges");
}

}  // namespace
}  // namespace convoscope::test
