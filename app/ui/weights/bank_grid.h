#pragma once
// A bank of filters as small grids, one below the other for each map; one of them is chosen by the mouse.
#include "app/ui/memory/ui_state.h"

namespace convoscope::ui {

// At ImGui's cursor. `of_picture`: it sees colours, else maps of the layer before.
void draw_bank_grid(const Filter& bank, bool of_picture, BankChoice&, float width);

}  // namespace convoscope::ui
