#pragma once
// The layers of a network: where the time goes, and whose maps are on the picture.
#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope::ui {

void draw_network_choices(Settings&);               // in an open list
void draw_network_layers(const Stats&, Settings&);  // nothing where the layer is by itself

}  // namespace convoscope::ui
