// Clicks on what is on the screen change the settings.
#include "app/ui/parts/widgets.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/ui/memory/ui_state.h"
#include "app/ui/panels/panel.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/lists.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

TEST(Transport, ButtonsPlayStepLoopAndAsk) {
  Harness ui;
  ui.click("play");
  EXPECT_TRUE(ui.settings.playback.paused);
  ui.click("play");
  EXPECT_FALSE(ui.settings.playback.paused);
  ui.click("step-forward");
  EXPECT_EQ(ui.requests.step, 1);
  EXPECT_TRUE(ui.settings.playback.paused);
  ui.take_requests();
  ui.click("step-back");
  EXPECT_EQ(ui.requests.step, -1);
  ui.click("loop");
  EXPECT_FALSE(ui.settings.playback.loop);
  ui.click("loop-a");
  ASSERT_TRUE(ui.settings.playback.loop_a);
  EXPECT_DOUBLE_EQ(*ui.settings.playback.loop_a, ui.stats.source.position);
  ui.stats.source.position += 5;
  ui.click("loop-b");
  ASSERT_TRUE(ui.settings.playback.loop_b);
  ui.click("loop-a");
  EXPECT_FALSE(ui.settings.playback.loop_a) << "a second click removes it";
  ui.click("screenshot");
  EXPECT_TRUE(ui.requests.screenshot);
  ui.click("record");
  EXPECT_TRUE(ui.requests.toggle_recording);
  ui.click("overlay");
  EXPECT_FALSE(ui.settings.show_overlay);
  ui.click("full-screen");
  EXPECT_TRUE(ui.settings.fullscreen);
  ui.click("speed");
  ui.click("speed/0.25×");
  EXPECT_EQ(ui.settings.playback.speed, 0.25);
}

TEST(Transport, AMarkOnTheWrongSideRemovesTheOther) {
  Harness ui;
  ui.settings.playback.loop_a = 30;
  ui.stats.source.position = 12;
  ui.click("loop-b");
  EXPECT_FALSE(ui.settings.playback.loop_a);
  EXPECT_EQ(ui.settings.playback.loop_b, 12);
}

TEST(Transport, ProgressBarSeeksToTheMouse) {
  Harness ui;
  ui.frame();
  const ui::ItemRectangle bar = *ui::item_rectangle("progress");
  ui.move(bar.from.x + 0.75f * (bar.to.x - bar.from.x), bar.centre().y);
  ui.frame(2);
  ui.press();
  ASSERT_TRUE(ui.requests.seek_seconds);
  EXPECT_NEAR(*ui.requests.seek_seconds, 0.75 * 42.5, 0.05);
  ui.take_requests();
  ui.frame(3);
  EXPECT_FALSE(ui.requests.seek_seconds) << "holding still must not seek again";
  ui.move(bar.to.x + 500, bar.centre().y);
  ui.frame();
  EXPECT_EQ(ui.requests.seek_seconds, 42.5);
  ui.release();
}

TEST(Transport, ALiveSourceHasNothingToSeek) {
  Harness ui;
  ui.stats.source.live = true;
  ui.stats.source.duration = 0;
  ui.stats.source.frames = 0;
  ui.click("progress");
  EXPECT_FALSE(ui.requests.seek_seconds);
}

TEST(SourcePanel, OpensWhatIsTypedChosenOrRecent) {
  Harness ui;
  ui.settings.open_panels = {"source"};
  ui.click("open-path");  // selects all, so that typing replaces
  ui.type("camera:1");
  ui.click("open");
  EXPECT_EQ(ui.requests.open, "camera:1");
  ui.click("refresh-camera");
  EXPECT_TRUE(ui.requests.refresh_sources);
  ui.stats.source.error = "gone";
  ui.click("retry");
  EXPECT_TRUE(ui.requests.retry_source);
}

TEST(FilterPanel, TheLastKindOfTheListIsSeenWhole) {
  Harness ui(typical_sample(), 1280, 900);
  ui.settings.open_panels = {"filter"};
  ui.click("kind");
  ui.frame(3);
  const auto last = std::ranges::find(ui::marks(), "kind/" + std::string(filter_kinds().back().id), &ui::Mark::id);
  ASSERT_NE(last, ui::marks().end());
  EXPECT_NEAR(last->seen.to.y, last->at.to.y, 3);
}

