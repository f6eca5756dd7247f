#pragma once
// Where the card of the inspection lies: off the pixel that it tells of.
#include <imgui.h>

#include "app/ui/places/layout.h"
#include "app/ui/ui.h"

namespace convoscope::ui {

// What is drawn in that pane round the pixel that is looked at: the pixel itself, when it is large enough.
Area reticle(const UiLayout&, const Stats&, int pane);
// Beside the reticle and the cards, in the pane itself, where the cards give way to it; else over one other picture of
// a grid; else wherever the stage has room. Empty: nowhere.
Area place_for_inspection(ImVec2 size, const Stats&, const Settings&, const UiLayout&);

}  // namespace convoscope::ui
