#pragma once
// Zooming to what a number asks for: one screen pixel for each of the picture, or a pixel that can be told apart.
#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope::ui {

// `pixels` of the screen for each of the picture, in the pane that is active. Between ImGui::NewFrame and Render.
void zoom_to_scale(double pixels, const Stats&, Settings&);
// So near that the pixel is seen as a square, in the middle, pinned and with its values.
void look_at_pixel(PixelAddress, const Stats&, Settings&);

}  // namespace convoscope::ui
