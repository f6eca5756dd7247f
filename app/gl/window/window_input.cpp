#include "app/gl/window/window_input.h"

// GLFW brings OpenGL's old header unless told not to.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <cfloat>
#include <iterator>

#include "app/gl/imgui_backends.h"
#include "app/gl/window/key_layout.h"

namespace convoscope {
namespace {

// Itself, and asks GLFW which modifiers are down and what a place types.
constexpr bool imgui_orders_input = IMGUI_VERSION_NUM >= 18700;
constexpr double double_click = 0.3;  // seconds from press to press
constexpr float any_time = 60;

WindowInput* input_of(GLFWwindow* window) { return static_cast<WindowInput*>(glfwGetWindowUserPointer(window)); }

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

}  // namespace

WindowInput::WindowInput(GLFWwindow* window) : window_(window) {
  glfwSetWindowUserPointer(window, this);
  glfwSetDropCallback(window, [](GLFWwindow* from, int count, const char** paths) {
    for (int i = 0; i < count; ++i) input_of(from)->events_.dropped_files.emplace_back(paths[i]);
  });
  glfwSetWindowCloseCallback(window, [](GLFWwindow* from) {
    input_of(from)->events_.close_requested = true;
    glfwSetWindowShouldClose(from, GLFW_FALSE);  // the program decides
  });
  listen_to_keyboard();
  listen_to_mouse();
}

void WindowInput::listen_to_keyboard() {
  glfwSetKeyCallback(window_, [](GLFWwindow* window, int key, int scancode, int action, int modifiers) {
    if (imgui_orders_input) ImGui_ImplGlfw_KeyCallback(window, key, scancode, action, modifiers);
    WindowInput& input = *input_of(window);
    input.queue_.add(KeyInput{input.key_at(key, scancode, action), scancode, action, modifiers});
  });
  glfwSetCharCallback(window_, [](GLFWwindow* window, unsigned character) {
    if (imgui_orders_input) ImGui_ImplGlfw_CharCallback(window, character);
    input_of(window)->name_last_key(character);
    input_of(window)->queue_.add(CharacterInput{character});
  });
}

void WindowInput::listen_to_mouse() {
  glfwSetCursorPosCallback(window_, [](GLFWwindow* window, double x, double y) {
#if IMGUI_VERSION_NUM >= 18700
    ImGui_ImplGlfw_CursorPosCallback(window, x, y);
#endif
    input_of(window)->queue_.add(MoveInput{x, y});
  });
  glfwSetMouseButtonCallback(window_, [](GLFWwindow* window, int button, int action, int modifiers) {
    if (imgui_orders_input) ImGui_ImplGlfw_MouseButtonCallback(window, button, action, modifiers);
    input_of(window)->queue_.add(ButtonInput{button, action == GLFW_PRESS, glfwGetTime()});
  });
  glfwSetScrollCallback(window_, [](GLFWwindow* window, double x, double y) {
    if (imgui_orders_input) ImGui_ImplGlfw_ScrollCallback(window, x, y);
    input_of(window)->queue_.add(WheelInput{x, y});
  });
  // A window that moves under the mouse (full screen, say) says nothing about where the mouse is in it now.
  glfwSetWindowPosCallback(window_, [](GLFWwindow* window, int, int) {
    MoveInput now;
    glfwGetCursorPos(window, &now.x, &now.y);
    if (input_of(window)->mouse_) input_of(window)->queue_.add(now);
  });
}

// What is let go is what was pressed, though the layout may have changed meanwhile.
int WindowInput::key_at(int place, int scancode, int action) {
  if (place < GLFW_KEY_APOSTROPHE || place > GLFW_KEY_WORLD_2) return place;
  const auto held = held_.find(scancode);
  const bool is_held = held != held_.end() && action != GLFW_PRESS;
  const int key = is_held ? held->second : key_of_place(place, glfwGetKeyName(GLFW_KEY_UNKNOWN, scancode));
  if (action == GLFW_RELEASE)
    held_.erase(scancode);
  else
    held_[scancode] = key;
  return key;
}

// GLFW tells of what a place types together with Shift and AltGr only by the character, which comes right after the
// key.
void WindowInput::name_last_key(unsigned character) {
  KeyInput* const key = queue_.last_key();
  if (!key) return;
  key->character = character;
  const std::optional<MarkKey> mark = key_of_mark(character);
  if (!mark || !held_.contains(key->scancode)) return;
  held_[key->scancode] = key->key = mark->key;
  key->modifiers = (key->modifiers & ~GLFW_MOD_SHIFT) | mark->modifiers;
}

void WindowInput::take_key(const KeyInput& input) {
  if (!imgui_orders_input)
    ImGui_ImplGlfw_KeyCallback(window_, input.key, input.scancode, input.action, input.modifiers);
  events_.keys.push_back(
      {input.key, input.modifiers, input.action != GLFW_RELEASE, input.action == GLFW_REPEAT, input.character});
}

void WindowInput::take_button(const ButtonInput& input) {
  if (input.button < 0 || input.button >= static_cast<int>(std::size(down_))) return;
  down_[input.button] = input.down;
  if (!input.down || imgui_orders_input) return;
  // ImGui counts from frame to frame, and slow frames would make two clicks of every double click.
  ImGui::GetIO().MouseDoubleClickTime = input.seconds - pressed_ <= double_click ? any_time : 0.0f;
  pressed_ = input.seconds;
}

void WindowInput::pass_on() {
  mouse_used_ = false;
  queue_.give_out(ImGui::GetIO().WantTextInput, [this](const Input& input) {
    events_.any = true;
    mouse_used_ |= !std::holds_alternative<KeyInput>(input) && !std::holds_alternative<CharacterInput>(input);
    std::visit(Overloaded{[this](const KeyInput& key) { take_key(key); },
                          [this](const CharacterInput& typed) {
                            if (!imgui_orders_input) ImGui_ImplGlfw_CharCallback(window_, typed.character);
                          },
                          [this](const MoveInput& move) { mouse_ = move; },
                          [this](const ButtonInput& button) { take_button(button); },
                          [this](const WheelInput& wheel) {
                            events_.wheel += wheel.y;
                            if (!imgui_orders_input) ImGui_ImplGlfw_ScrollCallback(window_, wheel.x, wheel.y);
                          }},
               input);
  });
}

void WindowInput::place_mouse() {
  if (imgui_orders_input) return;
  ImGuiIO& io = ImGui::GetIO();
  std::ranges::copy(down_, io.MouseDown);
  const bool left_the_window = io.MousePos.x == -FLT_MAX && !mouse_used_ && !waits() &&
                               std::ranges::none_of(down_, [](bool down) { return down; });
  if (mouse_ && !left_the_window) io.MousePos = {static_cast<float>(mouse_->x), static_cast<float>(mouse_->y)};
}

}  // namespace convoscope
