// The cheat sheet, the page of settings, and what is typed into the palette.
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/state/workbench.h"
#include "app/ui/actions/command_table.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/marks.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/windows/palette_text.h"
#include "tests/ui/harness.h"

namespace convoscope::test {
namespace {

float scroll_of(const char* part) {
  for (const ImGuiWindow* const window : ImGui::GetCurrentContext()->Windows)
    if (window->Active && std::string(window->Name).find(part) != std::string::npos) return window->ScrollMax.y;
  return -1;
}

TEST(Help, AllKeysAreSeenWithoutScrollingOnALargeWindow) {
  for (const Workbench& bench : workbenches) {
    Harness ui(typical_sample(), 1600, 900);
    show_workbench(ui.settings, bench.id);
    ui.key(ui::key::f(1));
    ui.frame(4);
    EXPECT_EQ(scroll_of("help-columns"), 0) << bench.id;
  }
}

// Whole lines, and under each title of a group some of its lines. No panel may be behind the page.
void expect_whole_lines(const std::string& trace) {
  SCOPED_TRACE(trace);
  const ImGuiWindow* seen = nullptr;
  for (const ImGuiWindow* const window : ImGui::GetCurrentContext()->Windows)
    if (window->Active && std::string(window->Name).find("help-columns") != std::string::npos) seen = window;
  ASSERT_NE(seen, nullptr);
  const float foot = seen->InnerClipRect.Max.y;
  std::set<std::string> titles{"Mouse"};
  for (const ui::Binding& binding : ui::bindings()) titles.insert(binding.group);
  std::vector<ui::DrawnText> texts;
  for (const ui::DrawnText& text : ui::drawn_texts())
    if (text.at.from.y >= seen->Pos.y && text.at.from.y < foot) texts.push_back(text);
  for (const ui::DrawnText& text : texts) {
    EXPECT_LE(text.at.to.y, foot + 1) << text.text;
    if (!titles.contains(text.text.substr(0, text.text.find(", continued")))) continue;
    const auto below = std::ranges::count_if(texts, [&](const ui::DrawnText& line) {
      return line.at.from.x == text.at.from.x && line.at.from.y > text.at.from.y &&
             line.at.from.y < text.at.from.y + 40 && line.at.to.y <= foot + 1;
    });
    EXPECT_GE(below, 1) << text.text;
  }
}

TEST(Help, AllKeysAreSeenWithoutScrollingAt1440By800) {
  for (const Workbench& bench : workbenches) {
    Harness ui(typical_sample(), 1440, 800);
    ui.settings.show_panels = false;
    show_workbench(ui.settings, bench.id);
    ui.key(ui::key::f(1));
    ui.frame(4);
    EXPECT_EQ(scroll_of("help-columns"), 0) << bench.id;
    expect_whole_lines(std::string(bench.id));
    for (const ui::DrawnText& drawn : ui::drawn_texts()) EXPECT_FALSE(drawn.text.ends_with("…")) << drawn.text;
  }
}

// Who searches has not read its name yet.
TEST(Help, WhatPeopleCallItIsFound) {
  for (const char* const word : {"sound", "audio"}) {
    Harness ui(typical_sample(), 1600, 900);
    ui.settings.show_panels = false;
    ui.key(ui::key::f(1));
    ui.frame(4);
    ui.type(word);
    ui.frame(4);
    for (const char* const found : {"Volume up", "Volume down", "Filter what is heard", "Waveform and spectrum"})
      EXPECT_TRUE(says(found)) << word;
  }
}

TEST(Help, WhatAnotherWorkbenchDoesIsFoundWithItsName) {
  Harness ui(typical_sample(), 1600, 900);
  ui.settings.show_panels = false;
  ui.key(ui::key::f(1));
  ui.frame(4);
  EXPECT_FALSE(says("Learn or pause"));
  ui.type("learn");
  ui.frame(4);
  EXPECT_TRUE(says("In the layer workbench: Learn or pause"));
  ui::ui_state().help_search.fill(0);
  show_workbench(ui.settings, "layer");
  ui.key(ui::key::f(1));
  ui.key(ui::key::f(1));
  ui.frame(4);
  ui.type("catalogue");
  ui.frame(4);
  EXPECT_TRUE(says("In the picture workbench: Next filter of the catalogue"));
}

TEST(Help, WhereItMustBeScrolledNoLineIsCutAndNoTitleIsAlone) {
  for (const auto& [width, height] :
       {std::pair{1280.0f, 720.0f}, {1024.0f, 600.0f}, {1000.0f, 700.0f}, {640.0f, 480.0f}}) {
    Harness ui(typical_sample(), width, height);
    ui.settings.show_panels = false;
    ui.key(ui::key::f(1));
    ui.frame(4);
    EXPECT_GT(scroll_of("help-columns"), 0) << width;
    expect_whole_lines(std::to_string(width));
    for (const std::string& fault : ui::layout_faults()) ADD_FAILURE() << fault;
  }
}

TEST(Help, ALineForSeveralKeysIsSeveralWhenSearched) {
  Harness ui(typical_sample(), 1600, 900);
  const auto is_said = [](const std::string& text) {
    return std::ranges::any_of(ui::drawn_texts(), [&](const ui::DrawnText& drawn) { return drawn.text == text; });
  };
  ui.key(ui::key::f(1));
  ui.frame(4);
  EXPECT_FALSE(is_said("Move left"));
  ui.type("move");
  ui.frame(4);
  EXPECT_TRUE(is_said("Move left"));
  EXPECT_TRUE(is_said("Move down"));
}

TEST(Help, IsSearchedByTypingAndClosesOnEscape) {
  Harness ui(typical_sample(), 640, 480);
  ui.key(ui::key::f(1));
  ui.frame(4);
  EXPECT_GT(scroll_of("help-columns"), 0);
  ui.type("full screen");
  ui.frame(4);
  EXPECT_STREQ(ui::ui_state().help_search.data(), "full screen");
  EXPECT_EQ(scroll_of("help-columns"), 0) << "few lines are left";
  EXPECT_FALSE(ui.settings.fullscreen);
  ui.key(ui::key::escape);
  EXPECT_FALSE(ui::momentary().show_help);
  ui.key(ui::key::f(1));
  ui.frame(2);
  EXPECT_STREQ(ui::ui_state().help_search.data(), "") << "and begins anew";
}

TEST(SettingsPage, IsOpenedByIconAndKeyAndChangesWhatItShows) {
  Harness ui;
  ui.stats.places = {{"Session", "/state/session.json", ""}};
  ui.click("settings");
  ASSERT_TRUE(ui::momentary().show_settings);
  ui.click("settings/theme/Light");
  EXPECT_TRUE(ui.settings.light_theme);
  ui.click("settings/side/Left");
  EXPECT_TRUE(ui.settings.panels_left);
  ui.click("settings/vsync");
  EXPECT_FALSE(ui.settings.vsync);
  ui.click("settings/backend/cpu");
  EXPECT_EQ(ui.settings.backend, BackendChoice::cpu);
  ui.click("settings/copy/Session");
  EXPECT_STREQ(ImGui::GetClipboardText(), "/state/session.json");
  const float before = ui.settings.ui_scale;
  ui.click("settings/larger");
  EXPECT_GT(ui.settings.ui_scale, before);
  ui.key(ui::key::escape);
  EXPECT_FALSE(ui::momentary().show_settings);
  ui.key(ui::key::comma, ui::key::control);
  EXPECT_TRUE(ui::momentary().show_settings);
  ui.click("close-settings");
  EXPECT_FALSE(ui::momentary().show_settings);
}

// Or at least what is cut off there can be scrolled to.
TEST(SettingsPage, FitsIntoAWindowOf1280By720) {
  Harness ui(typical_sample(), 1280, 720);
  ui::momentary().show_settings = true;
  ui.stats.places.clear();
  for (const char* const what : {"Settings", "Session", "Pictures", "Cache"})
    ui.stats.places.push_back({what, "/x", ""});
  const auto whole = [&](const char* id) {
    ui.frame(10);
    const auto mark = std::ranges::find(ui::marks(), id, &ui::Mark::id);
    return mark != ui::marks().end() && mark->seen.to.y - mark->seen.from.y >= mark->at.to.y - mark->at.from.y;
  };
  EXPECT_TRUE(whole("settings/reset"));
  ui.click("settings/reset");
  EXPECT_TRUE(whole("settings/reset-now"));
}

TEST(SettingsPage, AGpuIsChosenWhereThereAreSeveral) {
  Harness ui;
  ui::momentary().show_settings = true;
  for (const int count : {0, 1}) {
    ui.stats.gpus.resize(static_cast<std::size_t>(count));
    ui.frame(4);
    ui.click("settings/gpu");
    EXPECT_EQ(ui::item_rectangle("settings/gpu/0"), nullptr) << "there is nothing to choose";
  }
  ui.stats.gpus = {{.backend = Backend::cuda, .name = "one"}, {.backend = Backend::cuda, .ordinal = 1, .name = "two"}};
  ui.click("settings/gpu");
  ui.click("settings/gpu/1");
  EXPECT_EQ(ui.settings.device, 1);
}

TEST(SettingsPage, AResetAsksFirst) {
  Harness ui;
  ui::momentary().show_settings = true;
  ui.click("settings/reset");
  EXPECT_FALSE(ui.requests.reset_settings);
  ui.click("settings/reset-not");
  EXPECT_FALSE(ui.requests.reset_settings);
  ui.click("settings/reset");
  ui.click("settings/reset-now");
  EXPECT_TRUE(ui.requests.reset_settings);
  EXPECT_FALSE(ui::momentary().show_settings);
}

void run_palette(Harness& ui, const char* text) {
  ui.key('P', ui::key::control);
  ui.frame(3);
  ui.type(text);
  ui.key(ui::key::enter);
}

TEST(Palette, TakesFiltersMatricesAndSources) {
  Harness ui;
  run_palette(ui, "gaussian:radius=3");
  EXPECT_EQ(ui.filter().kind, "gaussian");
  EXPECT_EQ(ui.filter().filter.width, 7);
  run_palette(ui, "0 -1 0; -1 5 -1; 0 -1 0");
  EXPECT_EQ(ui.filter().filter.weights, (std::vector<float>{0, -1, 0, -1, 5, -1, 0, -1, 0}));
  for (const char* source : {"/videos/a b.mp4", "clip.mp4", "rtsp://host/live", "pattern:zone", "camera:1"}) {
    ui.take_requests();
    run_palette(ui, source);
    EXPECT_EQ(ui.requests.open.value_or(""), source);
  }
}

TEST(Palette, AsksBeforeAReset) {
  Harness ui;
  run_palette(ui, "reset everything");
  ui.frame(3);
  EXPECT_FALSE(ui.requests.reset_settings);
  EXPECT_TRUE(ui::momentary().show_settings);
  ui.click("settings/reset-now");
  EXPECT_TRUE(ui.requests.reset_settings);
}

TEST(Palette, FindsTheRadiusByItsName) {
  Harness ui;
  ui.filter() = parse_filter("gaussian:radius=3");
  run_palette(ui, "larger radius");
  EXPECT_EQ(ui.filter().filter.width, 9);
}

TEST(Palette, FindsAFilterByWhatItIsFor) {
  Harness ui;
  run_palette(ui, "bokeh");
  EXPECT_EQ(ui.filter().kind, "disk");
  for (const FilterKind& kind : filter_kinds()) EXPECT_FALSE(kind.also.empty()) << kind.id;
}

TEST(Palette, SaysWhatIsWrongWithAFilterAndGuessesNames) {
  EXPECT_NE(ui::read_typed("gaussian:radius=-3", {}).problem, "");
  EXPECT_NE(ui::read_typed("1 2; 3 4", {}).problem, "");
  EXPECT_EQ(ui::read_typed("pause", {}).problem, "");
  EXPECT_TRUE(ui::read_typed("pause", {}).commands.empty());
  Harness ui;
  run_palette(ui, "gausian");  // as typed in a hurry
  EXPECT_EQ(ui.filter().kind, "gaussian");
  ui.filter() = parse_filter("box");
  run_palette(ui, "gaxssian");
  EXPECT_EQ(ui.filter().kind, "gaussian");
  ui.filter() = parse_filter("box");
  run_palette(ui, "qqqqqqqq");
  EXPECT_EQ(ui.filter().kind, "box");
}

// The name that stands first for what was typed.
std::string first_for(const Sample& sample, const std::string& typed) {
  const std::vector<ui::Command> commands = ui::palette_commands(sample.stats, sample.settings);
  const ui::FoundCommands found = ui::find_commands(commands, typed);
  return found.commands.empty() || found.by != ui::Answers::words ? "" : found.commands.front()->name;
}

TEST(Palette, KnowsTheWordsThatNewcomersUse) {
  const std::pair<const char*, const char*> expected[] = {
      {"theme", "Window: Dark or light"},
      {"theme dark", "Window: Dark or light"},
      {"theme light", "Window: Dark or light"},
      {"dark", "Window: Dark or light"},
      {"sound", "Window: Recording panel"},
      {"webcam", "Source: Open a file, URL or camera"},
      {"camera", "Source: Open a file, URL or camera"},
      {"fullscreen", "Window: Full screen"},
      {"full screen", "Window: Full screen"},
      {"undo", "Filter: Undo"},
      {"quit", "Window: Quit"},
      {"exit", "Window: Quit"},
      {"projector", "Window: Projector: large text, thick lines"},
      {"presentation", "Window: Projector: large text, thick lines"},
      {"screenshot", "Recording: Save a screenshot"},
      {"save", "Recording: Save a screenshot"},
      {"help", "Window: Keys and mouse"},
      {"options", "Window: Settings"},
      {"font", "Window: Larger text, for a projector"},
      {"gpu", "Strategy: Next backend"},
  };
  const Sample sample = typical_sample();
  for (const auto& [typed, name] : expected) {
    const std::vector<ui::Command> commands = ui::palette_commands(sample.stats, sample.settings);
    const ui::FoundCommands found = ui::find_commands(commands, typed);
    EXPECT_EQ(found.by, ui::Answers::words) << typed;
    const auto has_name = [&](const ui::Command* command) { return command->name == name; };
    EXPECT_TRUE(std::ranges::any_of(found.commands, has_name)) << typed;
  }
  EXPECT_EQ(first_for(sample, "theme"), "Window: Dark or light");
  EXPECT_EQ(first_for(sample, "record"), "Recording: Start or stop recording");
  EXPECT_EQ(first_for(sample, "quit"), "Window: Quit");
}

TEST(Palette, ANetworkIsFoundFromEachWorkbenchAndShowsItsOwn) {
  for (const Workbench& bench : workbenches) {
    Harness ui;
    show_workbench(ui.settings, bench.id);
    ui.frame(2);
    run_palette(ui, "denoi");
    ui.frame(2);
    EXPECT_EQ(ui.settings.workbench, "layer") << bench.id;
    EXPECT_EQ(ui.settings.layer.network, "denoise") << bench.id;
    EXPECT_TRUE(ui::can_undo(ui.settings)) << bench.id;
  }
}

TEST(Palette, LettersThatAreOnlyScatteredAreRunWhenTheyAreChosenAlone) {
  Harness ui;
  run_palette(ui, "tfrm");  // "To the first frame"
  EXPECT_TRUE(ui::momentary().show_palette) << "Enter has nothing to run";
  EXPECT_FALSE(ui.requests.seek_seconds || ui.requests.seek_frame);
  ui.key(ui::key::down);
  ui.frame(1);
  ui.key(ui::key::enter);
  ui.frame(1);
  EXPECT_FALSE(ui::momentary().show_palette) << "it was chosen";
}

}  // namespace
}  // namespace convoscope::test
