#pragma once
// The parts of the window, each drawn by one file. All of them between ImGui::NewFrame and Render.
#include <optional>

#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/stage/layout.h"

namespace convoscope::ui {

void draw_workbenches(Settings&);  // their names in a row, to switch by

// Part of the view panel: the controls of the chosen view.
void draw_view_controls(Settings&);

// Parts of the timing panel.
void draw_results(const Stats&, Settings&);
void draw_health(const Stats&);
void draw_roofline(const Stats&, const Settings&, Requests&);  // nothing until the device's limits are known

// Windows and drawings of their own.
void draw_side_panel(const Stats&, Settings&, Requests&, const Area&);
void draw_transport(const Stats&, Settings&, Requests&, const Area&);
void draw_hidden_transport(const Stats&, Settings&, Requests&, const Area& stage);  // comes with the mouse at the foot
void draw_overlay(const Stats&, const Settings&, const UiLayout&);                  // the cards on the picture
void draw_substitute_notices(const Stats&, Settings&, const UiLayout&);             // at the foot of the panes
void keep_message_places(const Settings&, const Area& picture);  // before all else that looks for a place
void draw_messages(const Stats&, Settings&, Requests&, const Area& picture);
void draw_help(Settings&);
void draw_settings(const Stats&, Settings&, Requests&);                 // the page of them
void draw_past_messages(Settings&, Requests&);                          // the page of what was said
void draw_palette(const Stats&, Settings&, Requests&);                  // of commands
void use_picture(const Stats&, Settings&, Requests&, const UiLayout&);  // the mouse on the picture
void draw_sweep_window(const Stats&, Settings&, Requests&, const Area& sheet);
void draw_recording_mark(const Stats&, const Area& picture);
// A key while a render runs, on the program's clock: the second press is obeyed.
bool is_second_press(std::optional<double>& asked, double now);
void draw_render(const Stats&, Requests&);  // the window render_window, over everything, while a render runs

// Shared by panel and overlay.
const PaneStats* active_stats(const Stats&, const Settings&);
void draw_history(const RollingTimes&, ImDrawList&, ImVec2 from, ImVec2 to);  // a graph with its median

}  // namespace convoscope::ui
