#pragma once
// What was measured, as the timing panel shows it.
#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope::ui {

// Parts of the timing panel.
void draw_results(const Stats&, Settings&);
void draw_health(const Stats&);
void draw_roofline(const Stats&, const Settings&, Requests&);  // nothing until the device's limits are known

}  // namespace convoscope::ui
