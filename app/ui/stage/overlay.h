#pragma once
// What lies over the panes in every view: labels, lines, names.
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/places/layout.h"

namespace convoscope::ui {

void draw_overlay(const Stats&, const Settings&, const UiLayout&);  // the cards on the picture

}  // namespace convoscope::ui
