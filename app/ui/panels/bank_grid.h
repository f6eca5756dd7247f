#pragma once
// A bank of filters as small grids, one below the other for each map; one of them is chosen by the mouse.
#include "app/ui/ui_state.h"

namespace convoscope::ui {

void draw_bank_grid(const Filter& bank, BankChoice&, float width);  // at ImGui's cursor

}  // namespace convoscope::ui
