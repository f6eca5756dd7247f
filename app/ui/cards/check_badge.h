#pragma once
// What came of checking a pane against the reference.
#include <string>

#include "app/state/stats.h"

namespace convoscope::ui {

// How the check stands, in sentences; empty for CheckResult::State::none.
std::string check_text(const PaneStats&, PixelFormat);

}  // namespace convoscope::ui
