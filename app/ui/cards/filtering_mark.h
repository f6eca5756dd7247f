#pragma once
// The marks on panes whose next picture is still being filtered, beside the window.
#include <cstddef>
#include <string>

#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/places/layout.h"

namespace convoscope::ui {

void draw_filtering_marks(const Stats&, const Settings&, const UiLayout&);  // where nothing else lies
// In two words, why the picture of a pane, and each of its pixels, is not yet what was asked for; empty: it is.
std::string what_is_old(const Stats&, const Settings&, std::size_t pane);
// A sentence, for as long as View::difference has no figures.
std::string what_difference_awaits(const Stats&, const Settings&);

}  // namespace convoscope::ui
