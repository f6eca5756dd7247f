#pragma once
// The mouse on the picture: panes, labels, lines of the split.
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/places/layout.h"

namespace convoscope::ui {

void use_picture(const Stats&, Settings&, Requests&, const UiLayout&);  // the mouse on the picture

}  // namespace convoscope::ui
