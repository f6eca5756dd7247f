#pragma once
// The pages over the whole window, the palette and the sheets of the sweep and of the source.
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/places/layout.h"

namespace convoscope::ui {

void draw_help(Settings&);
void draw_settings(const Stats&, Settings&, Requests&);  // the page of them
void draw_past_messages(Settings&, Requests&);           // the page of what was said
void draw_palette(const Stats&, Settings&, Requests&);   // of commands
void draw_sweep_window(const Stats&, Settings&, Requests&, const Area& sheet);
void draw_listing_window(const Stats&, Settings&, const Area& sheet);  // the source of the active pane's strategy

}  // namespace convoscope::ui
