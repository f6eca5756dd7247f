#pragma once
// The times of the last frames as a graph.
#include <imgui.h>

#include "app/state/rolling_times.h"

namespace convoscope::ui {

void draw_history(const RollingTimes&, ImDrawList&, ImVec2 from, ImVec2 to);  // a graph with its median

}  // namespace convoscope::ui
