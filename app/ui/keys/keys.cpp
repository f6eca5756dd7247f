// What every key does: playback, source, picture, filter, strategy, window. The panes' keys are in pane_keys.cpp.

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/ui/actions/command_table.h"
#include "app/ui/actions/filter_actions.h"
#include "app/ui/actions/panel_actions.h"
#include "app/ui/actions/playback_actions.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/actions/window_actions.h"
#include "app/ui/files/file_browser.h"
#include "app/ui/files/save_dialog.h"
#include "app/ui/keys/key_table.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/panels/panel.h"
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

void toggle_help(const Act& a) {
  a.settings.show_help = !a.settings.show_help;
  a.settings.show_settings = a.settings.show_messages = false;
}

void toggle_messages(const Act& a) {
  a.settings.show_messages = !a.settings.show_messages;
  a.settings.show_help = a.settings.show_settings = false;
}

void leave(const Act& a) {
  if (close_menus()) return;
  if (a.settings.show_palette)
    a.settings.show_palette = false;
  else if (a.settings.show_help)
    a.settings.show_help = false;
  else if (a.settings.show_settings)
    a.settings.show_settings = false;
  else if (a.settings.show_messages)
    a.settings.show_messages = false;
  else if (a.settings.sweep.open)
    a.settings.sweep.open = false;
  else if (ui_state().grid.focused)
    leave_grid();
  else if (a.settings.inspect.explain)
    a.settings.inspect.explain = false;
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
      {{space, 0, "Space", "Playback", "Play or pause"},
       [](const Act& a) { toggle_play(a.stats, a.settings, a.requests); }},
      {{right, 0, "→", "Playback", "Step one frame forward"}, [](const Act& a) { step(a, 1); }, true},
      {{left, 0, "←", "Playback", "Step one frame back"}, [](const Act& a) { step(a, -1); }, true},
      {{right, shift, "Shift+→", "Playback", "One second forward"},
       [](const Act& a) { seek_by(1, a.stats, a.settings, a.requests); },
       true},
      {{left, shift, "Shift+←", "Playback", "One second back"},
       [](const Act& a) { seek_by(-1, a.stats, a.settings, a.requests); },
       true},
      {{right, control, "Ctrl+→", "Playback", "Ten seconds forward"},
       [](const Act& a) { seek_by(10, a.stats, a.settings, a.requests); },
       true},
      {{left, control, "Ctrl+←", "Playback", "Ten seconds back"},
       [](const Act& a) { seek_by(-10, a.stats, a.settings, a.requests); },
       true},
      {{home, 0, "Home", "Playback", "To the first frame"}, [](const Act& a) { a.requests.seek_seconds = 0.0; }},
      {{end, 0, "End", "Playback", "To the last frame"},
       [](const Act& a) {
         if (a.stats.source.frames > 0)
           a.requests.seek_frame = a.stats.source.frames - 1;
         else
           a.requests.seek_seconds = std::max(a.stats.source.duration, 0.0);
       }},
      {{'L', 0, "L", "Playback", "Loop"}, [](const Act& a) { a.settings.playback.loop = !a.settings.playback.loop; }},
      {{left_bracket, 0, "[", "Playback", "Loop from here (A)"},
       [](const Act& a) { set_loop_mark(true, a.stats, a.settings, a.requests); }},
      {{right_bracket, 0, "]", "Playback", "Loop to here (B)"},
       [](const Act& a) { set_loop_mark(false, a.stats, a.settings, a.requests); }},
      {{backslash, 0, "\\", "Playback", "Clear A and B"},
       [](const Act& a) { a.settings.playback.loop_a = a.settings.playback.loop_b = std::nullopt; }},
      {{equal, 0, "+", "Playback", "Faster"}, [](const Act& a) { change_speed(a.settings, 1); }, true},
      {{equal, shift, "+", "Playback", "Faster"}, [](const Act& a) { change_speed(a.settings, 1); }, true},
      {{keypad_add, 0, "+", "Playback", "Faster"}, [](const Act& a) { change_speed(a.settings, 1); }, true},
      {{minus, 0, "−", "Playback", "Slower"}, [](const Act& a) { change_speed(a.settings, -1); }, true},
      {{keypad_subtract, 0, "−", "Playback", "Slower"}, [](const Act& a) { change_speed(a.settings, -1); }, true},
      {{backspace, 0, "Backspace", "Playback", "Normal speed"}, [](const Act& a) { a.settings.playback.speed = 1; }},
      {{'M', shift, "Shift+M", "Playback", "Sound on or off"},
       [](const Act& a) { toggle_sound(a.stats, a.settings, a.requests); }},
      {{up, shift, "Shift+↑", "Playback", "Volume up"}, [](const Act& a) { change_volume(a.settings, 1); }, true},
      {{down, shift, "Shift+↓", "Playback", "Volume down"}, [](const Act& a) { change_volume(a.settings, -1); }, true},

      {{'M', control, "Ctrl+M", "Playback", "Filter what is heard"},
       [](const Act& a) { a.settings.sound.filtered = !a.settings.sound.filtered; }},
      {{'M', control | shift, "Ctrl+Shift+M", "Playback", "Waveform and spectrum"},
       [](const Act& a) { a.settings.sound.scope = !a.settings.sound.scope; }},

      {{'O', control, "Ctrl+O", "Source", "Open a file, URL or camera"},
       [](const Act&) { open_browser(FileBrowser::Purpose::source); }},
      {{'R', control, "Ctrl+R", "Source", "Try the source again"},
       [](const Act& a) { a.requests.retry_source = true; }},
      {{page_down, control, "Ctrl+Page Down", "Source", "Next clip"}, [](const Act& a) { a.requests.step_clip = 1; }},
      {{page_up, control, "Ctrl+Page Up", "Source", "Clip before"}, [](const Act& a) { a.requests.step_clip = -1; }},
      {{'U', 0, "U", "Source", "Show the unfiltered picture"}, [](const Act& a) { toggle_source(a.settings); }},

      {{page_up, 0, "Page Up", "Picture", "Zoom in"}, [](const Act& a) { zoom_by(a, 1.2); }, true},
      {{page_down, 0, "Page Down", "Picture", "Zoom out"}, [](const Act& a) { zoom_by(a, 1 / 1.2); }, true},
      {{'0', 0, "0", "Picture", "Fit the picture"}, [](const Act& a) { a.settings.zoom = {}; }},
      {{'0', shift, "Shift+0", "Picture", "One pixel to one (1:1)"},
       [](const Act& a) { zoom_to_scale(1, a.stats, a.settings); }},
      {{left, alt, "Alt+←", "Picture", "Move left"}, [](const Act& a) { pan(a, -0.05, 0); }, true},
      {{right, alt, "Alt+→", "Picture", "Move right"}, [](const Act& a) { pan(a, 0.05, 0); }, true},
      {{up, alt, "Alt+↑", "Picture", "Move up"}, [](const Act& a) { pan(a, 0, -0.05); }, true},
      {{down, alt, "Alt+↓", "Picture", "Move down"}, [](const Act& a) { pan(a, 0, 0.05); }, true},

      {{'G', 0, "G", "Filter", "Next filter of the catalogue"},
       [](const Act& a) { choose_next_filter(a.settings, 1); },
       true},
      {{'G', shift, "Shift+G", "Filter", "Previous filter"},
       [](const Act& a) { choose_next_filter(a.settings, -1); },
       true},
      {{up, 0, "↑", "Filter", "Larger radius"},
       [](const Act& a) { ui_state().filter_error = grow_filters(a.settings, 1); },
       true},
      {{down, 0, "↓", "Filter", "Smaller radius"},
       [](const Act& a) { ui_state().filter_error = grow_filters(a.settings, -1); },
       true},
      {{up, control, "Ctrl+↑", "Filter", "More gain"}, [](const Act& a) { change_gain(a, 1.1f); }, true},
      {{down, control, "Ctrl+↓", "Filter", "Less gain"}, [](const Act& a) { change_gain(a, 1 / 1.1f); }, true},
      {{up, control | shift, "Ctrl+Shift+↑", "Filter", "More bias"}, [](const Act& a) { change_bias(a, 0.05f); }, true},
      {{down, control | shift, "Ctrl+Shift+↓", "Filter", "Less bias"},
       [](const Act& a) { change_bias(a, -0.05f); },
       true},
      {{'A', 0, "A", "Filter", "Absolute value"},
       [](const Act& a) { a.filter().filter.absolute = !a.filter().filter.absolute; }},
      {{'B', 0, "B", "Filter", "Next border"}, [](const Act& a) { choose_border(a, 1); }},
      {{'B', shift, "Shift+B", "Filter", "Previous border"}, [](const Act& a) { choose_border(a, -1); }},
      {{'W', 0, "W", "Filter", "Edit weights with arrows, Tab, Enter"}, edit_by_keys},
      {{'Z', control, "Ctrl+Z", "Filter", "Undo"},
       [](const Act& a) { give_feedback(undo(a.settings), a.stats.now); },
       true},
      {{'Z', control | shift, "Ctrl+Shift+Z", "Filter", "Redo"},
       [](const Act& a) { give_feedback(redo(a.settings), a.stats.now); },
       true},
      {{'Y', control, "Ctrl+Y", "Filter", "Redo"},
       [](const Act& a) { give_feedback(redo(a.settings), a.stats.now); },
       true},
      {{'C', control | shift, "Ctrl+Shift+C", "Filter", "Copy the weights as text"},
       [](const Act& a) { ImGui::SetClipboardText(filter_text(shown_weights(a.settings).filter).c_str()); }},
      {{'V', control, "Ctrl+V", "Filter", "Paste weights"}, paste},
      {{'N', shift, "Shift+N", "Filter", "Normalise the sum to 1"}, [](const Act& a) { a.edit(normalise); }},
      {{'T', shift, "Shift+T", "Filter", "Transpose"}, [](const Act& a) { a.turn(transpose); }},
      {{'H', shift, "Shift+H", "Filter", "Flip left and right"}, [](const Act& a) { a.turn(flip_horizontal); }},
      {{'V', shift, "Shift+V", "Filter", "Flip top and bottom"}, [](const Act& a) { a.turn(flip_vertical); }},
      {{'R', shift, "Shift+R", "Filter", "Rotate clockwise"}, [](const Act& a) { a.turn(rotate_clockwise); }},
      {{'S', control | shift, "Ctrl+Shift+S", "Filter", "Save the filter"},
       [](const Act& a) { open_save_dialog(has_bank(a.settings) ? Saved::bank : Saved::filter, a.stats, a.settings); }},
      {{'O', control | shift, "Ctrl+Shift+O", "Filter", "Load a filter"},
       [](const Act& a) {
         open_browser(has_bank(a.settings) ? FileBrowser::Purpose::bank : FileBrowser::Purpose::filter);
       }},

      {{'N', 0, "N", "Strategy", "Next strategy"},
       [](const Act& a) { choose_next_strategy(a.stats, a.settings, 1); },
       true},
      {{'P', 0, "P", "Strategy", "Previous strategy"},
       [](const Act& a) { choose_next_strategy(a.stats, a.settings, -1); },
       true},
      {{'N', control, "Ctrl+N", "Strategy", "Choose what really runs"},
       [](const Act& a) { choose_what_runs(a.stats, a.settings.active()); }},
      {{period, 0, ".", "Strategy", "First tunable up"},
       [](const Act& a) { step_tunable(a.stats, a.settings.active(), 0, 1); },
       true},
      {{comma, 0, ",", "Strategy", "First tunable down"},
       [](const Act& a) { step_tunable(a.stats, a.settings.active(), 0, -1); },
       true},
      {{period, shift, "Shift+.", "Strategy", "Second tunable up"},
       [](const Act& a) { step_tunable(a.stats, a.settings.active(), 1, 1); },
       true},
      {{comma, shift, "Shift+,", "Strategy", "Second tunable down"},
       [](const Act& a) { step_tunable(a.stats, a.settings.active(), 1, -1); },
       true},
      {{'M', 0, "M", "Strategy", "Colour (rgba8) or grey (gray32f)"},
       [](const Act& a) {
         a.settings.format = a.settings.format == PixelFormat::rgba8 ? PixelFormat::gray32f : PixelFormat::rgba8;
       }},
      {{'K', 0, "K", "Strategy", "Next backend"}, [](const Act& a) { cycle_backend(a.stats, a.settings); }},
      {{'C', 0, "C", "Strategy", "Clear the timings"}, [](const Act& a) { a.requests.reset_statistics = true; }},
  };
}

