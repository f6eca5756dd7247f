#include "app/gl/window/input_queue.h"

#include <algorithm>
#include <cmath>

#include "app/state/number_beginning.h"

// Its codes; none of its functions.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace convoscope {
namespace {

constexpr int frames_to_focus = 3;  // from what opens or closes a field until ImGui says so
constexpr double same_place = 4;    // screen units that a turning wheel may shake the mouse by

bool is_modifier(int key) { return key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER; }

bool is_printing(const KeyInput& input) {
  return input.key >= GLFW_KEY_SPACE && input.key < GLFW_KEY_ESCAPE &&
         !(input.modifiers & (GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER));
}

bool closes_a_field(int key) {
  return key == GLFW_KEY_ENTER || key == GLFW_KEY_KP_ENTER || key == GLFW_KEY_ESCAPE || key == GLFW_KEY_TAB;
}

// Ctrl+O and its like, Shift+S, Enter on a weight, and what begins the number of a new one, which may need any key.
bool opens_a_field(const KeyInput& input) {
  // The codes of these keys are their characters.
  const bool digit = begins_number(static_cast<unsigned>(input.key)) || begins_number(input.character);
  const bool shortcut = (input.modifiers & GLFW_MOD_CONTROL) && input.key >= GLFW_KEY_A && input.key <= GLFW_KEY_Z;
  const bool screenshot = (input.modifiers & GLFW_MOD_SHIFT) && input.key == GLFW_KEY_S;
  return shortcut || screenshot || digit || input.key == GLFW_KEY_ENTER || input.key == GLFW_KEY_KP_ENTER;
}

}  // namespace

// Once a key has been let go, it is held no more: what it repeated while a frame was slow is nobody's wish.
void InputQueue::add(const Input& input) {
  const auto* const let_go = std::get_if<KeyInput>(&input);
  if (let_go && let_go->action == GLFW_RELEASE)
    std::erase_if(waiting_, [&](const Input& each) {
      const auto* const key = std::get_if<KeyInput>(&each);
      return key && key->key == let_go->key && key->action == GLFW_REPEAT;
    });
  waiting_.push_back(input);
}

// What it has been given so far.
struct InputQueue::Frame {
  bool typing = false;
  bool keyboard_waits = false;
  int acted = 0;        // the key that does something in this frame: nothing but its own characters and repeats follow
  bool struck = false;  // that key has just gone down
  bool typed = false, moved = false, clicked = false, wheeled = false;
  bool spelled = false;  // characters, which the field has in the next frame
};

bool InputQueue::fits(const Input& input, const Frame& frame) const {
  if (const auto* key = std::get_if<KeyInput>(&input)) {
    if (frame.acted != 0) return key->key == frame.acted && key->action == GLFW_REPEAT;
    // Many a shortcut is for what is under the mouse, which shows itself in the frame after a move.
    if (frame.moved && !frame.typing && key->action == GLFW_PRESS && !is_modifier(key->key)) return false;
    // What Enter or Backspace means depends on what is written.
    if (frame.spelled && key->action != GLFW_RELEASE && !is_modifier(key->key) && !is_printing(*key)) return false;
    return !frame.clicked && !frame.wheeled && (!frame.keyboard_waits || key->action == GLFW_RELEASE);
  }
  if (std::holds_alternative<CharacterInput>(input))
    return frame.acted != 0 || (!frame.clicked && !frame.wheeled && !frame.keyboard_waits);
  if (const auto* move = std::get_if<MoveInput>(&input))
    return !frame.struck && !frame.clicked &&
           (!frame.wheeled || std::hypot(move->x - mouse_.x, move->y - mouse_.y) <= same_place);
  // What is under the mouse shows itself in the frame after a move, and a drag ends where the mouse was let go.
  if (std::holds_alternative<ButtonInput>(input))
    return frame.acted == 0 && !frame.typed && !frame.moved && !frame.clicked && !frame.wheeled;
  return frame.acted == 0 && !frame.clicked;
}

void InputQueue::note(const Input& input, bool typing, Frame& frame) {
  const auto wait = [&] {
    frames_to_wait_ = frames_to_focus;
    typing_before_ = typing;
  };
  if (const auto* key = std::get_if<KeyInput>(&input)) {
    if (is_modifier(key->key) || key->action == GLFW_RELEASE) return;
    frame.typed = true;
    if (typing && is_printing(*key)) return;
    frame.acted = key->key;
    if (key->action != GLFW_PRESS) return;
    frame.struck = true;
    if (typing ? closes_a_field(key->key) : opens_a_field(*key)) wait();
  } else if (std::holds_alternative<CharacterInput>(input)) {
    frame.typed = frame.spelled = true;
  } else if (const auto* move = std::get_if<MoveInput>(&input)) {
    frame.moved = true;
    if (!frame.wheeled) mouse_ = *move;
  } else if (std::holds_alternative<ButtonInput>(input)) {
    frame.clicked = true;
    wait();
  } else {
    frame.wheeled = true;
  }
}

bool InputQueue::has_quit() const {
  return std::ranges::any_of(waiting_, [](const Input& each) {
    const auto* const key = std::get_if<KeyInput>(&each);
    return key && key->key == GLFW_KEY_Q && key->action == GLFW_PRESS && (key->modifiers & GLFW_MOD_CONTROL);
  });
}

KeyInput* InputQueue::last_key() {
  KeyInput* const key = waiting_.empty() ? nullptr : std::get_if<KeyInput>(&waiting_.back());
  return key && key->action != GLFW_RELEASE ? key : nullptr;
}

void InputQueue::give_out(bool typing, const std::function<void(const Input&)>& take) {
  Frame frame;
  frame.typing = typing;
  frame.keyboard_waits = frames_to_wait_ > 0 && typing == typing_before_;
  frames_to_wait_ = frame.keyboard_waits ? frames_to_wait_ - 1 : 0;
  while (!waiting_.empty() && fits(waiting_.front(), frame)) {
    const Input input = waiting_.front();
    waiting_.pop_front();
    note(input, typing, frame);
    take(input);
  }
}

}  // namespace convoscope
