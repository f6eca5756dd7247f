#include "app/ui/memory/filter_history.h"

#include <gtest/gtest.h>

#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/parts/key_codes.h"
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

// The first click of a double click moves the knob for a moment.
TEST(FilterHistory, NumbersTypedAfterADoubleClickAreTheOnlySteps) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  ui.filter() = parse_filter("gaussian:radius=4");
  ui.frame(2);
  for (const char* const typed : {"10", "12"}) {
    ui.double_click("parameter/radius");
    ui.type(typed);
    ui.move(100, 300);  // outside of the panel: the typing is done
    ui.frame();
    ui.press();
    ui.release();
    ui.frame(40);
  }
  EXPECT_EQ(ui.filter().values[0], 12);
  for (const double before : {10, 4}) {
    ui.key('Z', ui::key::control);
    ui.frame(2);
    EXPECT_EQ(ui.filter().values[0], before);
  }
  EXPECT_FALSE(ui::can_undo(ui.settings));
}

// Three panes: the second has a filter of its own, the others are linked.
Sample of_three_panes() {
  Sample sample = panes_sample(3);
  for (PaneSettings& pane : sample.settings.group().panes) pane.filter = parse_filter("sharpen"), pane.linked = true;
  sample.settings.group().panes[1].linked = false;
  sample.settings.group().panes[1].filter = parse_filter("gaussian:radius=6");
  return sample;
}

TEST(FilterHistory, LinkingAPaneIsUndoneWithTheFilterThatItHad) {
  Harness ui(of_three_panes());
  const auto kind_of = [&](std::size_t pane) { return ui.settings.group().panes[pane].filter.kind; };
  ui.settings.group().active_pane = 0;
  ui.frame(2);
  ui.key('G');
  ui.frame(2);
  const std::string shared = kind_of(0);
  ASSERT_NE(shared, "sharpen");
  ui.settings.group().active_pane = 1;
  ui.frame(2);
  ui.key('L', ui::key::control);
  ui.frame(2);
  ASSERT_EQ(kind_of(1), shared);
  ui.key('Z', ui::key::control);
  ui.frame(2);
  EXPECT_FALSE(ui.settings.group().panes[1].linked);
  EXPECT_EQ(kind_of(1), "gaussian");
  EXPECT_EQ(kind_of(0), shared) << "the others stay what they are";
  ui.key('Y', ui::key::control);
  ui.frame(2);
  EXPECT_TRUE(ui.settings.group().panes[1].linked);
  EXPECT_EQ(kind_of(1), shared);
  ui.key('Z', ui::key::control);
  ui.frame(2);
  ui.settings.group().active_pane = 0;
  ui.frame(2);
  ui.key('Z', ui::key::control);
  ui.frame(2);
  EXPECT_EQ(kind_of(0), "sharpen");
  EXPECT_EQ(kind_of(1), "gaussian");
}

TEST(FilterHistory, APairThatWasComparedIsBackAsItWas) {
  for (const auto& [first, second] : {std::pair{0, 1}, {1, 0}, {2, 0}}) {
    Harness ui(of_three_panes());
    ui.settings.difference.first = first;
    ui.settings.difference.second = second;
    ui.settings.group().active_pane = 0;
    ui.frame(2);
    ui.key('W', ui::key::control);
    ui.frame(2);
    ui.key('Z', ui::key::control);
    ui.frame(2);
    EXPECT_EQ(ui.settings.difference.first, first);
    EXPECT_EQ(ui.settings.difference.second, second);
  }
}

TEST(FilterHistory, AClosedPaneComesBack) {
  Harness ui(of_three_panes());
  ui.settings.group().active_pane = 1;
  ui.frame(2);
  ui.key('W', ui::key::control);
  ui.frame(2);
  ASSERT_EQ(ui.settings.group().panes.size(), 2u);
  ui.key('Z', ui::key::control);
  ui.frame(2);
  ASSERT_EQ(ui.settings.group().panes.size(), 3u);
  EXPECT_EQ(ui.settings.group().active_pane, 1);
  EXPECT_EQ(ui.settings.group().panes[1].filter.kind, "gaussian");
  EXPECT_FALSE(ui.settings.group().panes[1].linked);
  EXPECT_EQ(ui.settings.group().panes[2].filter.kind, "sharpen");
  ui.key('Y', ui::key::control);
  ui.frame(2);
  EXPECT_EQ(ui.settings.group().panes.size(), 2u);
  ui.key('Z', ui::key::control);
  ui.key('G');  // of the pane that is back
  ui.frame(2);
  const std::string next = ui.settings.group().panes[1].filter.kind;
  ui.key('Z', ui::key::control);
  EXPECT_EQ(ui.settings.group().panes.size(), 3u) << "the last change is undone first";
  EXPECT_EQ(ui.settings.group().panes[1].filter.kind, "gaussian") << next;
}

TEST(FilterHistory, AViewThatWasChosenSinceIsUndoneBeforeTheClosing) {
  Harness ui(of_three_panes());
  ui.settings.group().view = View::split;
  ui.settings.difference.first = 1;
  ui.settings.difference.second = 2;
  ui.settings.group().active_pane = 2;
  ui.frame(2);
  ui.key('W', ui::key::control);
  ui.frame(2);
  ASSERT_EQ(ui.settings.group().panes.size(), 2u);
  ui.settings.group().view = View::difference;
  ui.settings.difference.first = 0;
  ui.settings.difference.second = 1;
  ui.frame(2);
  ui.key('Z', ui::key::control);
  ui.frame(2);
  EXPECT_EQ(ui.settings.group().panes.size(), 2u);
  EXPECT_EQ(ui.settings.group().view, View::split);
  ui.key('Z', ui::key::control);
  ui.frame(2);
  ASSERT_EQ(ui.settings.group().panes.size(), 3u);
  EXPECT_EQ(ui.settings.group().view, View::split);
  EXPECT_EQ(ui.settings.difference.first, 1);
  EXPECT_EQ(ui.settings.difference.second, 2);
  ui.key('Y', ui::key::control);
  ui.frame(2);
  EXPECT_EQ(ui.settings.group().panes.size(), 2u);
  ui.key('Y', ui::key::control);
  ui.frame(2);
  EXPECT_EQ(ui.settings.group().view, View::difference);
  EXPECT_EQ(ui.settings.difference.first, 0);
  EXPECT_EQ(ui.settings.difference.second, 1);
}

// To add a pane is no step to undo, and neither is the view that shows it.
TEST(FilterHistory, AViewThatCameWithAnotherPaneStays) {
  Harness ui(of_three_panes());
  ui.settings.group().view = View::single;
  ui.settings.group().active_pane = 2;
  ui.frame(2);
  ui.key('W', ui::key::control);
  ui.frame(2);
  ui::add_pane(ui.stats, ui.settings);
  ui.frame(2);
  ASSERT_EQ(ui.settings.group().panes.size(), 3u);
  ASSERT_EQ(ui.settings.group().view, View::grid);
  ui.key('Z', ui::key::control);
  ui.frame(2);
  EXPECT_EQ(ui.settings.group().panes.size(), 4u);
  EXPECT_EQ(ui.settings.group().view, View::grid);
}

}  // namespace
}  // namespace convoscope::test
