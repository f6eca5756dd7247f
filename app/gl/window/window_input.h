#pragma once
// What a window's user does, given to Dear ImGui and to the program a frame at a time.
#include <map>
#include <optional>
#include <utility>

#include "app/gl/window/context.h"
#include "app/gl/window/input_queue.h"

struct GLFWwindow;

namespace convoscope {

class WindowInput {
 public:
  // Takes the place of the callbacks of ImGui's backend, which must be there already.
  explicit WindowInput(GLFWwindow* window);
  WindowInput(const WindowInput&) = delete;
  WindowInput& operator=(const WindowInput&) = delete;
  // Before ImGui's backend begins a frame, and after it.
  void pass_on();
  void place_mouse();
  bool waits() const { return !queue_.empty(); }  // for the next frame
  bool quit_waits() const { return queue_.has_quit(); }
  InputEvents take_events() { return std::exchange(events_, {}); }

 private:
  int key_at(int place, int scancode, int action);  // of GLFW's, to a shortcut
  void name_last_key(unsigned character);           // by what it has typed
  void take_key(const KeyInput&);
  void take_button(const ButtonInput&);
  void listen_to_keyboard();
  void listen_to_mouse();

  GLFWwindow* window_;
  InputQueue queue_;
  InputEvents events_;
  std::map<int, int> held_;         // by scancode: the keys that were pressed there
  std::optional<MoveInput> mouse_;  // known once it has moved
  bool down_[5] = {};
  bool mouse_used_ = false;  // in this frame
  double pressed_ = -1e9;    // seconds, the last button
};

}  // namespace convoscope
