#pragma once
// The badge of a pane: checked against the reference, and what came of it.
#include <imgui.h>

#include <string>

#include "app/stats.h"

namespace convoscope::ui {

// Within the square of side `size` centred at `centre`, with a tooltip; nothing for CheckResult::State::none. Whoever
// places it takes the clicks on a wrong one: Requests::show_wrong_pixel.
void draw_check_badge(const CheckResult&, PixelFormat, ImDrawList&, ImVec2 centre, float size);
std::string check_text(const CheckResult&, PixelFormat);  // what the tooltip says

}  // namespace convoscope::ui
