#pragma once
// Keys and characters in the order in which they came, a frame at a time. Dear ImGui before 1.87 sees only which keys
// are down when a frame begins, and what a key does (open a field, say) decides who gets the next one: several keys
// that come within one slow frame must not be given to it at once.
#include <deque>
#include <functional>

namespace convoscope {

// GLFW's codes. A character when `character` is set.
struct KeyInput {
  int key = 0, scancode = 0, action = 0, modifiers = 0;
  unsigned character = 0;
};

class KeyQueue {
 public:
  void add(const KeyInput& input) { waiting_.push_back(input); }
  // Gives `take` what this frame may have, in order. `typing`: a text field has the keyboard, so that printing keys are
  // only characters, of which it takes any number.
  void give_out(bool typing, const std::function<void(const KeyInput&)>& take);

 private:
  std::deque<KeyInput> waiting_;
  int frames_to_wait_ = 0;  // for a field to open or close; it may be sooner
  bool typing_before_ = false;
};

}  // namespace convoscope
