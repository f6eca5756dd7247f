// Obeys the table of keys, and what keys share with the panels' buttons.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "app/panes/pane_ids.h"
#include "app/state/number_beginning.h"
#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/keys/key_table.h"
#include "app/ui/keys/keys.h"
#include "app/ui/panels/panels.h"
#include "app/ui/parts/feedback.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/lists.h"
#include "app/ui/parts/theme.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/ui.h"
#include "app/ui/weights/weight_grid.h"
#include "app/ui/windows/palette.h"

namespace convoscope {
namespace ui {
namespace {

constexpr std::array<double, 11> speeds{0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0};

// What still works while a text field has the keyboard: nothing that a text could need.
bool works_while_typing(const KeyBinding& binding) {
  return (binding.key >= key::f(1) && binding.key <= key::f(12)) ||
         ((binding.key == 'Q' || binding.key == 'P') && binding.modifiers == key::control);
}

// Who has used two keys needs the hint no more.
void count_hinted(std::string_view action, Settings& settings) {
  if (!settings.show_hint) return;
  std::set<std::string_view>& used = ui_state().hinted_used;
  used.insert(action);
  if (used.size() >= 2) put_hint_away(settings);
}

// What is held shows by itself what it does.
void obey(const Binding& binding, const Stats& stats, Settings& settings, Requests& requests, bool repeated = false) {
  if (const std::string why = why_not(binding, settings); !why.empty()) {
    give_feedback(why, stats.now);
    return;
  }
  const Settings before = settings;
  const Feedback earlier = std::exchange(ui_state().feedback, {});
  const std::optional<double> seek = requests.seek_seconds;
  binding.act({stats, settings, requests, repeated});
  follow_workbench(settings);
  const bool has_spoken = !ui_state().feedback.text.empty();
  if (!has_spoken) ui_state().feedback = earlier;
  if (binding.release) return;
  count_hinted(binding.action, settings);
  if (has_spoken) return;
  std::string text = what_has_no_room(before, settings);
  if (text.empty() && before.active().id == settings.active().id)
    text = show_changed_filter(before.active().filter, settings);
  if (text.empty()) text = what_changed(before, settings, binding.action);
  if (text.empty() && requests.seek_seconds && requests.seek_seconds != seek)
    text = format_clock(*requests.seek_seconds);
  if (text.empty() && requests.reset_statistics) text = binding.action;
  give_feedback(text, stats.now);
}

// Another workbench is the only one in which the key means something.
void tell_where_it_applies(const Binding& binding, const Stats& stats, Settings other) {
  for (const Workbench& bench : workbenches) {
    other.workbench = bench.id;
    if (!applies(binding, other)) continue;
    give_feedback(std::string(binding.action) + " · " + show_first(bench), stats.now);
    return;
  }
}

// What begins a number, or 0. The character tells, whatever key and modifiers it needs: where digits need Shift, their
// keys are those of other marks. A key that typed nothing is what its code says.
char number_begun(const UiKey& pressed, int modifiers) {
  const unsigned code = modifiers == 0 ? static_cast<unsigned>(pressed.key) : 0;
  const unsigned typed = pressed.character > 0 ? pressed.character : code;
  return typed > 0 && begins_number(typed) ? static_cast<char>(typed) : '\0';
}

// A key for the weights at hand, while the grid of them has the keyboard.
bool weights_key(const UiKey& event, int modifiers, bool typing, const Stats& stats, Settings& settings) {
  if (!ui_state().grid.focused) return false;
  const int pressed = event.key;
  const char number = number_begun(event, modifiers);
  // Who types a weight may begin with anything, also with the mark on a digit's key.
  const bool other = (pressed >= 'A' && pressed <= 'Z') || (pressed >= '0' && pressed <= '9');
  if (grid_takes_letters() && !typing && modifiers == 0 && other && number == 0) {
    give_feedback("You can type a number now. Esc leaves the weights.", stats.now);
    return true;
  }
  bool used = false;
  const std::string why = change_weights(settings, [&](FilterSpec& spec) {
    used = grid_key(pressed, modifiers, number, typing, spec);
    return std::string();
  });
  if (!why.empty()) ui_state().filter_error = why;
  return used;
}

}  // namespace

void Act::turn(void (*change)(Filter&)) const {
  const Filter before = shown_weights(settings).filter;
  edit(change);
  if (ui_state().filter_error.empty() && shown_weights(settings).filter == before)
    give_feedback("The filter is symmetric, so nothing changes", stats.now);
}

bool applies(const Binding& binding, const Settings& settings) { return !binding.applies || binding.applies(settings); }

std::string first_key_of(std::string_view action) {
  for (const Binding& binding : bindings())
    if (binding.action == action) return binding.keys;
  return {};
}

std::string keys_of(const char* action) {
  // Tooltips ask in every frame, and the table stays as it is.
  static const std::map<std::string_view, std::string> keys_of_actions = [] {
    std::map<std::string_view, std::string> found;
    for (const Binding& binding : bindings()) {
      std::string& keys = found[binding.action];
      if (!keys.ends_with(binding.keys)) keys += (keys.empty() ? "" : ", ") + std::string(binding.keys);
    }
    return found;
  }();
  const auto found = keys_of_actions.find(action);
  const bool has_keys = found != keys_of_actions.end() && !found->second.empty();
  return has_keys ? " (" + found->second + ")" : std::string();
}

void act_on(std::size_t binding, const Stats& stats, Settings& settings, Requests& requests) {
  const Binding& row = bindings()[binding];
  if (!row.release) obey(row, stats, settings, requests);
}

void put_hint_away(Settings& settings) {
  settings.show_hint = false;
  ui_state().hint_since.reset();
  ui_state().hinted_used.clear();
}

void toggle_play(const Stats& stats, Settings& settings, Requests& requests) {
  if (stats.source.ended && !settings.playback.paused && !stats.source.live) {
    requests.seek_seconds = settings.playback.loop_a.value_or(0.0);  // play again
    return;
  }
  settings.playback.paused = !settings.playback.paused;
}

// Where the user has gone, although it may be some time until slow panes show it.
double position_gone_to(const Stats& stats, const Requests& requests) {
  const SourceStats& source = stats.source;
  double to = requests.seek_seconds ? *requests.seek_seconds : source.position_to_come.value_or(source.position);
  if (source.duration > 0) to = std::min(to, source.duration);
  return std::max(to, 0.0);
}

// Two jumps in quick succession are one of both, though the first is not to be seen yet.
void seek_by(double seconds, const Stats& stats, Settings&, Requests& requests) {
  double target = position_gone_to(stats, requests) + seconds;
  if (stats.source.duration > 0) target = std::min(target, stats.source.duration);
  requests.seek_seconds = std::max(target, 0.0);
}

void change_speed(Settings& settings, int direction) {
  double& speed = settings.playback.speed;
  const double now = speed;
  if (direction > 0) {
    const auto next = std::ranges::find_if(speeds, [now](double s) { return s > now + 1e-6; });
    speed = next == speeds.end() ? speeds.back() : *next;
  } else {
    speed = speeds.front();
    for (const double s : speeds)
      if (s < now - 1e-6) speed = s;
  }
}

void cycle_view(Settings& settings) {
  constexpr int views = 5;
  show_view(settings, static_cast<View>((static_cast<int>(settings.view) + 1) % views));
}

void cycle_backend(const Stats& stats, Settings& settings) {
  constexpr std::array all{BackendChoice::cuda, BackendChoice::cpu, BackendChoice::emulated};
  const auto runs_here = [&](BackendChoice choice) {
    return choice != BackendChoice::cuda || stats.why_no_gpu.empty();
  };
  const auto named = [](BackendChoice choice) { return backend_names[static_cast<std::size_t>(choice)]; };
  const bool obeyed = settings.backend != BackendChoice::automatic && runs_here(settings.backend);
  const std::string running = obeyed ? named(settings.backend) : stats.backend;
  auto at = std::ranges::find(all, running, named);
  do at = at == all.end() || at + 1 == all.end() ? all.begin() : at + 1;
  while (!runs_here(*at));
  settings.backend = *at;
}

CannotBe backend_that_cannot_run(const Stats& stats) {
  if (stats.why_no_gpu.empty()) return {};
  return {static_cast<int>(BackendChoice::cuda), "This cannot run here. " + stats.why_no_gpu};
}

void change_ui_scale(Settings& settings, double factor) {
  if (factor == 0) {
    settings.ui_scale = 0;
    return;
  }
  const double shown = px(100) / 100.0;
  double now = settings.ui_scale > 0 ? settings.ui_scale : shown;
  if (factor < 1) now = std::min(now, shown);  // the window may have no room for what was chosen
  settings.ui_scale = static_cast<float>(std::clamp(std::round(now * factor * 20) / 20, 0.5, 4.0));
}

std::string shown_text_size(const Settings& settings) {
  if (!(settings.ui_scale > 0)) return "auto";
  constexpr float wide = 1e6f;
  const float wanted = ui_scale_of(settings, 1, wide), in_force = std::min(px(1000) / 1000, wanted);
  return format_number(std::round(settings.ui_scale * in_force / wanted * 100.0)) + " %";
}

// Without a volume there is no sound to be turned on, and without a sound card it is looked for.
void toggle_sound(const Stats& stats, Settings& settings, Requests& requests) {
  PlaybackSettings& playback = settings.playback;
  if (!stats.sound.why_not.empty() && !playback.muted && playback.volume > 0) {
    requests.retry_sound = true;
    return;
  }
  playback.muted = !playback.muted && playback.volume > 0;
  if (!playback.muted && playback.volume <= 0) playback.volume = 1;
}

void set_volume(Settings& settings, double volume) {
  settings.playback.volume = std::clamp(volume, 0.0, 1.0);
  settings.playback.muted = false;
}

void change_volume(Settings& settings, int direction) {
  const bool stays_off = settings.playback.muted && direction < 0;
  set_volume(settings, std::round(settings.playback.volume * 10 + direction) / 10);
  settings.playback.muted = stays_off;
}

// A loop has its start before its end: a mark on the wrong side of the other one removes it.
void set_loop_mark(bool is_a, const Stats& stats, Settings& settings, const Requests& requests) {
  PlaybackSettings& playback = settings.playback;
  const double here = position_gone_to(stats, requests);
  (is_a ? playback.loop_a : playback.loop_b) = here;
  if (playback.loop_a && playback.loop_b && *playback.loop_a >= *playback.loop_b)
    (is_a ? playback.loop_b : playback.loop_a) = std::nullopt;
  playback.loop = true;
}

}  // namespace ui

const std::vector<KeyBinding>& key_bindings() {
  static const std::vector<KeyBinding> table(ui::bindings().begin(), ui::bindings().end());
  return table;
}

bool handle_key(const UiKey& pressed, const Stats& stats, Settings& settings, Requests& requests) {
  constexpr int known_modifiers = ui::key::shift | ui::key::control | ui::key::alt;  // not Caps Lock or Num Lock
  const int modifiers = pressed.modifiers & known_modifiers;
  if (settings.panes.empty()) settings.panes.resize(1);
  settings.active_pane = std::clamp(settings.active_pane, 0, static_cast<int>(settings.panes.size()) - 1);
  name_panes(settings.panes);
  ui::follow_workbench(settings);

  ui::UiState& state = ui::ui_state();
  if (!pressed.pressed) {
    if (!state.held || state.held->key != pressed.key) return false;
    state.held->release({stats, settings, requests});
    state.held = nullptr;
    return true;
  }
  if (stats.render.running) {  // nothing may change the picture meanwhile
    const bool quits = pressed.key == 'Q' && modifiers == ui::key::control;
    if (pressed.key == ui::key::escape && !pressed.repeated)
      requests.cancel_render |= ui::is_second_press(state.cancel_asked, stats.now);
    if (quits && !pressed.repeated) requests.quit |= ui::is_second_press(state.quit_asked, stats.now);
    const auto is_meant = [&](const ui::Binding& binding) {
      return binding.key == pressed.key && binding.modifiers == modifiers && ui::applies(binding, settings);
    };
    if (pressed.key != ui::key::escape && !quits && std::ranges::any_of(ui::bindings(), is_meant)) {
      ui::give_feedback("The source is being rendered: wait for its end, or press Esc twice to cancel.", stats.now);
      state.feedback.while_rendering = true;
    }
    return true;
  }
  if (ui::list_key(pressed.key, modifiers)) return true;
  // Enter that is still held from the name answers no question.
  const bool enter = pressed.key == ui::key::enter || pressed.key == ui::key::keypad_enter;
  if (enter && pressed.repeated && state.save.open && state.save.ask && !state.browser.open) return true;
  if (ui::browser_key(pressed.key, modifiers) || ui::save_dialog_key(pressed.key, modifiers)) return true;
  const bool sheet = state.browser.open || state.save.open;  // has the keyboard to itself
  if (sheet && !(pressed.key == 'Q' && modifiers == ui::key::control)) return false;
  if (settings.show_palette && ui::palette_key(pressed.key, modifiers)) return true;
  // Also out of the field that is searched with.
  if (settings.show_help && pressed.key == ui::key::escape && modifiers == 0) {
    settings.show_help = false;
    return true;
  }
  if (state.open_field.active && pressed.key == ui::key::tab && modifiers == 0) return state.open_field.complete = true;
  const bool typing = settings.show_palette || (ImGui::GetCurrentContext() && ImGui::GetIO().WantTextInput);
  if (ui::weights_key(pressed, modifiers, typing, stats, settings)) return true;
  const ui::Binding* elsewhere = nullptr;
  for (const ui::Binding& binding : ui::bindings()) {
    if (binding.key != pressed.key || binding.modifiers != modifiers) continue;
    if (!ui::applies(binding, settings)) {
      elsewhere = &binding;
      continue;
    }
    if (typing && !ui::works_while_typing(binding)) return false;
    if (pressed.repeated && !binding.repeats) return true;  // held: done once is enough
    if (binding.release) {
      if (state.held) state.held->release({stats, settings, requests});
      state.held = &binding;
    }
    ui::obey(binding, stats, settings, requests, pressed.repeated);
    return true;
  }
  if (elsewhere && !pressed.repeated) ui::tell_where_it_applies(*elsewhere, stats, settings);
  return false;
}

}  // namespace convoscope
