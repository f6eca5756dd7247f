
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>

#include "app/state/workbench.h"
#include "app/ui/actions/command_table.h"
#include "app/ui/actions/learn_actions.h"
#include "app/ui/memory/inspect_state.h"
#include "app/ui/memory/lesson_card.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/panels/panel.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/windows/palette.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

// Everything that a key may change, as text to compare.
std::string snapshot(const Settings& s, const Requests& r) {
  std::ostringstream out;
  out << s.sound.filtered << s.sound.scope << s.playback.volume << s.playback.muted << s.playback.paused
      << s.playback.loop << ' ' << s.playback.speed << ' ' << s.playback.loop_a.value_or(-1) << ' '
      << s.playback.loop_b.value_or(-1) << ' ' << static_cast<int>(s.format) << s.group().active_pane
      << static_cast<int>(s.group().view) << ' ' << s.zoom.scale << ' ' << s.zoom.centre_x << ' ' << s.zoom.centre_y
      << ' ' << static_cast<int>(s.backend) << s.vsync << s.fullscreen << s.show_panels << s.show_overlay
      << ui::momentary().show_help << s.light_theme << ' ' << s.ui_scale << s.panels_left << s.projector
      << ui::momentary().show_palette << ui::momentary().show_settings << ui::momentary().show_messages
      << r.save_session.value_or("-") << r.reset_settings << ' ' << ui::momentary().flick_pane << s.blink_seconds << ' '
      << s.split.angle;
  for (const std::string& panel : s.open_panels) out << ' ' << panel;
  for (const double line : s.split.lines) out << ' ' << line;
  const DifferenceSettings& d = s.difference;
  out << '|' << static_cast<int>(d.mode) << d.first << d.second << d.gain << ' ' << d.threshold << d.false_colour;
  for (const PaneSettings& pane : s.group().panes) {
    out << '|' << pane.id << pane.linked << pane.strategy << static_cast<int>(pane.border) << spec_text(pane.filter)
        << matrix_text(pane.filter.filter) << pane.filter.filter.gain << ' ' << pane.filter.filter.bias
        << pane.filter.filter.absolute << '|' << static_cast<int>(pane.card.shape) << pane.card.x << ' ' << pane.card.y;
    for (const auto& [id, value] : pane.tuning) out << id << value;
  }
  out << '|' << r.open.value_or("") << ' ' << r.seek_seconds.value_or(-1) << ' ' << r.seek_frame.value_or(-1) << ' '
      << r.step << r.screenshot << r.toggle_recording << r.reset_statistics << r.retry_source << r.quit << r.step_clip;
  out << r.copy_picture << r.save_animation << r.render.value_or("-") << r.cancel_render << r.start_sweep
      << r.cancel_sweep << r.save_sweep.value_or("-") << r.load_sweep.value_or("-") << r.show_wrong_pixel.value_or(-1);
  const InspectSettings& i = s.inspect;
  out << '|' << s.workbench << ui::momentary().learning << i.magnifier << i.values << i.histogram << i.vectorscope
      << i.explain << i.pinned.has_value() << ui::inspect_state().magnifier_cells << s.sweep.open
      << s.group().baseline_pane << s.recording.with_panels;
  const ui::UiState& state = ui::ui_state();
  out << '|' << state.browser.open << static_cast<int>(state.browser.purpose) << state.save.open
      << static_cast<int>(state.save.what) << state.grid.focused << '|';
  out << i.listing << lesson_card().open << lesson_card().step << lesson_card().wishes.step.value_or(-1) << '|';
  if (const char* text = ImGui::GetClipboardText()) out << text;
  return out.str();
}

