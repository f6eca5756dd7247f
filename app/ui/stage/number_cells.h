#pragma once
// The values of a source of numbers, written into the cells of every pane's picture.
#include <string>

#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/places/layout.h"

namespace convoscope::ui {

// In place of the picture, whose colours cannot show numbers beyond 0 to 1: each cell has a shade between the least and
// the largest value of its pane, and the value where it fits. Marks "cells/0" and so on, by pane and, of a layer, map.
void draw_number_cells(const Stats&, const Settings&, const UiLayout&);

std::string number_in_cell(const PixelValue&);  // a whole number as such, others with six digits at most

}  // namespace convoscope::ui