std::vector<Binding> before_panels() {
  using namespace key;
  return {
      {{tab, 0, "Tab", "Window", "Show or hide the panels"},
       [](const Act& a) { a.settings.show_panels = !a.settings.show_panels; }},
      {{'H', 0, "H", "Window", "Show or hide the panels"},
       [](const Act& a) { a.settings.show_panels = !a.settings.show_panels; }},
      {{'O', 0, "O", "Window", "Show or hide the overlay"},
       [](const Act& a) { a.settings.show_overlay = !a.settings.show_overlay; }},
      {{tab, shift, "Shift+Tab", "Window", "Panels on the other side"},
       [](const Act& a) {
         a.settings.show_panels = true;
         a.settings.panels_left = !a.settings.panels_left;
       }},
  };
}

std::vector<Binding> after_panels() {
  using namespace key;
  return {
      {{'F', 0, "F", "Window", "Full screen"}, [](const Act& a) { a.settings.fullscreen = !a.settings.fullscreen; }},
      {{f(11), 0, "F11", "Window", "Full screen"},
       [](const Act& a) { a.settings.fullscreen = !a.settings.fullscreen; }},
      {{'T', 0, "T", "Window", "Dark or light"},
       [](const Act& a) { a.settings.light_theme = !a.settings.light_theme; }},
      {{equal, control, "Ctrl++", "Window", "Larger text, for a projector"},
       [](const Act& a) { change_ui_scale(a.settings, 1.1); },
       true},
      {{equal, control | shift, "Ctrl++", "Window", "Larger text, for a projector"},
       [](const Act& a) { change_ui_scale(a.settings, 1.1); },
       true},
      {{minus, control, "Ctrl+−", "Window", "Smaller text"},
       [](const Act& a) { change_ui_scale(a.settings, 1 / 1.1); },
       true},
      {{'0', control, "Ctrl+0", "Window", "Text size to suit the monitor"},
       [](const Act& a) { change_ui_scale(a.settings, 0); }},
      {{f(12), 0, "F12", "Window", "Projector: large text, thick lines"},
       [](const Act& a) { a.settings.projector = !a.settings.projector; }},
      {{'P', control, "Ctrl+P", "Window", "Command palette"},
       [](const Act& a) { a.settings.show_palette = !a.settings.show_palette; }},
      {{'Y', 0, "Y", "Window", "Wait for the display (vsync)"},
       [](const Act& a) { a.settings.vsync = !a.settings.vsync; }},
      {{comma, control, "Ctrl+,", "Window", "Settings"},
       [](const Act& a) {
         a.settings.show_settings = !a.settings.show_settings;
         a.settings.show_help = a.settings.show_messages = false;
       }},
      {{'H', control, "Ctrl+H", "Window", "Messages so far"}, toggle_messages},
      {{f(1), 0, "F1", "Window", "Keys and mouse"}, toggle_help},
      {{slash, shift, "?", "Window", "Keys and mouse"}, toggle_help},
      {{escape, 0, "Esc", "Window", "Close what is open, leave full screen"}, leave},
      {{'S', control, "Ctrl+S", "Window", "Save the session to a file"},
       [](const Act& a) { open_save_dialog(Saved::session, a.stats, a.settings); }},
      {{'Q', control, "Ctrl+Q", "Window", "Quit"}, [](const Act& a) { a.requests.quit = true; }},
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
