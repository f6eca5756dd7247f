#include "app/gl/key_queue.h"

// Its codes; none of its functions.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace convoscope {
namespace {

constexpr int frames_to_focus = 2;  // from a key that opens or closes a field until ImGui says so

bool is_modifier(int key) { return key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER; }

bool is_printing(const KeyInput& input) {
  return input.key >= GLFW_KEY_SPACE && input.key < GLFW_KEY_ESCAPE &&
         !(input.modifiers & (GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER));
}

bool closes_a_field(int key) {
  return key == GLFW_KEY_ENTER || key == GLFW_KEY_KP_ENTER || key == GLFW_KEY_ESCAPE || key == GLFW_KEY_TAB;
}

// Ctrl+O and its like, Enter on a weight, and the first digit of a new one.
bool opens_a_field(const KeyInput& input) {
  const bool digit = (input.key >= GLFW_KEY_0 && input.key <= GLFW_KEY_9) || input.key == GLFW_KEY_MINUS ||
                     input.key == GLFW_KEY_PERIOD;
  const bool shortcut = (input.modifiers & GLFW_MOD_CONTROL) && input.key >= GLFW_KEY_A && input.key <= GLFW_KEY_Z;
  return shortcut || digit || input.key == GLFW_KEY_ENTER || input.key == GLFW_KEY_KP_ENTER;
}

}  // namespace

void KeyQueue::give_out(bool typing, const std::function<void(const KeyInput&)>& take) {
  if (frames_to_wait_ > 0 && typing == typing_before_) {
    --frames_to_wait_;
    return;
  }
  frames_to_wait_ = 0;
  int acted = 0;  // the key that does something in this frame: nothing but its own characters and repeats follow
  while (!waiting_.empty()) {
    const KeyInput input = waiting_.front();
    const bool character = input.character != 0;
    if (acted != 0 && !character && (input.key != acted || input.action != GLFW_REPEAT)) return;
    waiting_.pop_front();
    take(input);
    if (character || is_modifier(input.key) || input.action == GLFW_RELEASE) continue;
    if (typing && is_printing(input)) continue;
    acted = input.key;
    if (input.action == GLFW_PRESS && (typing ? closes_a_field(input.key) : opens_a_field(input))) {
      frames_to_wait_ = frames_to_focus;
      typing_before_ = typing;
    }
  }
}

}  // namespace convoscope
