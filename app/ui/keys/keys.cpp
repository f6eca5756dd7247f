// What every key does: playback, source, picture, filter, strategy, window. The panes' keys are in pane_keys.cpp.

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/ui/actions/command_table.h"
#include "app/ui/actions/filter_actions.h"
#include "app/ui/actions/lesson_actions.h"
#include "app/ui/actions/panel_actions.h"
#include "app/ui/actions/playback_actions.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/actions/window_actions.h"
#include "app/ui/files/file_browser.h"
#include "app/ui/files/save_dialog.h"
#include "app/ui/keys/key_table.h"
#include "app/ui/memory/lesson_card.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/panels/panel.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/parts/lists.h"
#include "app/ui/parts/theme.h"
#include "app/ui/places/layout.h"
#include "app/ui/places/zoom.h"
#include "app/ui/weights/weight_grid.h"

namespace convoscope {
namespace ui {
namespace {

// Whoever holds the key sees each frame on the way, however slow they are.
void step(const Act& a, int frames) {
  if (a.repeated && (a.requests.step != 0 || a.stats.frame_awaited)) return;
  a.requests.step += frames;
  a.settings.playback.paused = true;
}

void choose_border(const Act& a, int direction) {
  Border& border = a.settings.active().border;
  const int count = static_cast<int>(all_borders.size());
  border = all_borders[static_cast<std::size_t>((static_cast<int>(border) + direction + count) % count)];
}

void change_gain(const Act& a, float factor) {
  float& gain = a.filter().filter.gain;
  gain = gain == 0 ? 1.0f : std::clamp(gain * factor, -1000.0f, 1000.0f);
}

void change_bias(const Act& a, float difference) {
  float& bias = a.filter().filter.bias;
  bias = std::clamp(std::round((bias + difference) * 100) / 100, -1.0f, 1.0f);
}

void pan(const Act& a, double x, double y) {
  ZoomSettings& zoom = a.settings.zoom;
  const double scale = std::max(zoom.scale, 0.01);
  zoom.centre_x = std::clamp(zoom.centre_x + x / scale, 0.0, 1.0);
  zoom.centre_y = std::clamp(zoom.centre_y + y / scale, 0.0, 1.0);
}

void zoom_by(const Act& a, double factor) {
  zoom_about(a.settings.zoom, factor, 0.5f, 0.5f, {0, 0, 1, 1}, a.stats.source);
}

std::vector<Binding> panel_bindings() {
  std::vector<Binding> all;
  for (const Panel* const panel : panels())
    if (panel->key)
      all.push_back({{panel->key, panel->modifiers, panel->keys, "Window", panel->action},
                     [panel](const Act& a) { toggle_panel(a.settings, *panel); },
                     false,
                     nullptr,
                     panel->applies});
  return all;
}

// The weights that keys edit are those of the panel that is opened for them.
void edit_by_keys(const Act& a) {
  show_panel(a.settings, has_bank(a.settings) ? "layer" : "filter");
  enter_grid(shown_weights(a.settings).filter);
}

void paste(const Act& a) {
  const char* const text = ImGui::GetClipboardText();
  ui_state().filter_error =
      change_weights(a.settings, [&](FilterSpec& spec) { return paste_matrix(spec, text ? text : ""); });
}

bool close_menus() {
  if (!is_menu_open()) return false;
  ImGui::ClosePopupToLevel(0, true);
  return true;
}

void toggle_help(const Act&) {
  ui::momentary().show_help = !ui::momentary().show_help;
  ui::momentary().show_settings = ui::momentary().show_messages = false;
}

void toggle_messages(const Act&) {
  ui::momentary().show_messages = !ui::momentary().show_messages;
  ui::momentary().show_help = ui::momentary().show_settings = false;
}

void leave(const Act& a) {
  if (close_menus()) return;
  if (ui::momentary().show_palette)
    ui::momentary().show_palette = false;
  else if (ui::momentary().show_help)
    ui::momentary().show_help = false;
  else if (ui::momentary().show_settings)
    ui::momentary().show_settings = false;
  else if (ui::momentary().show_messages)
    ui::momentary().show_messages = false;
  else if (a.settings.sweep.open)
    a.settings.sweep.open = false;
  else if (lesson_card().open)
    lesson_card().open = false;
  else if (ui_state().grid.focused)
    leave_grid();
  else if (a.settings.inspect.explain)
    a.settings.inspect.explain = false;
  else if (a.settings.inspect.listing)
    a.settings.inspect.listing = false;
  else if (has_bank(a.settings) && a.settings.wall.map >= 0)
    a.settings.wall.map = -1;
  else if (a.settings.fullscreen)
    a.settings.fullscreen = false;
  else
    ui_state().dismiss_messages = true;
}

std::vector<Binding> before_panes() {
  using namespace key;
  return {
      {{space, 0, "Space", "Playback", action::play},
       [](const Act& a) { toggle_play(a.stats, a.settings, a.requests); }},
      {{right, 0, "→", "Playback", action::step_forward}, [](const Act& a) { step(a, 1); }, true},
      {{left, 0, "←", "Playback", action::step_back}, [](const Act& a) { step(a, -1); }, true},
      {{right, shift, "Shift+→", "Playback", action::one_second_forward},
       [](const Act& a) { seek_by(1, a.stats, a.settings, a.requests); },
       true},
      {{left, shift, "Shift+←", "Playback", action::one_second_back},
       [](const Act& a) { seek_by(-1, a.stats, a.settings, a.requests); },
       true},
      {{right, control, "Ctrl+→", "Playback", action::ten_seconds_forward},
       [](const Act& a) { seek_by(10, a.stats, a.settings, a.requests); },
       true},
      {{left, control, "Ctrl+←", "Playback", action::ten_seconds_back},
       [](const Act& a) { seek_by(-10, a.stats, a.settings, a.requests); },
       true},
      {{home, 0, "Home", "Playback", action::first_frame}, [](const Act& a) { a.requests.seek_seconds = 0.0; }},
      {{end, 0, "End", "Playback", action::last_frame},
       [](const Act& a) {
         if (a.stats.source.frames > 0)
           a.requests.seek_frame = a.stats.source.frames - 1;
         else
           a.requests.seek_seconds = std::max(a.stats.source.duration, 0.0);
       }},
      {{'L', 0, "L", "Playback", action::loop},
       [](const Act& a) { a.settings.playback.loop = !a.settings.playback.loop; }},
      {{left_bracket, 0, "[", "Playback", action::loop_from_here},
       [](const Act& a) { set_loop_mark(true, a.stats, a.settings, a.requests); }},
      {{right_bracket, 0, "]", "Playback", action::loop_to_here},
       [](const Act& a) { set_loop_mark(false, a.stats, a.settings, a.requests); }},
      {{backslash, 0, "\\", "Playback", action::clear_loop},
       [](const Act& a) { a.settings.playback.loop_a = a.settings.playback.loop_b = std::nullopt; }},
      {{equal, 0, "+", "Playback", action::faster}, [](const Act& a) { change_speed(a.settings, 1); }, true},
      {{equal, shift, "+", "Playback", action::faster}, [](const Act& a) { change_speed(a.settings, 1); }, true},
      {{keypad_add, 0, "+", "Playback", action::faster}, [](const Act& a) { change_speed(a.settings, 1); }, true},
      {{minus, 0, "−", "Playback", action::slower}, [](const Act& a) { change_speed(a.settings, -1); }, true},
      {{keypad_subtract, 0, "−", "Playback", action::slower}, [](const Act& a) { change_speed(a.settings, -1); }, true},
      {{backspace, 0, "Backspace", "Playback", action::normal_speed},
       [](const Act& a) { a.settings.playback.speed = 1; }},
      {{'M', shift, "Shift+M", "Playback", action::sound},
       [](const Act& a) { toggle_sound(a.stats, a.settings, a.requests); }},
      {{up, shift, "Shift+↑", "Playback", action::volume_up}, [](const Act& a) { change_volume(a.settings, 1); }, true},
      {{down, shift, "Shift+↓", "Playback", action::volume_down},
       [](const Act& a) { change_volume(a.settings, -1); },
       true},

      {{'M', control, "Ctrl+M", "Playback", action::filter_sound},
       [](const Act& a) { a.settings.sound.filtered = !a.settings.sound.filtered; }},
      {{'M', control | shift, "Ctrl+Shift+M", "Playback", action::sound_scope},
       [](const Act& a) { a.settings.sound.scope = !a.settings.sound.scope; }},

      {{'O', control, "Ctrl+O", "Source", action::open_source},
       [](const Act&) { open_browser(FileBrowser::Purpose::source); }},
      {{'R', control, "Ctrl+R", "Source", action::retry_source}, [](const Act& a) { a.requests.retry_source = true; }},
      {{page_down, control, "Ctrl+Page Down", "Source", action::next_clip},
       [](const Act& a) { a.requests.step_clip = 1; }},
      {{page_up, control, "Ctrl+Page Up", "Source", action::previous_clip},
       [](const Act& a) { a.requests.step_clip = -1; }},
      {{'U', 0, "U", "Source", action::show_source}, [](const Act& a) { toggle_source(a.settings); }},

      {{page_up, 0, "Page Up", "Picture", action::zoom_in}, [](const Act& a) { zoom_by(a, 1.2); }, true},
      {{page_down, 0, "Page Down", "Picture", action::zoom_out}, [](const Act& a) { zoom_by(a, 1 / 1.2); }, true},
      {{'0', 0, "0", "Picture", action::fit_the_picture}, [](const Act& a) { a.settings.zoom = {}; }},
      {{'0', shift, "Shift+0", "Picture", action::one_to_one},
       [](const Act& a) { zoom_to_scale(1, a.stats, a.settings); }},
      {{left, alt, "Alt+←", "Picture", action::move_left}, [](const Act& a) { pan(a, -0.05, 0); }, true},
      {{right, alt, "Alt+→", "Picture", action::move_right}, [](const Act& a) { pan(a, 0.05, 0); }, true},
      {{up, alt, "Alt+↑", "Picture", action::move_up}, [](const Act& a) { pan(a, 0, -0.05); }, true},
      {{down, alt, "Alt+↓", "Picture", action::move_down}, [](const Act& a) { pan(a, 0, 0.05); }, true},

      {{'G', 0, "G", "Filter", action::next_filter}, [](const Act& a) { choose_next_filter(a.settings, 1); }, true},
      {{'G', shift, "Shift+G", "Filter", action::previous_filter},
       [](const Act& a) { choose_next_filter(a.settings, -1); },
       true},
      {{up, 0, "↑", "Filter", action::larger_radius},
       [](const Act& a) { ui_state().filter_error = grow_filters(a.settings, 1); },
       true},
      {{down, 0, "↓", "Filter", action::smaller_radius},
       [](const Act& a) { ui_state().filter_error = grow_filters(a.settings, -1); },
       true},
      {{up, control, "Ctrl+↑", "Filter", action::more_gain}, [](const Act& a) { change_gain(a, 1.1f); }, true},
      {{down, control, "Ctrl+↓", "Filter", action::less_gain}, [](const Act& a) { change_gain(a, 1 / 1.1f); }, true},
      {{up, control | shift, "Ctrl+Shift+↑", "Filter", action::more_bias},
       [](const Act& a) { change_bias(a, 0.05f); },
       true},
      {{down, control | shift, "Ctrl+Shift+↓", "Filter", action::less_bias},
       [](const Act& a) { change_bias(a, -0.05f); },
       true},
      {{'A', 0, "A", "Filter", action::absolute},
       [](const Act& a) { a.filter().filter.absolute = !a.filter().filter.absolute; }},
      {{'B', 0, "B", "Filter", action::next_border}, [](const Act& a) { choose_border(a, 1); }},
      {{'B', shift, "Shift+B", "Filter", action::previous_border}, [](const Act& a) { choose_border(a, -1); }},
      {{'W', 0, "W", "Filter", action::edit_weights}, edit_by_keys},
      {{'Z', control, "Ctrl+Z", "Filter", action::undo},
       [](const Act& a) { give_feedback(undo(a.settings), a.stats.now); },
       true},
      {{'Z', control | shift, "Ctrl+Shift+Z", "Filter", action::redo},
       [](const Act& a) { give_feedback(redo(a.settings), a.stats.now); },
       true},
      {{'Y', control, "Ctrl+Y", "Filter", action::redo},
       [](const Act& a) { give_feedback(redo(a.settings), a.stats.now); },
       true},
      {{'C', control | shift, "Ctrl+Shift+C", "Filter", action::copy_weights},
       [](const Act& a) { ImGui::SetClipboardText(filter_text(shown_weights(a.settings).filter).c_str()); }},
      {{'V', control, "Ctrl+V", "Filter", action::paste_weights}, paste},
      {{'N', shift, "Shift+N", "Filter", action::normalise}, [](const Act& a) { a.edit(normalise); }},
      {{'T', shift, "Shift+T", "Filter", action::transpose}, [](const Act& a) { a.turn(transpose); }},
      {{'H', shift, "Shift+H", "Filter", action::flip_horizontal}, [](const Act& a) { a.turn(flip_horizontal); }},
      {{'V', shift, "Shift+V", "Filter", action::flip_vertical}, [](const Act& a) { a.turn(flip_vertical); }},
      {{'R', shift, "Shift+R", "Filter", action::rotate}, [](const Act& a) { a.turn(rotate_clockwise); }},
      {{'S', control | shift, "Ctrl+Shift+S", "Filter", action::save_filter},
       [](const Act& a) { open_save_dialog(has_bank(a.settings) ? Saved::bank : Saved::filter, a.stats, a.settings); }},
      {{'O', control | shift, "Ctrl+Shift+O", "Filter", action::load_filter},
       [](const Act& a) {
         open_browser(has_bank(a.settings) ? FileBrowser::Purpose::bank : FileBrowser::Purpose::filter);
       }},

      {{'N', 0, "N", "Strategy", action::next_strategy},
       [](const Act& a) { choose_next_strategy(a.stats, a.settings, 1); },
       true},
      {{'P', 0, "P", "Strategy", action::previous_strategy},
       [](const Act& a) { choose_next_strategy(a.stats, a.settings, -1); },
       true},
      {{'N', control, "Ctrl+N", "Strategy", action::choose_what_runs},
       [](const Act& a) { choose_what_runs(a.stats, a.settings.active()); }},
      {{period, 0, ".", "Strategy", action::first_tunable_up},
       [](const Act& a) { step_tunable(a.stats, a.settings.active(), 0, 1); },
       true},
      {{comma, 0, ",", "Strategy", action::first_tunable_down},
       [](const Act& a) { step_tunable(a.stats, a.settings.active(), 0, -1); },
       true},
      {{period, shift, "Shift+.", "Strategy", action::second_tunable_up},
       [](const Act& a) { step_tunable(a.stats, a.settings.active(), 1, 1); },
       true},
      {{comma, shift, "Shift+,", "Strategy", action::second_tunable_down},
       [](const Act& a) { step_tunable(a.stats, a.settings.active(), 1, -1); },
       true},
      {{'M', 0, "M", "Strategy", action::next_format},
       [](const Act& a) {
         a.settings.format = a.settings.format == PixelFormat::rgba8 ? PixelFormat::gray32f : PixelFormat::rgba8;
       }},
      {{'K', 0, "K", "Strategy", action::next_backend}, [](const Act& a) { cycle_backend(a.stats, a.settings); }},
      {{'K', shift, "Shift+K", "Strategy", action::listing},
       [](const Act& a) { a.settings.inspect.listing = !a.settings.inspect.listing; }},
      {{'C', 0, "C", "Strategy", action::clear_timings}, [](const Act& a) { a.requests.reset_statistics = true; }},
  };
}

std::vector<Binding> before_panels() {
  using namespace key;
  return {
      {{tab, 0, "Tab", "Window", action::show_panels},
       [](const Act& a) { a.settings.show_panels = !a.settings.show_panels; }},
      {{'H', 0, "H", "Window", action::show_panels},
       [](const Act& a) { a.settings.show_panels = !a.settings.show_panels; }},
      {{'O', 0, "O", "Window", action::show_overlay},
       [](const Act& a) { a.settings.show_overlay = !a.settings.show_overlay; }},
      {{tab, shift, "Shift+Tab", "Window", action::swap_sides},
       [](const Act& a) {
         a.settings.show_panels = true;
         a.settings.panels_left = !a.settings.panels_left;
       }},
  };
}

std::vector<Binding> after_panels() {
  using namespace key;
  return {
      {{'F', 0, "F", "Window", action::full_screen},
       [](const Act& a) { a.settings.fullscreen = !a.settings.fullscreen; }},
      {{f(11), 0, "F11", "Window", action::full_screen},
       [](const Act& a) { a.settings.fullscreen = !a.settings.fullscreen; }},
      {{'T', 0, "T", "Window", action::theme}, [](const Act& a) { a.settings.light_theme = !a.settings.light_theme; }},
      {{equal, control, "Ctrl++", "Window", action::larger_text},
       [](const Act& a) { change_ui_scale(a.settings, 1.1); },
       true},
      {{equal, control | shift, "Ctrl++", "Window", action::larger_text},
       [](const Act& a) { change_ui_scale(a.settings, 1.1); },
       true},
      {{minus, control, "Ctrl+−", "Window", action::smaller_text},
       [](const Act& a) { change_ui_scale(a.settings, 1 / 1.1); },
       true},
      {{'0', control, "Ctrl+0", "Window", action::text_to_suit}, [](const Act& a) { change_ui_scale(a.settings, 0); }},
      {{f(12), 0, "F12", "Window", action::projector},
       [](const Act& a) { a.settings.projector = !a.settings.projector; }},
      {{'P', control, "Ctrl+P", "Window", action::palette},
       [](const Act&) { ui::momentary().show_palette = !ui::momentary().show_palette; }},
      {{'Y', 0, "Y", "Window", action::vsync}, [](const Act& a) { a.settings.vsync = !a.settings.vsync; }},
      {{comma, control, "Ctrl+,", "Window", action::settings},
       [](const Act&) {
         ui::momentary().show_settings = !ui::momentary().show_settings;
         ui::momentary().show_help = ui::momentary().show_messages = false;
       }},
      {{'H', control, "Ctrl+H", "Window", action::messages}, toggle_messages},
      {{f(1), 0, "F1", "Window", action::help}, toggle_help},
      {{f(1), shift, "Shift+F1", "Window", action::lessons}, [](const Act&) { toggle_lessons(); }},
      {{page_down, shift, "Shift+Page Down", "Window", action::lesson_next},
       [](const Act&) { turn_lesson_page(1); },
       false,
       nullptr,
       turns_lesson_pages},
      {{page_up, shift, "Shift+Page Up", "Window", action::lesson_back},
       [](const Act&) { turn_lesson_page(-1); },
       false,
       nullptr,
       turns_lesson_pages},
      {{slash, shift, "?", "Window", action::help}, toggle_help},
      {{escape, 0, "Esc", "Window", action::close}, leave},
      {{'S', control, "Ctrl+S", "Window", action::save_session},
       [](const Act& a) { open_save_dialog(Saved::session, a.stats, a.settings); }},
      {{'Q', control, "Ctrl+Q", "Window", action::quit}, [](const Act& a) { a.requests.quit = true; }},
  };
}

}  // namespace

const std::vector<Binding>& bindings() {
  static const std::vector<Binding> table = [] {
    std::vector<Binding> all;
    for (const auto& part :
         {before_panes(), recording_bindings(), measure_bindings(), pane_bindings(), inspect_bindings(),
          learn_bindings(), before_panels(), workbench_bindings(), panel_bindings(), after_panels()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return table;
}

}  // namespace ui
}  // namespace convoscope
