#pragma once
#include <vector>

#include "app/ui/windows/palette.h"

namespace convoscope::ui {

// What can be done with the layer, in its workbench.
void add_layer_commands(std::vector<Command>&, const Settings&);
// Banks and networks: elsewhere the layer's workbench is shown first.
void add_banks(std::vector<Command>&, const Settings&);

}  // namespace convoscope::ui
