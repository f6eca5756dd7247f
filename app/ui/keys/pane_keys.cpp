// The keys of panes and views.
#include <algorithm>
#include <cmath>

#include "app/state/difference.h"
#include "app/ui/actions/command_table.h"
#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/window_actions.h"
#include "app/ui/cards/cards.h"
#include "app/ui/keys/key_table.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/key_codes.h"

namespace convoscope::ui {
namespace {

template <int number>
void pick_pane(const Act& a) {
  if (number < static_cast<int>(a.settings.group().panes.size())) a.settings.group().active_pane = number;
}

template <int number>
void flick(const Act& a) {
  if (number < static_cast<int>(a.settings.group().panes.size())) momentary().flick_pane = number;
}

template <int number>
void compare(const Act& a) {
  compare_with(a.settings, number);
}

void end_flick(const Act&) { momentary().flick_pane = flick_none; }

template <View view>
void show_as(const Act& a) {
  show_view(a.settings, view);
}

double within(const Range& range, double value) { return std::clamp(value, range.low, range.high); }

void change_difference_gain(const Act& a, double factor) {
  DifferenceSettings& difference = a.settings.difference;
  difference.gain = within(difference_gains, std::round(difference.gain * factor * 1000) / 1000);
}

void change_threshold(const Act& a, double by) {
  DifferenceSettings& difference = a.settings.difference;
  difference.threshold = within(difference_thresholds, difference.threshold + by);
}

void change_blinking(const Act& a, double factor) {
  a.settings.blink_seconds = within(blink_times, a.settings.blink_seconds * factor);
}

// The same action for the keys 1 to 9.
void add_digits(std::vector<Binding>& table, int modifiers, const char* keys, const char* action,
                const std::array<void (*)(const Act&), 9>& acts, void (*release)(const Act&) = nullptr) {
  for (int i = 0; i < 9; ++i)
    table.push_back({{'1' + i, modifiers, keys, "Panes", action}, acts[static_cast<std::size_t>(i)], false, release});
}

std::vector<Binding> comparing() {
  using namespace key;
  return {
      {{'1', shift, "Shift+1", "Views", action::view_single}, show_as<View::single>},
      {{'2', shift, "Shift+2", "Views", action::view_grid}, show_as<View::grid>},
      {{'3', shift, "Shift+3", "Views", action::view_split}, show_as<View::split>},
      {{'4', shift, "Shift+4", "Views", action::view_difference}, show_as<View::difference>},
      {{'5', shift, "Shift+5", "Views", action::view_blink}, show_as<View::blink>},
      {{'V', 0, "V", "Views", action::next_view}, [](const Act& a) { cycle_view(a.settings); }},
      {{semicolon, 0, ";", "Views", action::split_back}, [](const Act& a) { shift_split(a.settings, -0.02); }, true},
      {{apostrophe, 0, "'", "Views", action::split_forward}, [](const Act& a) { shift_split(a.settings, 0.02); }, true},
      {{semicolon, shift, "Shift+;", "Views", action::split_left},
       [](const Act& a) { turn_split(a.settings, -5); },
       true},
      {{apostrophe, shift, "Shift+'", "Views", action::split_right},
       [](const Act& a) { turn_split(a.settings, 5); },
       true},
      {{apostrophe, control, "Ctrl+'", "Views", action::split_evenly}, [](const Act& a) { a.settings.split = {}; }},
      {{'D', 0, "D", "Views", action::difference_mode},
       [](const Act& a) {
         DifferenceMode& mode = a.settings.difference.mode;
         mode = static_cast<DifferenceMode>((static_cast<int>(mode) + 1) % 3);
       }},
      {{'D', shift, "Shift+D", "Views", action::false_colour},
       [](const Act& a) { a.settings.difference.false_colour = !a.settings.difference.false_colour; }},
      {{equal, alt, "Alt++", "Views", action::difference_more},
       [](const Act& a) { change_difference_gain(a, std::sqrt(2.0)); },
       true},
      {{minus, alt, "Alt+−", "Views", action::difference_less},
       [](const Act& a) { change_difference_gain(a, std::sqrt(0.5)); },
       true},
      {{period, alt, "Alt+.", "Views", action::threshold_up}, [](const Act& a) { change_threshold(a, 1); }, true},
      {{comma, alt, "Alt+,", "Views", action::threshold_down}, [](const Act& a) { change_threshold(a, -1); }, true},
      {{right_bracket, alt, "Alt+]", "Views", action::blink_faster},
       [](const Act& a) { change_blinking(a, 0.8); },
       true},
      {{left_bracket, alt, "Alt+[", "Views", action::blink_slower},
       [](const Act& a) { change_blinking(a, 1.25); },
       true},
  };
}

}  // namespace

std::vector<Binding> pane_bindings() {
  using namespace key;
  std::vector<Binding> table;
  add_digits(table, 0, "1 … 9", "Pick a pane",
             {pick_pane<0>, pick_pane<1>, pick_pane<2>, pick_pane<3>, pick_pane<4>, pick_pane<5>, pick_pane<6>,
              pick_pane<7>, pick_pane<8>});
  add_digits(table, alt, "Alt+1 … 9", "Hold: this pane alone",
             {flick<0>, flick<1>, flick<2>, flick<3>, flick<4>, flick<5>, flick<6>, flick<7>, flick<8>}, end_flick);
  table.push_back({{'Z', 0, "Z", "Panes", action::hold_source},
                   [](const Act&) { momentary().flick_pane = flick_source; },
                   false,
                   end_flick});
  table.push_back({{'X', 0, "X", "Panes", action::hold_difference},
                   [](const Act& a) {
                     compare_active_pane(a.settings);
                     momentary().flick_pane = flick_difference;
                   },
                   false,
                   end_flick});
  add_digits(
      table, control, "Ctrl+1 … 9", "Difference from the active pane",
      {compare<0>, compare<1>, compare<2>, compare<3>, compare<4>, compare<5>, compare<6>, compare<7>, compare<8>});
  table.push_back(
      {{'D', control, "Ctrl+D", "Panes", action::add_pane}, [](const Act& a) { add_pane(a.stats, a.settings); }});
  table.push_back({{'W', control, "Ctrl+W", "Panes", action::close_pane},
                   [](const Act& a) { close_pane(a.settings, a.settings.group().active_pane); }});
  table.push_back({{'L', control, "Ctrl+L", "Panes", action::link_pane},
                   [](const Act& a) { toggle_link(a.settings, a.settings.group().active_pane); }});
  table.push_back({{left, control | shift, "Ctrl+Shift+←", "Panes", action::pane_back}, [](const Act& a) {
                     move_pane(a.settings, a.settings.group().active_pane, a.settings.group().active_pane - 1);
                   }});
  table.push_back({{right, control | shift, "Ctrl+Shift+→", "Panes", action::pane_forward}, [](const Act& a) {
                     move_pane(a.settings, a.settings.group().active_pane, a.settings.group().active_pane + 1);
                   }});
  table.push_back({{'O', shift, "Shift+O", "Panes", action::next_label},
                   [](const Act& a) { next_card_shape(a.settings.active()); }});
  table.push_back({{left, shift | alt, "Shift+Alt+←", "Panes", action::label_to_the_left},
                   [](const Act& a) { shift_card(a.settings.active(), -0.1, 0); },
                   true});
  table.push_back({{right, shift | alt, "Shift+Alt+→", "Panes", action::label_to_the_right},
                   [](const Act& a) { shift_card(a.settings.active(), 0.1, 0); },
                   true});
  table.push_back({{up, shift | alt, "Shift+Alt+↑", "Panes", action::label_up},
                   [](const Act& a) { shift_card(a.settings.active(), 0, -0.1); },
                   true});
  table.push_back({{down, shift | alt, "Shift+Alt+↓", "Panes", action::label_down},
                   [](const Act& a) { shift_card(a.settings.active(), 0, 0.1); },
                   true});
  table.push_back({{'X', control, "Ctrl+X", "Panes", action::swap_panes},
                   [](const Act& a) { swap_panes(a.settings, 0, a.settings.group().active_pane); }});
  const std::vector<Binding> views = comparing();
  table.insert(table.end(), views.begin(), views.end());
  return table;
}

}  // namespace convoscope::ui
