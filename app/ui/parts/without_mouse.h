#pragma once
// For a frame that becomes a picture of its own: what a screenshot shows does not depend on where the mouse lies.
#include <memory>

namespace convoscope::ui {

// While it lives, nothing lies under the mouse, for all that ImGui and the panels draw: no highlight, no tooltip, no
// card that has opened below it. What is being dragged goes on. Between NewFrame and Render, by the thread that draws.
class WithoutMouse {
 public:
  explicit WithoutMouse(bool wanted);
  ~WithoutMouse();
  WithoutMouse(const WithoutMouse&) = delete;
  WithoutMouse& operator=(const WithoutMouse&) = delete;

 private:
  struct Kept;
  std::unique_ptr<Kept> kept_;  // null: the mouse is where it is
};

}  // namespace convoscope::ui
