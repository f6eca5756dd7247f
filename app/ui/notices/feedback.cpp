#include "app/ui/notices/feedback.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "app/files/sentence.h"
#include "app/ui/actions/filter_actions.h"
#include "app/ui/actions/panel_actions.h"
#include "app/ui/actions/sound_actions.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/cards/cards.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/parts/wrapped_text.h"
#include "app/ui/places/sheets.h"
#include "app/ui/places/stage_places.h"
#include "app/ui/ui.h"

namespace convoscope::ui {
namespace {

constexpr double least_shown_seconds = 1, seconds_a_character = 0.04, feedback_fade_seconds = 0.3;

constexpr const char* view_names[] = {"single", "grid", "split", "difference", "blink"};

// The text is as large as the window has room for already.
bool is_as_large_as_fits() {
  constexpr float largest = 100;
  return ui_scale_of({}, largest, ImGui::GetIO().DisplaySize.x) <= static_cast<float>(px(100)) / 100 + 1e-3f;
}

struct Fact {
  std::string name, text;
};
using Facts = std::vector<Fact>;

void add_filter(Facts& facts, const FilterSpec& spec) {
  const Filter& filter = spec.filter;
  facts.push_back({"filter", "Filter: " + display_name(spec)});
  if (const FilterKind* const kind = find_filter_kind(spec.kind))
    for (std::size_t i = 0; i < kind->parameters.size() && i < spec.values.size(); ++i) {
      const std::string title(kind->parameters[i].title);
      facts.push_back(
          {"filter/" + title, title.substr(0, title.find(" (")) + " " + with_minus(format_number(spec.values[i], 4))});
    }
  facts.push_back({"size", "Size " + std::to_string(filter.width) + " × " + std::to_string(filter.height)});
  facts.push_back({"gain", "Gain " + format_number(filter.gain, 3)});
  facts.push_back({"bias", "Bias " + with_minus(format_number(filter.bias, 3))});
}

void add_layer(Facts& facts, const Settings& settings) {
  const LayerSettings& layer = settings.layer;
  const auto add = [&](const char* name, int value) {
    facts.push_back({name, std::string(name) + " " + std::to_string(value)});
  };
  add("Stride", layer.stride);
  add("Dilation", layer.dilation);
  facts.push_back({"padding", layer.padded ? "Padding on" : "Padding off"});
  facts.push_back({"relu", layer.weights.relu ? "ReLU on" : "ReLU off"});
}

void add_views(Facts& facts, const Settings& s) {
  const DifferenceSettings& difference = s.difference;
  facts.push_back({"view", std::string("View: ") + view_names[static_cast<int>(s.group().view)]});
  facts.push_back({"first", "Difference of panes " + std::to_string(difference.first + 1) + " and " +
                                std::to_string(difference.second + 1)});
  facts.push_back({"mode", std::string("Difference: ") + difference_modes[static_cast<int>(difference.mode)]});
  facts.push_back({"difference gain", "Difference × " + format_number(difference.gain, 3)});
  facts.push_back({"threshold", "Threshold " + format_number(difference.threshold, 3)});
  facts.push_back({"blink", "Blinks every " + format_number(s.blink_seconds, 3) + " s"});
  facts.push_back({"angle", "Split at " + format_number(s.split.angle, 3) + "°"});
  facts.push_back({"zoom", "Zoom " + format_number(s.zoom.scale, 3) + "×"});
}

void add_playback(Facts& facts, const PlaybackSettings& playback) {
  const auto mark = [&](const char* name, const std::optional<double>& value) {
    facts.push_back({name, std::string(name) + (value ? " at " + format_clock(*value) : " removed")});
  };
  facts.push_back({"paused", playback.paused ? "Paused" : "Playing"});
  facts.push_back({"speed", "Speed " + format_number(playback.speed, 3) + "×"});
  facts.push_back({"muted", playback.muted ? "Sound off" : "Sound on"});
  facts.push_back({"volume", "Volume " + format_number(std::round(playback.volume * 100), 3) + " %"});
  mark("A", playback.loop_a);
  mark("B", playback.loop_b);
}

// What there is to tell of the settings, the most telling first.
Facts facts_of(const Settings& s, bool learns) {
  const PaneSettings& pane = s.active();
  Facts facts;
  const auto add_switch = [&](const char* name, bool on) {
    facts.push_back({name, std::string(name) + (on ? " on" : " off")});
  };
  facts.push_back({"workbench", std::string("Workbench: ") + workbench_of(s.workbench).title});
  facts.push_back(
      {"panes", std::to_string(s.group().panes.size()) + (s.group().panes.size() == 1 ? " pane" : " panes")});
  if (has_bank(s)) facts.push_back({"bank", "Bank: " + work_text(pane, s)});  // its layers' strategies go with it
  facts.push_back({"strategy", "Strategy: " + pane.strategy});
  for (std::size_t i = 0; i <= s.layer.further.size() && has_bank(s); ++i)
    facts.push_back({"strategy/" + std::to_string(i),
                     "Strategy of layer " + std::to_string(i + 1) + ": " + pane_of_layer(pane, i).strategy});
  if (has_bank(s)) {
    facts.push_back({"learning", learns ? "The layer learns" : "Learning paused"});
    add_layer(facts, s);
  } else {
    add_filter(facts, pane.filter);
  }
  facts.push_back({"frames", frames_text(2 * pane.frames + 1)});
  facts.push_back({"wall", s.wall.frames    ? "As a frame"
                           : s.wall.map < 0 ? "All maps"
                                            : "Map " + std::to_string(s.wall.map + 1)});
  facts.push_back({"border", "Border: " + std::string(to_string(pane.border))});
  add_switch("Absolute value", pane.filter.filter.absolute);
  add_switch("Link", pane.linked);
  for (const auto& [name, value] : pane.tuning) facts.push_back({"tuning/" + name, name + " " + std::to_string(value)});
  const bool skips_open = pane.card.shape == CardShape::hidden && stays_one_line(pane);
  facts.push_back({"card", std::string("Label: ") + card_shape_names[static_cast<int>(pane.card.shape)] +
                               (skips_open ? "; there is no room for the full one" : "")});
  facts.push_back({"format", s.format == PixelFormat::rgba8 ? "Colour, rgba8" : "Grey, gray32f"});
  facts.push_back({"backend", std::string("Backend: ") + backend_names[static_cast<std::size_t>(s.backend)]});
  facts.push_back({"baseline", "Times are compared with pane " + std::to_string(s.group().baseline_pane + 1)});
  add_playback(facts, s.playback);
  facts.push_back(
      {"sound", s.sound.filtered ? "Sound filtered: " + sound_filter_name(s.sound.filter) : "Sound unfiltered"});
  add_switch("Waveform and spectrum", s.sound.scope);
  add_switch("Loop", s.playback.loop);
  add_views(facts, s);
  add_switch("False colour", s.difference.false_colour);
  add_switch("Magnifier", s.inspect.magnifier);
  add_switch("Values", s.inspect.values);
  add_switch("Histogram", s.inspect.histogram);
  add_switch("Vectorscope", s.inspect.vectorscope);
  add_switch("Labels", s.show_overlay);
  facts.push_back({"panels", s.show_panels ? "Panels shown" : "Panels hidden: Tab brings them back"});
  add_switch("Full screen", s.fullscreen);
  facts.push_back({"theme", s.light_theme ? "Light" : "Dark"});
  const bool narrow = s.projector && is_as_large_as_fits();
  facts.push_back({"projector", !s.projector ? "Projector off"
                                : narrow     ? "Projector on; the window is too narrow for larger text"
                                             : "Projector on"});
  facts.push_back({"scale", s.ui_scale > 0 ? "Text " + format_number(s.ui_scale * 100, 3) + " %"
                                           : "Text as large as suits the monitor"});
  add_switch("Vsync", s.vsync);
  facts.push_back({"record", s.recording.with_panels ? "Records the window" : "Records the picture alone"});
  return facts;
}

}  // namespace

std::string what_changed(const Settings& before, bool learnt_before, const Settings& after, const char* action) {
  if (before.workbench == after.workbench && before.group().panes.size() == after.group().panes.size() &&
      before.group().active_pane != after.group().active_pane)
    return "Pane " + std::to_string(after.group().active_pane + 1) + ": " + after.active().strategy;
  const PlaybackSettings &was_played = before.playback, &played = after.playback;
  if (was_played.loop_a && was_played.loop_b && !played.loop_a && !played.loop_b) return "A and B removed";
  const Facts old = facts_of(before, learnt_before);
  for (const Fact& fact : facts_of(after, momentary().learning)) {
    const auto was = std::ranges::find(old, fact.name, &Fact::name);
    if (was == old.end() || was->text != fact.text) return fact.text;
  }
  const bool same = before.active().filter.filter == after.active().filter.filter && before.layer == after.layer;
  return same ? "" : action;
}

std::string what_has_no_room(const Settings& before, const Settings& after) {
  if (!ImGui::GetCurrentContext()) return {};
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const Geometry was = geometry(before, window.x, window.y), is = geometry(after, window.x, window.y);
  const auto too_small = [](const std::string& what) {
    return "The window is too small for the " + what + ": make it larger.";
  };
  const auto sheet = [&](bool was_open, const Area& was_at, bool is_open, const Area& is_at, const std::string& what) {
    if (is_open && !was_open && !has_room(is_at)) return too_small(what);
    return was_open && !is_open && !has_room(was_at) ? "The " + what + " is closed again." : std::string();
  };
  // Where the sweep has taken the room that there is.
  const auto has_room_without_sweep = [&] {
    Settings alone = after;
    alone.sweep.open = false;
    return has_room(geometry(alone, window.x, window.y).explain);
  };
  if (after.sweep.open && after.inspect.explain && !before.inspect.explain && !has_room(is.explain) &&
      has_room_without_sweep())
    return "There is no room for the explanation of a pixel beside the sweep: close it (F8), or make the window "
           "larger.";
  std::string text = sheet(before.sweep.open, was.sweep, after.sweep.open, is.sweep, "sweep");
  if (text.empty())
    text = sheet(before.inspect.explain, was.explain, after.inspect.explain, is.explain, "explanation of a pixel");
  if (text.empty())
    text = sheet(before.inspect.listing, was.listing, after.inspect.listing, is.listing, "source of the strategy");
  if (!text.empty()) return text;
  const bool moved = before.panels_left != after.panels_left, shown = after.show_panels && !before.show_panels;
  if (after.show_panels && is.panel.width < 1 && (moved || shown || !ui_state().reveal_panel.empty()))
    return too_small("panels");
  const bool hidden = before.show_panels && !after.show_panels;
  return hidden && was.panel.width < 1 ? "Playback buttons hidden: Tab brings them back" : "";
}

void draw_feedback(const Stats& stats, const Area& picture) {
  Feedback& feedback = ui_state().feedback;
  if (feedback.while_rendering && !stats.render.running) feedback = {};
  if (feedback.text.empty()) return;
  const double age = stats.now - feedback.since;
  // As long as it takes to read.
  const double shown_seconds = least_shown_seconds + seconds_a_character * static_cast<double>(feedback.text.size());
  if (!(age < shown_seconds)) {
    feedback.text.clear();
    return;
  }
  draw_again_in(until_faded_further(shown_seconds - feedback_fade_seconds - age));
  const float alpha = static_cast<float>(std::clamp((shown_seconds - age) / feedback_fade_seconds, 0.0, 1.0));
  const float margin = px(12);
  const Area room{picture.x + margin, picture.y + margin, picture.width - 2 * margin, picture.height - 2 * margin};
  const float width = std::max(room.width - px(24), px(40));
  const std::string whole = wrapped(Font::title, feedback.text, width);
  std::string text;
  std::optional<Area> place;
  for (int lines = count_lines(whole); lines > 0 && !place; --lines) {
    text = first_lines(Font::title, whole, lines, width);
    const ImVec2 size = text_size(Font::title, text);
    place = place_at_top(room, {size.x + px(24), size.y + px(12)});
  }
  if (!place) return;
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  list.AddRectFilled(place->from(), place->to(), with_alpha(theme().card, alpha), px(8));
  draw_text(list, Font::title, {place->x + px(12), place->y + px(6)}, with_alpha(theme().text, alpha), text);
  tooltip_of_cut(list, text, whole, place->from(), place->to());
  take_place("feedback", *place);
}

}  // namespace convoscope::ui
