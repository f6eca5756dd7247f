#pragma once
// Feature maps on the picture: their numbers, and which of them the mouse is on.
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/stage/layout.h"

namespace convoscope::ui {

void draw_map_numbers(const Stats&, const Settings&, const UiLayout&);
int map_at(const Stats&, const Settings&, const UiLayout&, int pane, float x, float y);  // −1: none
void show_map(Settings&, int map);                                                       // alone; or all again

}  // namespace convoscope::ui
