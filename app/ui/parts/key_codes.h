#pragma once
// Key codes as GLFW numbers them: the panels do not see GLFW.

namespace convoscope::ui {

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

}  // namespace convoscope::ui
