#pragma once
// Shared by the two views of a pinned pixel's explained: over the picture and in numbers.
#include <imgui.h>

#include "app/state/stats.h"

namespace convoscope::ui {

struct ExplainInks {
  ImU32 block, halo, ghost, window;
};
ExplainInks explain_inks();
inline constexpr float halo_alpha = 0.30f, ghost_alpha = 0.45f, thread_alpha = 0.45f;  // where an ink fills an area
inline constexpr ImU32 pixel_outline =
    IM_COL32(255, 255, 255, 255);  // of the pixel itself, which the block's ink fills
void draw_explained_outline(ImDrawList&, ImVec2 from, ImVec2 to, ImU32 ink, float thickness);  // seen on any colour
// The kernel that the user looks at, at first the last; null when the strategy has none to show.
const KernelStep* chosen_step(const PixelExplanation&);

}  // namespace convoscope::ui
