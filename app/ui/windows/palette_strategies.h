#pragma once
#include <vector>

#include "app/ui/windows/palette.h"

namespace convoscope::ui {

// Those that can be chosen here.
void add_strategies(std::vector<Command>&, const Stats&);
// Those of another backend: whoever types such a name learns where it runs.
void add_strategies_of_others(std::vector<Command>&, const Stats&);

}  // namespace convoscope::ui
