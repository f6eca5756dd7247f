#pragma once
// Key codes as GLFW numbers them (the panels do not see GLFW), and what the keys share with the panels' buttons.
#include <array>
#include <string>
#include <string_view>

#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope::ui {

struct CannotBe;  // widgets.h

namespace key {
inline constexpr int space = 32, apostrophe = 39, comma = 44, minus = 45, period = 46, slash = 47, semicolon = 59,
                     equal = 61;
inline constexpr int left_bracket = 91, backslash = 92, right_bracket = 93;
inline constexpr int escape = 256, enter = 257, tab = 258, backspace = 259, del = 261;
inline constexpr int right = 262, left = 263, down = 264, up = 265, page_up = 266, page_down = 267, home = 268,
                     end = 269;
inline constexpr int keypad_add = 334, keypad_subtract = 333, keypad_enter = 335;
constexpr int f(int number) { return 289 + number; }
inline constexpr int shift = 1, control = 2, alt = 4;
}  // namespace key

// The keys of an action as the cheat sheet names them, " (Ctrl+Z)": for the tooltip of the button that does the same.
std::string keys_of(const char* action);

std::string first_key_of(std::string_view action);  // "Ctrl+Z"

// What the hint of a first start names.
inline constexpr std::array<std::string_view, 3> hinted_actions{"Next filter of the catalogue", "Next strategy",
                                                                "Keys and mouse"};
void put_hint_away(Settings&);

void toggle_play(const Stats&, Settings&, Requests&);
void seek_by(double seconds, const Stats&, Settings&, Requests&);
void change_speed(Settings&, int direction);
void toggle_sound(const Stats&, Settings&, Requests&);
void set_volume(Settings&, double volume);  // 0…1, and on: whoever sets it wants to hear
void change_volume(Settings&, int direction);
void cycle_view(Settings&);
void cycle_backend(const Stats&, Settings&);     // to the next one that can run here
CannotBe backend_that_cannot_run(const Stats&);  // among backend_names
void change_ui_scale(Settings&, double factor);  // 0: back to the monitor's
std::string shown_text_size(const Settings&);    // what is in force: a narrow window has no room for all that is chosen
void set_loop_mark(bool is_a, const Stats&, Settings&, const Requests&);
std::string why_no_sweep_to_save(const Stats&, const Settings&);  // empty: one was measured, of this workbench

}  // namespace convoscope::ui
