#include "app/ui/filter_history.h"

#include <gtest/gtest.h>

#include "app/ui/keys/keys.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

TEST(FilterHistory, KeepsAHundredStepsAndMore) {
  ui::FilterHistory history;
  PaneSettings pane;
  pane.filter = parse_filter("box:radius=1");
  history.observe(pane, true);
  for (int i = 1; i <= 150; ++i) {
    pane.filter.filter.gain = static_cast<float>(i);
    history.observe(pane, true);
  }
  EXPECT_GE(history.undo_count(), 100u);
  for (int i = 149; i >= 50; --i) {
    ASSERT_TRUE(history.undo(pane));
    EXPECT_EQ(pane.filter.filter.gain, static_cast<float>(i));
  }
  for (int i = 51; i <= 150; ++i) {
    ASSERT_TRUE(history.redo(pane));
    EXPECT_EQ(pane.filter.filter.gain, static_cast<float>(i));
  }
  EXPECT_FALSE(history.redo(pane));
}

TEST(FilterHistory, AnEditAfterUndoForgetsWhatWasUndone) {
  ui::FilterHistory history;
  PaneSettings pane;
  pane.filter = parse_filter("box:radius=1");
  history.observe(pane, true);
  pane.filter.filter.gain = 2;
  history.observe(pane, true);
  ASSERT_TRUE(history.undo(pane));
  EXPECT_EQ(pane.filter.filter.gain, 1);
  pane.filter.filter.bias = 0.5f;
  history.observe(pane, true);
  EXPECT_EQ(history.redo_count(), 0u);
  ASSERT_TRUE(history.undo(pane));
  EXPECT_EQ(pane.filter.filter.bias, 0);
}

TEST(FilterHistory, AnEditJustBeforeUndoCounts) {
  ui::FilterHistory history;
  PaneSettings pane;
  pane.filter = parse_filter("box:radius=1");
  history.observe(pane, true);
  pane.filter.filter.gain = 2;  // not seen yet
  ASSERT_TRUE(history.undo(pane));
  EXPECT_EQ(pane.filter.filter.gain, 1);
  ASSERT_TRUE(history.redo(pane));
  EXPECT_EQ(pane.filter.filter.gain, 2);
}

TEST(FilterHistory, ABorderIsUndoneAsAFilterIs) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  ui.frame(2);
  const Border before = ui.settings.active().border;
  const FilterSpec filter = ui.filter();
  ui.key('B');
  ui.frame();
  const Border chosen = ui.settings.active().border;
  ASSERT_NE(chosen, before);
  ui.key('Z', ui::key::control);
  EXPECT_EQ(ui.settings.active().border, before);
  EXPECT_TRUE(ui.filter() == filter) << "it is one step";
  ui.frame();
  ui.click("redo");
  EXPECT_EQ(ui.settings.active().border, chosen);
}

}  // namespace
}  // namespace convoscope::test