TEST(FilterPanel, KindParametersAndBorder) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  ui.click("kind");
  ui.click("kind/box");
  EXPECT_EQ(ui.filter().kind, "box");
  EXPECT_EQ(ui.filter().filter.width, 5);
  ui.drag("parameter/radius", 60, 0);
  EXPECT_GT(ui.filter().values[0], 2);
  EXPECT_EQ(ui.filter().filter.width, 2 * static_cast<int>(ui.filter().values[0]) + 1);
  ui.click("border/wrap");
  EXPECT_EQ(ui.settings.active().border, Border::wrap);
  ui.click("absolute");
  EXPECT_TRUE(ui.filter().filter.absolute);
  ui.filter().filter.gain = 1000;
  ui.frame();
  EXPECT_TRUE(says("×1000"));
  ui.filter().filter.gain = 1;
  ui.drag("gain", 40, 0);
  EXPECT_GT(ui.filter().filter.gain, 1);
  const float gain = ui.filter().filter.gain;
  ui.drag("parameter/radius", -60, 0);
  EXPECT_EQ(ui.filter().filter.gain, gain) << "a parameter leaves the user's gain alone";
  ui.click("next-kind");
  EXPECT_EQ(ui.filter().kind, "gaussian");
  ui.click("previous-kind");
  EXPECT_EQ(ui.filter().kind, "box");
}

TEST(FilterPanel, LettersFindAnEntryOfAnOpenListAndNoCommandRuns) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  ui.click("kind");
  const bool panels = ui.settings.show_panels;
  for (const int key : {'S', 'H', 'A', 'R'}) EXPECT_TRUE(ui.key(key));
  EXPECT_FALSE(ui.requests.screenshot || ui.requests.toggle_recording);
  EXPECT_EQ(ui.settings.show_panels, panels);
  ui.type("box");
  ui.key(ui::key::enter);
  EXPECT_EQ(ui.filter().kind, "box");
  ui.key('H');
  EXPECT_NE(ui.settings.show_panels, panels) << "the list is closed";
}

TEST(FilterPanel, ArrowsGoThroughAnOpenListAndEnterTakes) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  ui.frame(3);
  const std::string before = ui.filter().kind;
  const auto at = std::ranges::find(filter_kinds(), before, &FilterKind::id);
  ASSERT_NE(at, filter_kinds().end());
  const auto take = [&](std::initializer_list<int> keys) {
    ui.click("kind");
    ui.frame(2);
    for (const int key : keys) {
      EXPECT_TRUE(ui.key(key));
      ui.frame();
    }
    ui.key(ui::key::enter);
    ui.frame(2);
    return ui.filter().kind;
  };
  EXPECT_EQ(take({ui::key::down, ui::key::down}), (at + 2)->id);
  EXPECT_EQ(take({ui::key::up}), (at + 1)->id);
  EXPECT_EQ(take({ui::key::home}), filter_kinds().front().id);
  EXPECT_FALSE(ui::is_menu_open());
}

TEST(Tooltips, GoWhenTheirControlIsClicked) {
  Harness ui;
  ui.frame(3);
  ui.move_to("play");
  ui.frame(3);
  EXPECT_TRUE(tooltip_area());
  ui.click("play");
  EXPECT_FALSE(tooltip_area());
  ui.move(600, 300);
  ui.frame(3);
  ui.move_to("play");
  ui.frame(3);
  EXPECT_TRUE(tooltip_area());
}

TEST(SweepWindow, NothingMeasuredIsNotSaved) {
  Harness ui;
  ui.settings.sweep.open = true;
  ui.stats.sweep = {};
  ui.frame(3);
  ui.click("sweep-save");
  EXPECT_FALSE(ui::ui_state().save.open);
  ui.key(ui::key::f(8), ui::key::control);
  EXPECT_FALSE(ui::ui_state().save.open);
}