// A state in which every action can do something.
Sample busy_sample() {
  Sample s = panes_sample(9);
  s.settings.group().active_pane = 4;
  s.settings.group().panes[4].strategy = "constant";
  s.settings.group().panes[4].filter = parse_filter("1 2 3; 4 5 6; 7 8 10");
  s.settings.group().panes[4].tuning = {{"block_width", 16}, {"block_height", 8}};
  s.settings.playback = {false, false, 1.5, 1.0, 30.0, 0.5};
  s.settings.zoom = {2, 0.4, 0.4};
  s.settings.ui_scale = 1.5f;
  s.settings.fullscreen = true;
  s.stats.sweep.rows.emplace_back();  // to be saved
  s.settings.group().panes[4].id = s.stats.panes[4].id = 5;
  s.stats.panes[4].strategy = "constant";
  s.stats.panes[4].runs = "global";  // to be chosen
  s.settings.group().panes[4].card = {CardShape::line, 0.5, 0.5};
  s.settings.open_panels = {};  // one that is open and out of sight is only brought back by its key
  s.stats.inspect.under_cursor = s.stats.inspect.pixel = PixelAddress{5, 5};  // to be pinned
  s.settings.split = {30, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8}};
  return s;
}

TEST(Keys, EveryBindingHasAnEffect) {
  for (const ui::Binding& binding : ui::bindings()) {
    SCOPED_TRACE(std::string(binding.keys) + ": " + binding.action);
    const bool one_of_nine = std::string_view(binding.keys).find("…") != std::string_view::npos;
    if (one_of_nine && binding.key != '5') continue;  // one for all
    Sample sample = busy_sample();
    lesson_card() = LessonCard();
    if (std::string_view(binding.action).starts_with("Lesson: "))
      lesson_card() = {.open = true, .name = "one", .steps = std::vector<LessonCard::Step>(3), .step = 1};
    if (std::string_view(binding.action) == "Add a pane to compare with") sample.settings.group().panes.resize(8);
    if (binding.key == '5') sample.settings.group().active_pane = 3;  // not the pane that is active already
    if (binding.key == '2' && binding.modifiers == ui::key::shift) sample.settings.group().view = View::single;
    if (std::string_view(binding.action).ends_with(" workbench") && binding.key == '1')
      show_workbench(sample.settings, "volume");
    if (!ui::applies(binding, sample.settings)) {
      show_workbench(sample.settings, "layer");
      Requests asked;
      ui::set_up_to_learn(sample.settings, asked);
    }
    sample.settings.difference = {.first = 7, .second = 8, .threshold = 3};
    Harness ui(std::move(sample));
    ImGui::SetClipboardText("9 8 7");
    ui.frame(2);
    ui.filter().filter.gain = 3;  // two steps, so that there is something to undo, and one to redo
    ui.frame(2);
    ui.filter().filter.gain = 4;
    ui.frame(2);
    if (std::string_view(binding.action) == "Redo") ui.key('Z', ui::key::control);
    const std::string before = snapshot(ui.settings, ui.requests);
    EXPECT_TRUE(handle_key({binding.key, binding.modifiers, false}, ui.stats, ui.settings, ui.requests));
    EXPECT_NE(snapshot(ui.settings, ui.requests), before);
    ui.frame(3);
  }
}

TEST(Keys, NoTwoBindingsShareAKey) {
  for (const Workbench& bench : workbenches) {
    Settings settings = default_settings();
    show_workbench(settings, bench.id);
    std::set<std::pair<int, int>> seen;
    for (const ui::Binding& binding : ui::bindings()) {
      if (!ui::applies(binding, settings)) continue;
      EXPECT_TRUE(seen.insert({binding.key, binding.modifiers}).second) << binding.keys << ": " << binding.action;
    }
  }
}

// F1 names the keys of all workbenches to whoever searches it.
TEST(Keys, OneOfAnotherWorkbenchSaysWhereItMeansSomething) {
  Harness ui;
  ui.frame();
  ui.key(ui::key::f(3), ui::key::shift);
  EXPECT_EQ(ui::ui_state().feedback.text, "Learn panel · Show the layer workbench first (Ctrl+Shift+3).");
  ui.key(ui::key::f(3), ui::key::control);
  EXPECT_EQ(ui::ui_state().feedback.text, "Learn or pause · Show the layer workbench first (Ctrl+Shift+3).");
  EXPECT_FALSE(ui::momentary().learning);
}

