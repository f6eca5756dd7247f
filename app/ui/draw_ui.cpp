#include <imgui.h>

#include <algorithm>

#include "app/pane_ids.h"
#include "app/ui/inspect.h"
#include "app/ui/pane_actions.h"
#include "app/ui/panels.h"
#include "app/ui/ui_state.h"

namespace convoscope {
void draw_ui(const Stats& stats, Settings& settings, Requests& requests, const UiLayout& layout) {
  if (settings.panes.empty()) settings.panes.resize(1);
  settings.active_pane = std::clamp(settings.active_pane, 0, static_cast<int>(settings.panes.size()) - 1);
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  // The window's size and the settings are those of layout_ui(), unless a key has changed them since: then this frame's
  // picture and panels still agree with each other through `layout`.
  const ui::Geometry geometry = ui::geometry(settings, size.x, size.y);

  name_panes(settings.panes);
  ui::use_picture(stats, settings, requests, layout);
  ui::pin_by_click(stats, settings);
  ui::draw_overlay(stats, settings, layout);
  ui::draw_story_areas(stats, settings, layout);
  ui::draw_scopes(stats, settings, ui::picture_area(layout));
  ui::draw_inspection(stats, settings, layout);
  if (settings.show_panels) {
    ui::draw_side_panel(stats, settings, requests, geometry.panel);
    ui::draw_transport(stats, settings, requests, geometry.transport);
  }
  ui::draw_sweep_window(stats, settings, requests, ui::picture_area(layout));
  ui::draw_story_window(stats, settings, layout);
  ui::draw_messages(stats, settings, requests, ui::picture_area(layout));
  ui::draw_recording_mark(stats, ui::picture_area(layout));
  ui::draw_help(settings);
  ui::draw_palette(stats, settings, requests);
  ui::draw_render(stats, requests);
  ui::spread_links(settings);
  ui::ui_state().history(settings.active()).observe(settings.active().filter, !ImGui::IsAnyItemActive());
}

}  // namespace convoscope
