#pragma once
// What keyboard and mouse do, in the order in which it came, a frame at a time. Dear ImGui before 1.87 sees only which
// keys and buttons are down and where the mouse is when a frame begins, and what one of them does (open a field, say)
// decides who gets the next: what comes within one slow frame must not be given to it at once.
#include <deque>
#include <functional>
#include <variant>

namespace convoscope {

// GLFW's codes; a key is the one that shortcuts know (key_layout.h).
struct KeyInput {
  int key = 0, scancode = 0, action = 0, modifiers = 0;
  unsigned character = 0;  // that it typed, if any
};
struct CharacterInput {
  unsigned character = 0;
};
struct MoveInput {
  double x = 0, y = 0;
};
struct ButtonInput {
  int button = 0;
  bool down = false;
  double seconds = 0;  // when it came
};
struct WheelInput {
  double x = 0, y = 0;
};
using Input = std::variant<KeyInput, CharacterInput, MoveInput, ButtonInput, WheelInput>;

class InputQueue {
 public:
  void add(const Input&);
  bool empty() const { return waiting_.empty(); }
  bool has_quit() const;  // Ctrl+Q waits, behind whatever came before it
  KeyInput* last_key();  // while it waits and nothing has come after it: whose the character is that comes now; or null
  // Gives `take` what this frame may have, in order. `typing`: a text field has the keyboard, so that printing keys are
  // only characters, of which it takes any number.
  void give_out(bool typing, const std::function<void(const Input&)>& take);

 private:
  struct Frame;
  bool fits(const Input&, const Frame&) const;
  void note(const Input&, bool typing, Frame&);

  std::deque<Input> waiting_;
  MoveInput mouse_;         // where it was when the wheel was turned, if it was
  int frames_to_wait_ = 0;  // of the keyboard, for a field to open or close; it may be sooner
  bool typing_before_ = false;
};

}  // namespace convoscope
