#pragma once
// The parts of the window, each drawn by one file. All of them between ImGui::NewFrame and Render.
#include <optional>

#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/places/layout.h"

namespace convoscope::ui {

void draw_workbenches(Settings&);  // their names in a row, to switch by

// Part of the view panel: the controls of the chosen view.
void draw_view_controls(Settings&);

// Windows and drawings of their own.
void draw_side_panel(const Stats&, Settings&, Requests&, const Area&);
void draw_transport(const Stats&, Settings&, Requests&, const Area&);
void draw_hidden_transport(const Stats&, Settings&, Requests&, const Area& stage);  // comes with the mouse at the foot
void draw_recording_mark(const Stats&, const Area& picture);
// A key while a render runs, on the program's clock: the second press is obeyed.
bool is_second_press(std::optional<double>& asked, double now);
void draw_render(const Stats&, Requests&);  // the window render_window, over everything, while a render runs

}  // namespace convoscope::ui
