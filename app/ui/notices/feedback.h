#pragma once
// On-screen feedback of a key: what it has changed, for a moment.
#include <string>

#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/places/layout.h"

namespace convoscope::ui {

// "Radius 5", "Border: mirror"; the action's own name for what has no value to show; empty when nothing has changed.
// `learnt_before`: Momentary::learning, then.
std::string what_changed(const Settings& before, bool learnt_before, const Settings& after, const char* action);
// Of what the user has asked to see or put away, what a small window has no room for, and what to do; else empty.
std::string what_has_no_room(const Settings& before, const Settings& after);
void draw_feedback(const Stats&, const Area& picture);

}  // namespace convoscope::ui
