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
#include "app/state/workbench.h"
#include "app/ui/actions/command_table.h"
#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/files/file_browser.h"
#include "app/ui/files/save_dialog.h"
#include "app/ui/keys/key_table.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/panels/panels.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/lists.h"
#include "app/ui/parts/theme.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/ui.h"
#include "app/ui/weights/weight_grid.h"
#include "app/ui/windows/palette.h"

namespace convoscope {
namespace ui {
namespace {

// What still works while a text field has the keyboard: nothing that a text could need.
bool works_while_typing(const KeyBinding& binding) {
  return (binding.key >= key::f(1) && binding.key <= key::f(12)) ||
         ((binding.key == 'Q' || binding.key == 'P') && binding.modifiers == key::control);
}

// Another workbench is the only one in which the key means something.
void tell_where_it_applies(const Binding& binding, const Stats& stats, const Settings& settings) {
  for (const Workbench& bench : workbenches) {
    if (!applies(binding, in_workbench(settings, bench.id))) continue;
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

}  // namespace ui

const std::vector<KeyBinding>& key_bindings() {
  static const std::vector<KeyBinding> table(ui::bindings().begin(), ui::bindings().end());
  return table;
}

void close_while_rendering(const Stats& stats, Requests& requests) {
  requests.quit |= ui::is_second_press(ui::ui_state().quit_asked, stats.now);
}

bool handle_key(const UiKey& pressed, const Stats& stats, Settings& settings, Requests& requests) {
  constexpr int known_modifiers = ui::key::shift | ui::key::control | ui::key::alt;  // not Caps Lock or Num Lock
  const int modifiers = pressed.modifiers & known_modifiers;
  if (settings.group().panes.empty()) settings.group().panes.resize(1);
  settings.group().active_pane =
      std::clamp(settings.group().active_pane, 0, static_cast<int>(settings.group().panes.size()) - 1);
  name_panes(settings.group().panes);
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
  if (ui::momentary().show_palette && ui::palette_key(pressed.key, modifiers)) return true;
  // Also out of the field that is searched with.
  if (ui::momentary().show_help && pressed.key == ui::key::escape && modifiers == 0) {
    ui::momentary().show_help = false;
    return true;
  }
  if (state.open_field.active && pressed.key == ui::key::tab && modifiers == 0) return state.open_field.complete = true;
  const bool typing = ui::momentary().show_palette || (ImGui::GetCurrentContext() && ImGui::GetIO().WantTextInput);
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
