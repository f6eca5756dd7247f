// Undo beside filters: strategies, how they are tuned, and how the panes lie.
#include "app/ui/memory/choice_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/ui/actions/workbench_actions.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/tooltips.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

void press(Harness& ui, int key, int modifiers = 0) {
  ui.key(key, modifiers);
  ui.frame(2);
}

TEST(ChoiceHistory, AStrategyAndAViewAreUndoneInTurnWithFilters) {
  Harness ui;
  ui.settings.group().view = View::grid;
  ui.frame(2);
  const std::string strategy = ui.settings.active().strategy, kind = ui.filter().kind;
  press(ui, 'N');
  const std::string chosen = ui.settings.active().strategy;
  ASSERT_NE(chosen, strategy);
  press(ui, 'G');
  ASSERT_NE(ui.filter().kind, kind);
  press(ui, '5', ui::key::shift);
  ASSERT_EQ(ui.settings.group().view, View::blink);
  press(ui, 'Z', ui::key::control);
  EXPECT_EQ(ui.settings.group().view, View::grid);
  EXPECT_NE(ui.filter().kind, kind) << "one step at a time";
  press(ui, 'Z', ui::key::control);
  EXPECT_EQ(ui.filter().kind, kind);
  EXPECT_EQ(ui.settings.active().strategy, chosen);
  press(ui, 'Z', ui::key::control);
  EXPECT_EQ(ui.settings.active().strategy, strategy);
  for (int i = 0; i < 3; ++i) press(ui, 'Y', ui::key::control);
  EXPECT_EQ(ui.settings.active().strategy, chosen);
  EXPECT_NE(ui.filter().kind, kind);
  EXPECT_EQ(ui.settings.group().view, View::blink);
}

TEST(ChoiceHistory, OfAnotherPaneIsUndoneToo) {
  Harness ui(panes_sample(3));
  ui.settings.group().active_pane = 2;
  ui.frame(2);
  const std::string before = ui.settings.group().panes[2].strategy;
  press(ui, 'N');
  ASSERT_NE(ui.settings.group().panes[2].strategy, before);
  ui.settings.group().active_pane = 0;
  ui.frame(2);
  press(ui, 'Z', ui::key::control);
  EXPECT_EQ(ui.settings.group().panes[2].strategy, before);
}

TEST(ChoiceHistory, ALineThatIsDraggedIsOneStep) {
  Harness ui(panes_sample(2));
  ui.settings.group().view = View::split;
  ui.frame(2);
  ui::ui_state().drag.kind = ui::PictureDrag::Kind::wipe;
  for (const double at : {0.4, 0.3, 0.2}) {
    ui.settings.split.lines = {at};
    ui::observe_history(ui.settings, true);
  }
  ui::ui_state().drag.kind = ui::PictureDrag::Kind::none;
  ui::observe_history(ui.settings, true);
  ui::undo(ui.settings);
  EXPECT_EQ(ui.settings.split.lines, std::vector<double>{});
}

TEST(ChoiceHistory, WhatWasOfAPaneThatIsGoneIsPassedOver) {
  Harness ui(panes_sample(3));
  ui.settings.group().view = View::grid;
  ui.settings.group().active_pane = 2;
  ui.frame(2);
  press(ui, '5', ui::key::shift);
  press(ui, 'N');
  press(ui, 'W', ui::key::control);  // closes it
  ASSERT_EQ(ui.settings.group().panes.size(), 2u);
  press(ui, 'Z', ui::key::control);
  EXPECT_EQ(ui.settings.group().panes.size(), 3u) << "the closing came last";
  const Settings there = ui.settings;
  while (ui::can_undo(ui.settings)) ui::undo(ui.settings);
  EXPECT_EQ(ui.settings.group().panes.size(), there.group().panes.size());
}

TEST(ChoiceHistory, TheButtonSaysWhatItCovers) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  ui.frame(2);
  press(ui, 'N');
  ui.move_to("undo");
  ui.frame(40);
  EXPECT_THAT(ui::tooltip_text(), testing::HasSubstr("a strategy, the view"));
}

}  // namespace
}  // namespace convoscope::test