TEST(Keys, OthersMeanNothing) {
  Harness ui;
  ui.frame();
  const std::string before = snapshot(ui.settings, ui.requests);
  EXPECT_FALSE(ui.key('J', ui::key::control | ui::key::shift));
  EXPECT_FALSE(ui.key('Q', ui::key::alt));
  EXPECT_FALSE(ui.key(ui::key::space, ui::key::alt));
  EXPECT_EQ(snapshot(ui.settings, ui.requests), before);
}

TEST(Keys, LocksDoNotCountAsModifiers) {
  constexpr int caps_lock = 0x10, num_lock = 0x20;
  Harness ui;
  EXPECT_TRUE(ui.key('T', caps_lock | num_lock));
  EXPECT_TRUE(ui.settings.light_theme);
}

TEST(Keys, HoldingATogglesOnceAndAStepRepeats) {
  Harness ui;
  handle_key({'T', 0, false}, ui.stats, ui.settings, ui.requests);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(handle_key({'T', 0, true}, ui.stats, ui.settings, ui.requests));
  EXPECT_TRUE(ui.settings.light_theme);
  for (int i = 0; i < 5; ++i, ui.take_requests()) {
    handle_key({ui::key::right, 0, i > 0}, ui.stats, ui.settings, ui.requests);
    EXPECT_EQ(ui.requests.step, 1);
  }
}

TEST(Keys, EveryPanelIsInTheSheetAndThePalette) {
  for (const Workbench& bench : workbenches) {
    Sample sample = typical_sample();
    show_workbench(sample.settings, bench.id);
    const std::vector<ui::Command> commands = ui::palette_commands(sample.stats, sample.settings);
    for (const ui::Panel* const panel : ui::panels()) {
      SCOPED_TRACE(panel->id);
      EXPECT_EQ(ui::first_key_of(panel->action), panel->keys);
      EXPECT_EQ(std::ranges::any_of(commands, [&](const auto& each) { return each.name.ends_with(panel->action); }),
                ui::applies(*panel, sample.settings));
    }
  }
}

TEST(Keys, TypedTextIsNotObeyed) {
  Harness ui;
  ui.settings.open_panels = {"source"};
  ui.click("open-path");
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  EXPECT_FALSE(ui.key('T'));
  EXPECT_FALSE(ui.settings.light_theme);
  EXPECT_TRUE(ui.key(ui::key::f(1))) << "a function key is no text";
  EXPECT_TRUE(ui::momentary().show_help);
}

TEST(Keys, TheVolumeStaysInRangeAndOffStaysOff) {
  Harness ui(panes_sample(1));
  const PlaybackSettings& playback = ui.settings.playback;
  const auto louder = [&] { ui.key(ui::key::up, ui::key::shift); };
  const auto quieter = [&] { ui.key(ui::key::down, ui::key::shift); };
  louder();
  EXPECT_EQ(playback.volume, 1);
  ui.key('M', ui::key::shift);
  EXPECT_TRUE(playback.muted);
  quieter();
  EXPECT_TRUE(playback.muted);
  EXPECT_DOUBLE_EQ(playback.volume, 0.9);
  louder();
  EXPECT_FALSE(playback.muted);
  for (int i = 0; i < 15; ++i) quieter();
  EXPECT_EQ(playback.volume, 0);
  ui.key('M', ui::key::shift);  // on, so it has to be heard
  EXPECT_EQ(playback.volume, 1);
  EXPECT_FALSE(playback.muted);
  ui.stats.sound.why_not = "No sound card was found.";
  ui.requests = {};
  handle_key({'M', ui::key::shift, false}, ui.stats, ui.settings, ui.requests);
  EXPECT_TRUE(ui.requests.retry_sound);
  EXPECT_FALSE(playback.muted);
}

