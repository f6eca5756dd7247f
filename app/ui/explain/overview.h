#pragma once
// What an explanation counts of all of a picture, drawn over it: how often each input is used, and every tile.
#include "app/ui/explain/brush.h"

namespace convoscope::ui {

// A shade for each input, the brighter the more outputs use it, with the number where it fits. Not over feature maps,
// which are no inputs.
void draw_input_uses(ImDrawList&, const Brush&, const PixelExplanation&);
// The outputs of every block with its number, counted along the rows from 0, as blockIdx is. `seen`: the pane.
void draw_all_tiles(ImDrawList&, Brush&, const PixelExplanation&, const Area& seen);

}  // namespace convoscope::ui
