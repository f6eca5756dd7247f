#pragma once
// What came of checking a pane against the reference.
#include <string>

#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope::ui {

enum class CheckBadge { none, right, wrong, rests, impossible };
// rests: a layer that learns has other weights in each frame, so that nothing is checked to its end. impossible: it
// runs, and cannot be compared, as with weights so large that any output would pass.
CheckBadge check_badge(const PaneStats*);

// How the check stands, in sentences; empty for CheckResult::State::none.
std::string check_text(const PaneStats&, PixelFormat);
std::string badge_text(CheckBadge, const PaneStats&, PixelFormat);

}  // namespace convoscope::ui