TEST(Keys, PlaybackStaysInRange) {
  Harness ui;
  for (int i = 0; i < 40; ++i) ui.key(ui::key::equal);
  EXPECT_EQ(ui.settings.playback.speed, 4);
  for (int i = 0; i < 40; ++i) ui.key(ui::key::minus);
  EXPECT_EQ(ui.settings.playback.speed, 0.1);
  ui.key(ui::key::backspace);
  EXPECT_EQ(ui.settings.playback.speed, 1);
  ui.stats.source.position = 42;
  ui.key(ui::key::right, ui::key::shift);
  EXPECT_EQ(ui.requests.seek_seconds, 42.5);
  ui.take_requests();
  ui.stats.source.position = 0.25;
  ui.key(ui::key::left, ui::key::shift);
  EXPECT_EQ(ui.requests.seek_seconds, 0);
}

TEST(Keys, SpaceAtTheEndPlaysAgain) {
  Harness ui;
  ui.stats.source.ended = true;
  ui.key(ui::key::space);
  EXPECT_EQ(ui.requests.seek_seconds, 0);
  EXPECT_FALSE(ui.settings.playback.paused);
}

TEST(Keys, StrategiesThatCannotRunAreSkipped) {
  Harness ui;  // a 9 × 9 filter: winograd cannot, cudnn is not installed
  ui.settings.active().strategy = "separable";
  ui.key('N');
  EXPECT_EQ(ui.settings.active().strategy, "auto");
  ui.key('N');
  EXPECT_EQ(ui.settings.active().strategy, "global") << "around, among those of the same backend";
  ui.key('P');
  ui.key('P');
  EXPECT_EQ(ui.settings.active().strategy, "separable");
  ui.filter() = parse_filter("sharpen");
  ui.key('N');
  EXPECT_EQ(ui.settings.active().strategy, "winograd");
  ui.settings.active().strategy = "cpu-separable";
  ui.key('N');
  EXPECT_EQ(ui.settings.active().strategy, "cpu-direct");
}

TEST(Keys, OnlyBackendsThatRunHereAreChosen) {
  Harness ui(cpu_sample());
  ui.stats.why_no_gpu = "No NVIDIA driver was found on this machine.";
  std::vector<BackendChoice> seen;
  for (int i = 0; i < 3; ++i) {
    ui.key('K');
    seen.push_back(ui.settings.backend);
  }
  using enum BackendChoice;
  EXPECT_EQ(seen, (std::vector{emulated, cpu, emulated}));
  ui.settings.backend = cuda;  // of another machine's settings
  ui.key('K');
  EXPECT_EQ(ui.settings.backend, emulated) << "the CPU runs instead of it";
  ui.stats.why_no_gpu.clear();
  ui.key('K');
  EXPECT_EQ(ui.settings.backend, cuda);
}

TEST(Keys, TurningASymmetricFilterKeepsItsKindAndParameters) {
  Harness ui;
  ui.filter() = parse_filter("gaussian:radius=3,sigma=2");
  const std::string text = spec_text(ui.filter());
  for (const int key : {'T', 'H', 'V', 'R'}) {
    ui.key(key, ui::key::shift);
    EXPECT_EQ(ui.filter().kind, "gaussian");
    EXPECT_EQ(spec_text(ui.filter()), text);
    EXPECT_NE(ui::ui_state().feedback.text, "") << "it says that nothing changes";
    ui::ui_state().feedback = {};
  }
  ui.filter() = parse_filter("sobel-x");
  ui.key('T', ui::key::shift);
  EXPECT_EQ(ui.filter().kind, "custom");
}

TEST(Keys, WhatCannotBeTurnedIsNotCalledSymmetric) {
  Harness ui;
  ui.filter() = parse_filter("sobel-x");
  ui.filter().filter.gain = std::numeric_limits<float>::infinity();
  ui.key('T', ui::key::shift);
  EXPECT_NE(ui::ui_state().filter_error, "");
  EXPECT_EQ(ui::ui_state().feedback.text, "");
}

TEST(Keys, TheUnfilteredPictureAndBack) {
  Harness ui;
  ui.settings.active().strategy = "texture";
  ui.key('U');
  EXPECT_EQ(ui.settings.active().strategy, "source");
  ui.key('U');
  EXPECT_EQ(ui.settings.active().strategy, "texture");
}

