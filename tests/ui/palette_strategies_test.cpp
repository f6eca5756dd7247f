// Strategies in the palette where another backend is at work, and what shows beside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/windows/palette.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(PaletteStrategies, OneOfAnotherBackendSaysWhereItRuns) {
  Harness ui(cpu_sample());
  ui.stats.why_no_gpu = "No NVIDIA driver was found on this machine.";
  const std::vector<ui::Command> commands = ui::palette_commands(ui.stats, ui.settings);
  const ui::FoundCommands found = ui::find_commands(commands, "winograd");
  ASSERT_EQ(found.by, ui::Answers::words);
  const ui::Command& first = *found.commands.front();
  EXPECT_THAT(first.name, StartsWith("Strategy: winograd, "));
  EXPECT_THAT(first.why_not, HasSubstr("winograd needs CUDA. K tries the emulator."));

  ui.key('P', ui::key::control);
  ui.frame(3);
  ui.type("winograd");
  ui.frame(3);
  EXPECT_TRUE(says("winograd needs CUDA.")) << "beside its name";
  ui.key(ui::key::enter);
  ui.frame(3);
  EXPECT_EQ(ui.settings.active().strategy, "cpu-separable");
  EXPECT_EQ(ui::ui_state().feedback.text, first.why_not);
}

TEST(PaletteStrategies, WhatRunsHereComesFirst) {
  Harness ui(cpu_sample());
  const std::vector<ui::Command> commands = ui::palette_commands(ui.stats, ui.settings);
  const ui::FoundCommands found = ui::find_commands(commands, "separable");
  EXPECT_THAT(found.commands.front()->name, StartsWith("Strategy: cpu-separable, "));
  bool refused = false;
  for (const ui::Command* const command : found.commands) {
    EXPECT_TRUE(!refused || !command->why_not.empty()) << command->name;
    refused |= !command->why_not.empty();
  }
  EXPECT_TRUE(refused);
}

TEST(Palette, HasNoTooltipOfWhatItLiesOver) {
  Harness ui;
  ui.settings.open_panels = {"strategy"};
  ui.frame(3);
  ui.move_to("strategy/global");
  ui.frame(3);
  ASSERT_NE(ui::tooltip_text(), "");
  ui.key('P', ui::key::control);
  for (int i = 0; i < 4; ++i) {
    ui.frame();
    EXPECT_EQ(ui::tooltip_text(), "");
  }
  ui.key(ui::key::escape);
  ui.frame(4);
  EXPECT_NE(ui::tooltip_text(), "");
}

}  // namespace
}  // namespace convoscope::test
