#pragma once
// The plot of a sweep: time over one number of its problems, both logarithmic, a line for each strategy. The window and
// the saved picture are drawn by the same code.
#include <imgui.h>

#include <string>
#include <vector>

#include "app/measure/sweep/sweep_curves.h"
#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope {

// Of that kind: what was measured, else what was loaded. One view for each chip, and the one that is shown.
std::vector<SweepView> shown_sweeps(const SweepStats&, const Settings&, const Kind&);
SweepView shown_sweep(const std::vector<SweepView>&);  // without a kind: there are no rows
inline SweepView shown_sweep(const SweepStats& sweep, const Settings& settings, const Kind& kind) {
  return shown_sweep(shown_sweeps(sweep, settings, kind));
}

// Between ImGui::NewFrame and Render, with the current theme and fonts.
void draw_sweep_plot(ImDrawList&, ImVec2 from, ImVec2 to, const SweepStats&, const SweepView&);
// The point nearest to `place` in that plot: strategy, value, times; without a text where there is none near.
struct SweepPointSeen {
  std::string text;
  ImVec2 at;
};
SweepPointSeen sweep_point_near(ImVec2 place, ImVec2 from, ImVec2 to, const SweepStats&, const SweepView&);
void draw_sweep_picture(ImDrawList&, ImVec2 size, const SweepStats&, const SweepView&);  // with a background

}  // namespace convoscope
