#pragma once
// The weights of a filter, to be edited in place: drag to change, double-click to type, arrows and Tab to move.
#include "kernels/filter/filter_catalogue.h"

namespace convoscope::ui {

void draw_weight_grid(FilterSpec&, float width);  // at ImGui's cursor
void enter_grid(const Filter&);                   // the keyboard goes to the grid, the centre is selected
void leave_grid();
// A key while the grid has the keyboard. `typing`: some text field has it. False: not for the grid.
bool grid_key(int key, int modifiers, bool typing, FilterSpec&);

}  // namespace convoscope::ui
