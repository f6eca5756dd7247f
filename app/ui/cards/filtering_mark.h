#pragma once
// The marks on panes whose next picture is still being filtered, beside the window.
#include <string>

#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/stage/layout.h"

namespace convoscope::ui {

void draw_filtering_marks(const Stats&, const Settings&, const UiLayout&);  // where nothing else lies
// A sentence, for as long as View::difference has no figures.
std::string what_difference_awaits(const Stats&, const Settings&);

}  // namespace convoscope::ui
