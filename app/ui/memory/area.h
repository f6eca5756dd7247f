#pragma once
// A rectangle on the screen, in ImGui's pixels.
#include <imgui.h>

namespace convoscope::ui {

struct Area {
  float x = 0, y = 0, width = 0, height = 0;
  bool contains(float px_, float py_) const { return px_ >= x && px_ < x + width && py_ >= y && py_ < y + height; }
  ImVec2 from() const { return {x, y}; }
  ImVec2 to() const { return {x + width, y + height}; }
};

inline bool overlap(const Area& a, const Area& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

}  // namespace convoscope::ui
