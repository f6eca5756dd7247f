#pragma once
// The plot of a sweep: time over radius, both logarithmic, a line for each strategy. The window and the saved picture
// are drawn by the same code.
#include <imgui.h>

#include <string>

#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope {

// Between ImGui::NewFrame and Render, with the current theme and fonts. `size`: of the pictures whose rows are shown.
void draw_sweep_plot(ImDrawList&, ImVec2 from, ImVec2 to, const SweepStats&, PixelAddress size);
// Of the point nearest to `place` in that plot: strategy, radius, times; empty where there is none near.
std::string sweep_point_near(ImVec2 place, ImVec2 from, ImVec2 to, const SweepStats&, PixelAddress size);
PixelAddress shown_sweep_size(const SweepStats&, const SweepSettings&);                    // 0 × 0: there are no rows
void draw_sweep_picture(ImDrawList&, ImVec2 size, const SweepStats&, PixelAddress shown);  // with a background

}  // namespace convoscope
