#include "app/gl/window/key_layout.h"

// Its codes; none of its functions.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <string_view>

namespace convoscope {

int key_of_place(int place, const char* typed) {
  const std::string_view name = typed ? typed : "";
  if (name.size() != 1) return place;  // a letter of another alphabet: its shortcuts go by the places
  const char one = name.front();
  if (one >= 'a' && one <= 'z') return GLFW_KEY_A + (one - 'a');
  if (one >= 'A' && one <= 'Z') return GLFW_KEY_A + (one - 'A');
  if (one >= '0' && one <= '9') return GLFW_KEY_0 + (one - '0');
  // Where digits need Shift, panes are still picked by their places.
  if (place >= GLFW_KEY_0 && place <= GLFW_KEY_9) return place;
  if (one == '+') return GLFW_KEY_EQUAL;  // the table's "+"
  constexpr std::string_view numbered_as_typed = "',-./;=[\\]`";
  return numbered_as_typed.find(one) == std::string_view::npos ? place : one;
}

std::optional<MarkKey> key_of_mark(unsigned character) {
  switch (character) {
    case '?':
      return MarkKey{GLFW_KEY_SLASH, GLFW_MOD_SHIFT};
    case '[':
      return MarkKey{GLFW_KEY_LEFT_BRACKET, 0};
    case ']':
      return MarkKey{GLFW_KEY_RIGHT_BRACKET, 0};
    case '\\':
      return MarkKey{GLFW_KEY_BACKSLASH, 0};
    default:
      return {};
  }
}

}  // namespace convoscope