TEST(FilterPanel, ToolsEditTheWeights) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  ui.filter() = parse_filter("1 2 3; 4 5 6; 7 8 9");
  ui.click("transpose");
  EXPECT_EQ(ui.filter().filter.weights, (std::vector<float>{1, 4, 7, 2, 5, 8, 3, 6, 9}));
  ui.click("flip-horizontal");
  EXPECT_EQ(ui.filter().filter.weights, (std::vector<float>{7, 4, 1, 8, 5, 2, 9, 6, 3}));
  ui.click("flip-vertical");
  EXPECT_EQ(ui.filter().filter.weights, (std::vector<float>{9, 6, 3, 8, 5, 2, 7, 4, 1}));
  ui.click("grow");
  EXPECT_EQ(ui.filter().filter.width, 5);
  ui.click("shrink");
  EXPECT_EQ(ui.filter().filter.width, 3);
  ui.click("normalise");
  float sum = 0;
  for (const float w : ui.filter().filter.weights) sum += w;
  EXPECT_NEAR(sum, 1, 1e-6);
  for (int i = 0; i < 6; ++i) ui.click("undo");
  EXPECT_EQ(ui.filter().filter.weights, (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  ui.click("redo");
  EXPECT_EQ(ui.filter().filter.weights, (std::vector<float>{1, 4, 7, 2, 5, 8, 3, 6, 9}));
  ui.click("rotate");
  EXPECT_EQ(ui.filter().filter.weights, (std::vector<float>{3, 2, 1, 6, 5, 4, 9, 8, 7}));
}

TEST(FilterPanel, PasteTakesAMatrixAndExplainsWhatIsNone) {
  Harness ui;
  ui.settings.open_panels = {"filter"};
  ImGui::SetClipboardText("0 -1 0\n-1 5 -1\n0 -1 0\n");
  ui.click("paste");
  EXPECT_EQ(ui.filter().kind, "custom");
  EXPECT_EQ(ui.filter().filter.weights[4], 5);
  EXPECT_TRUE(ui::ui_state().filter_error.empty());
  const Filter before = ui.filter().filter;
  for (const char* const bad : {"", "hello", "1 2; 3 4", "1 2 3; 4", "nan", "   \n"}) {
    ImGui::SetClipboardText(bad);
    ui.click("paste");
    EXPECT_FALSE(ui::ui_state().filter_error.empty()) << bad;
    EXPECT_EQ(ui.filter().filter, before) << bad;
  }
  ui.click("copy");
  EXPECT_EQ(parse_matrix(ImGui::GetClipboardText()).weights, before.weights);
}

TEST(FilterPanel, APastedMatrixHasTheGainAndBiasThatItsTextSays) {
  Harness ui(typical_sample(), 1600, 1200);
  ui.filter() = parse_filter("sobel-x");
  ui.filter().filter.gain = 0.25f;
  ui.filter().filter.bias = 0.5f;
  ui.filter().filter.absolute = true;
  ui.key('C', ui::key::control | ui::key::shift);
  const std::string copied = ImGui::GetClipboardText();
  ImGui::SetClipboardText("0 0 0; 0 1 0; 0 0 0");
  ui.key('V', ui::key::control);
  EXPECT_EQ(ui.filter().filter.gain, 1);
  EXPECT_EQ(ui.filter().filter.bias, 0);
  EXPECT_FALSE(ui.filter().filter.absolute);
  ImGui::SetClipboardText(copied.c_str());
  ui.key('V', ui::key::control);
  EXPECT_EQ(ui.filter().filter.gain, 0.25f) << copied;
  EXPECT_EQ(ui.filter().filter.bias, 0.5f);
  EXPECT_TRUE(ui.filter().filter.absolute);
  ImGui::SetClipboardText("1\ngain none");
  ui.key('V', ui::key::control);
  EXPECT_FALSE(ui::ui_state().filter_error.empty());
}

TEST(FilterPanel, FilesAreNamedInSheets) {
  Harness ui(typical_sample(), 1600, 1200);
  ui.settings.open_panels = {"filter"};
  ui.click("save-filter");
  EXPECT_TRUE(ui::ui_state().save.open);
  EXPECT_EQ(ui::ui_state().save.what, ui::Saved::filter);
  ui.click("save-cancel");
  ui.click("load-filter");
  EXPECT_EQ(ui::ui_state().browser.purpose, ui::FileBrowser::Purpose::filter);
}

TEST(StrategyPanel, ChoosesWhatCanRunAndItsTunables) {
  Harness ui;
  ui.settings.open_panels = {"strategy"};
  ui.click("strategy/global");
  EXPECT_EQ(ui.settings.active().strategy, "global");
  ui.click("tunable/block_width");
  ui.click("tunable/block_width/16");
  EXPECT_EQ(ui.settings.active().tuning["block_width"], 16);
  ui.click("strategy/cpu-parallel");
  EXPECT_EQ(ui.settings.active().strategy, "cpu-parallel");
  EXPECT_TRUE(ui.settings.active().tuning.empty());
}

TEST(StrategyPanel, WhatCannotRunCannotBeChosen) {
  Harness ui(cpu_sample());
  ui.stats.messages.clear();
  ui.settings.open_panels = {"strategy"};
  ui.click("strategy/global");
  EXPECT_EQ(ui.settings.active().strategy, "cpu-separable");
}

TEST(StrategyPanel, PanesAreAddedPickedAndClosed) {
  Harness ui;
  ui.settings.open_panels = {"strategy"};
  ui.click("add-pane");
  ASSERT_EQ(ui.settings.group().panes.size(), 2u);
  EXPECT_EQ(ui.settings.group().active_pane, 1);
  EXPECT_EQ(ui.settings.group().view, View::grid);
  ui.click("strategy/texture");
  EXPECT_EQ(ui.settings.group().panes[1].strategy, "texture");
  EXPECT_EQ(ui.settings.group().panes[0].strategy, "constant");
  ui.click("pane/1");
  EXPECT_EQ(ui.settings.group().active_pane, 0);
  ui.click("close-pane");
  ASSERT_EQ(ui.settings.group().panes.size(), 1u);
  EXPECT_EQ(ui.settings.group().panes[0].strategy, "texture");
}

TEST(TimingPanel, ClearAsksForIt) {
  Harness ui;
  ui.settings.open_panels = {"timing"};
  ui.click("clear-timings");
  EXPECT_TRUE(ui.requests.reset_statistics);
}

TEST(ViewPanel, EveryChoice) {
  Harness ui;
  ui.settings.open_panels = {"view"};
  ui.click("view");
  ui.click("view/difference");
  EXPECT_EQ(ui.settings.group().view, View::difference);
  ui.click("format/gray32f");
  EXPECT_EQ(ui.settings.format, PixelFormat::gray32f);
  ui.click("backend/cpu");
  EXPECT_EQ(ui.settings.backend, BackendChoice::cpu);
  ui.click("vsync");
  EXPECT_FALSE(ui.settings.vsync);
  ui.click("light");
  EXPECT_TRUE(ui.settings.light_theme);
  ui.settings.zoom = {3, 0.2, 0.2};
  ui.click("fit");
  EXPECT_EQ(ui.settings.zoom.scale, 1);
  ui.click("larger-text");
  EXPECT_GT(ui.settings.ui_scale, 1);
  ui.click("auto-text");
  EXPECT_EQ(ui.settings.ui_scale, 0);
}

TEST(SidePanel, SectionsOpenAndClose) {
  Harness ui;
  const std::set<std::string> before = ui.settings.open_panels;
  ui.click("section/Source");
  EXPECT_TRUE(ui.settings.open_panels.contains("source"));
  ui.click("section/Source");
  EXPECT_EQ(ui.settings.open_panels, before);
  ui.click("hide-panels");
  EXPECT_FALSE(ui.settings.show_panels);
}

TEST(Help, OpensAndCloses) {
  Harness ui;
  ui.click("help");
  EXPECT_TRUE(ui::momentary().show_help);
  ui.click("close-help");
  EXPECT_FALSE(ui::momentary().show_help);
}

TEST(Picture, AClickPicksThePaneAndADragDoesNot) {
  Harness ui(panes_sample(4));
  ui.stats.messages.clear();
  ui.frame();
  ui.move(100, ui.layout.picture_height - 60);  // the third of a 2 × 2 grid
  ui.frame(2);
  ui.press();
  ui.release();
  EXPECT_EQ(ui.settings.group().active_pane, 2);
  ui.frame(40);
  ui.move(100, 250);
  ui.frame(2);
  ui.press();
  ui.move(160, 250);
  ui.frame(2);
  ui.release();
  EXPECT_EQ(ui.settings.group().active_pane, 2);
  ui.double_click_at(300, 300);
  EXPECT_TRUE(ui.settings.fullscreen);
}

}  // namespace
}  // namespace convoscope::test
