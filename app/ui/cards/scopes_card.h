#pragma once
// The card of the histogram and the vectorscope.
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/places/layout.h"

namespace convoscope::ui {

void draw_scopes(const Stats&, const Settings&, const Area& picture);

}  // namespace convoscope::ui
