#pragma once
// Feature maps on the picture: their numbers, and which of them the mouse is on.
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/places/layout.h"

namespace convoscope::ui {

// Where the maps lie on screen that the pane shows; none where it shows something else.
std::vector<Area> maps_on_screen(const Stats&, const Settings&, const UiLayout&, int pane);
void draw_map_numbers(const Stats&, const Settings&, const UiLayout&);
int map_at(const Stats&, const Settings&, const UiLayout&, int pane, float x, float y);  // −1: none
void show_map(Settings&, int map);                                                       // alone; or all again

}  // namespace convoscope::ui
