#pragma once
// What theory and the book say of the strategy that a pane has chosen: rows of the strategy panel.
#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope::ui {

// What the chapter advises for this filter and size, and whether what the panes have measured agrees. Mark "advice".
void draw_advice(const Stats&, const Settings&, const Problem&);
void draw_model(const Cost&, const Problem&);
// By how much tiles of T × T outputs (of a row: of B) reduce the loads, over T, with the strategy's own lit; and the
// limit for ever larger ones. Mark "tile-table". Nothing for a layer, or where the filter is a single weight.
void draw_tile_table(const Cost&, const Problem&);

}  // namespace convoscope::ui
