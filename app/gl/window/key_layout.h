#pragma once
#include <optional>

namespace convoscope {

// The key that shortcuts know by what it types, as GLFW numbers it. GLFW tells of places instead: of Q where a French
// keyboard has its A. `typed` is what the place types by itself in the present layout; null: nothing known.
int key_of_place(int place, const char* typed);

// Of a mark that other keyboards type only with Shift or AltGr: the key that shortcuts know by it, and the modifiers
// that it has on a US keyboard. None for any other character.
struct MarkKey {
  int key = 0, modifiers = 0;
};
std::optional<MarkKey> key_of_mark(unsigned character);

}  // namespace convoscope
