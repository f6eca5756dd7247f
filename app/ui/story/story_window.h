#pragma once
// Shared by the two views of a pinned pixel's story: over the picture and in numbers.
#include <imgui.h>

#include "app/state/stats.h"

namespace convoscope::ui {

struct StoryInks {
  ImU32 block, halo, ghost, window;
};
StoryInks story_inks();
// The kernel that the user looks at, at first the last; null when the strategy has none to show.
const KernelStep* chosen_step(const PixelStory&);

}  // namespace convoscope::ui
