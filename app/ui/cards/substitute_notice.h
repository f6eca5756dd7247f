#pragma once
// What filters in place of what was asked for, said at the foot of its pane.
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/places/layout.h"

namespace convoscope::ui {

void draw_substitute_notices(const Stats&, Settings&, const UiLayout&);  // at the foot of the panes

}  // namespace convoscope::ui
