#pragma once
// The weights of a filter, to be edited in place: drag to change, double-click to type, arrows and Tab to move.
#include <imgui.h>

#include "kernels/filter/filter_catalogue.h"

namespace convoscope::ui {

// Of a cell: how large a weight is beside the largest. Also the least of them is told from a zero.
ImU32 weight_tint(float weight, float largest);

void draw_weight_grid(FilterSpec&, float width);  // at ImGui's cursor
void enter_grid(const Filter&);                   // the keyboard goes to the grid, the centre is selected
void leave_grid();
bool grid_takes_letters();  // that mean nothing to it: enter_grid() was asked for, and it is on screen
// A key while the grid has the keyboard. `number`: the beginning of one that it typed, or 0; `typing`: some text field
// has the keyboard. False: not for the grid.
bool grid_key(int key, int modifiers, char number, bool typing, FilterSpec&);

}  // namespace convoscope::ui
