#pragma once
// What the right button opens over the picture.
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/places/layout.h"

namespace convoscope::ui {

void draw_pane_menu(const Stats&, Settings&, Requests&, const UiLayout&);  // over the picture, its panes and cards

}  // namespace convoscope::ui
