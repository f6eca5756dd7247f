#pragma once
#include <vector>

#include "app/ui/windows/palette.h"

namespace convoscope::ui {

// What is done nowhere but in a panel is found by the label that it has there.
void add_controls(std::vector<Command>&, const Stats&, const Settings&);

}  // namespace convoscope::ui
