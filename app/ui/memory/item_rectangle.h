#pragma once
// Where a control lies, in ImGui's pixels.
#include <imgui.h>

namespace convoscope::ui {

struct ItemRectangle {
  ImVec2 from, to;
  ImVec2 centre() const { return {(from.x + to.x) / 2, (from.y + to.y) / 2}; }
};

}  // namespace convoscope::ui
