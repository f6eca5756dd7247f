#pragma once
// Curves that run from left to right, with peaks of a pixel's width. ImGui's lines become thin where they turn sharply:
// a peak was torn, and ended below its level.
#include <imgui.h>

#include <span>
#include <vector>

namespace convoscope::ui {

// One value a column where there are more values than columns, the largest of its own, or the least; else they stay as
// they are. A peak that one of them is alone is not left out.
std::vector<float> in_columns(std::span<const float> values, int columns, bool largest);

// What a round pen covers of the vertical line at `x`. Points lie one right of the other, or above it.
struct Inked {
  float top, bottom;
};
Inked inked(std::span<const ImVec2> points, float x, float radius);

// As thick everywhere, and no darker where a translucent one turns.
void stroke(ImDrawList&, std::span<const ImVec2> points, ImU32 ink, float thickness);
void fill_down_to(ImDrawList&, float foot, std::span<const ImVec2> points, ImU32 ink);

}  // namespace convoscope::ui
