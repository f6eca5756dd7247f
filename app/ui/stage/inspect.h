#pragma once
// Looking closely: the magnifier, pixel values, histogram and vectorscope, and how the pinned pixel was made.
#include <imgui.h>

#include <optional>

#include "app/ui/places/layout.h"
#include "app/ui/ui.h"

namespace convoscope::ui {

// The first is drawn over the picture, behind the windows; the second is a sheet.
void draw_inspection(const Stats&, const Settings&, const UiLayout&);
// What is pinned was asked for: where there is no room for all, its card finds its place before the others.
bool inspection_comes_first(const Settings&, const UiLayout&);

// While something of all this is on, a click on the picture pins its pixel; one on a card does not. A second one lets
// go of it, unless it is explained.
void pin_by_click(const Stats&, Settings&, const UiLayout&);
// Between two feature maps nothing was computed: what is explained stays what is pinned.
bool keeps_explained_pin(const Stats&, const Settings&);
void toggle_pin(const Stats&, Settings&);        // pins the pixel under the cursor, also instead of another one
void pin_under_cursor(const Stats&, Settings&);  // instead of another one; its pane becomes the active one

}  // namespace convoscope::ui
