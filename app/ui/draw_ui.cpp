#include <imgui.h>

#include <algorithm>

#include "app/ui/panels.h"
#include "app/ui/theme.h"
#include "app/ui/ui_state.h"

namespace convoscope {
namespace {

// A press and release on the same pane without a drag between picks it; a double click goes full screen.
void use_picture(Settings& settings, const UiLayout& layout) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantCaptureMouse) return;
  ui::UiState& state = ui::ui_state();
  const int pane = ui::pane_at(settings, layout, io.MousePos.x, io.MousePos.y);
  if (pane >= 0 && ImGui::IsMouseDoubleClicked(0)) settings.fullscreen = !settings.fullscreen;
  if (ImGui::IsMouseClicked(0)) state.pressed_pane = pane;
  if (!ImGui::IsMouseReleased(0)) return;
  const float slack = ui::px(4);
  const bool dragged = io.MouseDragMaxDistanceSqr[0] > slack * slack;
  if (pane >= 0 && pane == state.pressed_pane && !dragged && settings.view == View::grid) settings.active_pane = pane;
  state.pressed_pane = -1;
}

}  // namespace

void draw_ui(const Stats& stats, Settings& settings, Requests& requests, const UiLayout& layout) {
  if (settings.panes.empty()) settings.panes.resize(1);
  settings.active_pane = std::clamp(settings.active_pane, 0, static_cast<int>(settings.panes.size()) - 1);
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  // The window's size and the settings are those of layout_ui(), unless a key has changed them since: then this frame's
  // picture and panels still agree with each other through `layout`.
  const ui::Geometry geometry = ui::geometry(settings, size.x, size.y);

  use_picture(settings, layout);
  ui::draw_overlay(stats, settings, layout);
  if (settings.show_panels) {
    ui::draw_side_panel(stats, settings, requests, geometry.panel);
    ui::draw_transport(stats, settings, requests, geometry.transport);
  }
  ui::draw_messages(stats, settings, requests, ui::picture_area(layout));
  ui::draw_help(settings);
  ui::ui_state().history(settings.active_pane).observe(settings.active().filter, !ImGui::IsAnyItemActive());
}

}  // namespace convoscope