TEST(Keys, EscapeClosesOneThingAtATime) {
  Harness ui;
  ui.settings.fullscreen = ui::momentary().show_help = true;
  ui.key(ui::key::escape);
  EXPECT_FALSE(ui::momentary().show_help);
  EXPECT_TRUE(ui.settings.fullscreen);
  ui.key(ui::key::escape);
  EXPECT_FALSE(ui.settings.fullscreen);
}

TEST(Keys, EscapeClosesTheSheetsBeforeItPutsNoticesAway) {
  Harness ui;
  ui.settings.sweep.open = ui.settings.inspect.explain = true;
  ui.stats.messages = {{MessageLevel::information, "Saved.", 99, "saved"}};
  ui.frame(3);
  ui.key(ui::key::escape);
  EXPECT_FALSE(ui.settings.sweep.open);
  EXPECT_TRUE(ui.settings.inspect.explain);
  ui.key(ui::key::escape);
  EXPECT_FALSE(ui.settings.inspect.explain);
  EXPECT_TRUE(ui::ui_state().dismissed.empty());
  ui.key(ui::key::escape);
  EXPECT_FALSE(ui::ui_state().dismissed.empty());
}

TEST(Keys, AFilterThatNobodyWouldSeeIsShown) {
  Harness ui(panes_sample(2));
  ui.settings.group().panes[0].strategy = "source";
  ui.settings.group().active_pane = 0;
  ui.key('G');
  EXPECT_EQ(ui.settings.group().panes[0].strategy, "source") << "the other pane shows it";
  ui.settings.group().active_pane = 1;
  ui.key('W', ui::key::control);
  ASSERT_EQ(ui.settings.group().panes.size(), 1u);
  ui.key('B');
  EXPECT_EQ(ui.settings.active().strategy, "source") << "no filter was chosen";
  ui.key('G');
  EXPECT_EQ(ui.settings.active().strategy, "auto");
  EXPECT_NE(ui::ui_state().feedback.text.find("auto"), std::string::npos) << ui::ui_state().feedback.text;
}

TEST(Keys, TheHintGoesWhenTwoKeysWereUsed) {
  Harness ui;
  ui.settings.show_hint = true;
  for (int i = 0; i < 3; ++i) ui.key('G');
  EXPECT_TRUE(ui.settings.show_hint) << "one key is one key";
  ui.key('T');
  EXPECT_FALSE(ui.settings.show_hint);
}

TEST(Keys, ArrowsResizeTheFilterWithinItsBounds) {
  Harness ui;
  ui.key(ui::key::up);
  EXPECT_EQ(ui.filter().filter.width, 11);
  EXPECT_EQ(ui.filter().kind, "gaussian");
  for (int i = 0; i < 20; ++i) ui.key(ui::key::down);
  EXPECT_EQ(ui.filter().filter.width, 1);
  ui.filter() = parse_filter("1 2 3");
  ui.key(ui::key::up);
  EXPECT_EQ(ui.filter().filter.width, 5);
  EXPECT_EQ(ui.filter().filter.height, 1) << "one row stays one row";
  for (int i = 0; i < 700; ++i) handle_key({ui::key::up, 0, false}, ui.stats, ui.settings, ui.requests);
  EXPECT_LE(ui.filter().filter.width, max_filter_taps_1d);
}

TEST(Keys, EveryFilterOfTheCatalogueIsReachedAndComesAround) {
  Harness ui;
  std::set<std::string> seen;
  const std::string first = ui.filter().kind;
  do {
    ui.key('G');
    EXPECT_TRUE(seen.insert(ui.filter().kind).second);
    EXPECT_NO_THROW(validate(ui.filter().filter));
  } while (ui.filter().kind != first && seen.size() < 1000);
  EXPECT_EQ(seen.size(), filter_kinds().size());
}

}  // namespace
}  // namespace convoscope::test
