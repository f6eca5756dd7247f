#pragma once
// The pixels around the one that is looked at, as squares.
#include <imgui.h>

#include <cstddef>

#include "app/state/stats.h"

namespace convoscope::ui {

ImU32 shown_colour(const PixelValue&);
// `is_old`: veiled, as another picture is still to come.
void draw_magnifier(ImDrawList&, ImVec2 at, float side, const InspectStats&, std::size_t pane, bool is_old);

}  // namespace convoscope::ui
