#include "app/ui/windows/palette_place.h"

#include <imgui.h>

#include <algorithm>

#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/theme.h"

namespace convoscope::ui {

float palette_row_height() { return px(28) + ImGui::GetStyle().ItemSpacing.y; }

Area palette_area() {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float width = std::min(px(620), screen.x - px(24));
  if (!momentary().show_palette || width < px(100) || screen.y < px(120)) return {};
  const float height = std::min(px(70) + palette_row_height() * palette_rows, screen.y - px(24));
  return {(screen.x - width) / 2, std::min(px(70), (screen.y - height) / 2), width, height};
}

}  // namespace convoscope::ui
