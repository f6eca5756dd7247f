// The column of panels: those of the registry, one below the other, each open or closed.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/panel_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/panels/panel.h"
#include "app/ui/panels/panels.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/held_row.h"
#include "app/ui/parts/key_names.h"
#include "app/ui/parts/widgets.h"

namespace convoscope::ui {
namespace {

constexpr float header_height = 34;

bool draw_panel_header(const Panel& panel, bool open, const std::string& summary) {
  const Theme& t = theme();
  const float width = std::max(ImGui::GetContentRegionAvail().x, 1.0f), height = px(header_height);
  const bool clicked = ImGui::InvisibleButton("##header", {width, height});
  mark_item(std::string("section/") + panel.title);
  std::string tip = open ? "" : std::string("Open") + keys_of(panel.action);
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  const float middle = (from.y + to.y) / 2;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool hovered = ImGui::IsItemHovered();
  draw_icon(list, open ? Icon::chevron_down : Icon::chevron_right, {from.x + px(6), middle}, px(11),
            hovered ? t.text : t.faint);
  const ImVec2 size = text_size(Font::strong, panel.title);
  draw_text(list, Font::strong, {from.x + px(20), std::round(middle - size.y / 2)}, hovered || open ? t.text : t.dim,
            panel.title);
  if (!open && !summary.empty()) {
    const std::string shown = clipped(summary, width - size.x - px(40));
    const ImVec2 extent = text_size(Font::body, shown);
    draw_text(list, Font::body, {to.x - extent.x, std::round(middle - extent.y / 2)}, t.faint, shown);
    tip = with_whole(summary, shown, tip);
  }
  tooltip(tip);
  return clicked;
}

void draw_head(const Stats& stats, Settings& settings) {
  const Theme& t = theme();
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_text(list, Font::title, at, t.text, "Convoscope");
  const std::string device = stats.device.name.empty() ? stats.backend : stats.device.name;
  const float gap = px(2), buttons = 4 * px(28) + 3 * gap;
  push_font(Font::small);
  const std::string shown = clipped(device, right - at.x - buttons - px(12));
  pop_font();
  draw_text(list, Font::small, {at.x, at.y + px(22)}, t.dim, shown);
  ImGui::SetCursorScreenPos({at.x, at.y + px(20)});
  ImGui::Dummy({std::max(text_size(Font::small, shown).x, 1.0f), px(18)});
  mark_item("device");
  tooltip(with_whole(device, shown,
                     stats.backend_notice +
                         (stats.backend_notice.empty() || stats.interop_notice.empty() ? "" : "\n\n") +
                         stats.interop_notice));
  ImGui::SetCursorScreenPos({std::max(right - buttons, at.x), at.y + px(2)});
  if (icon_button("theme", Icon::theme, with_keys(action::theme))) settings.light_theme = !settings.light_theme;
  ImGui::SameLine(0, gap);
  if (icon_button("settings", Icon::sliders, with_keys(action::settings), momentary().show_settings))
    momentary().show_settings = !momentary().show_settings;
  ImGui::SameLine(0, gap);
  if (icon_button("help", Icon::help, "All keys" + keys_of(action::help), momentary().show_help))
    momentary().show_help = !momentary().show_help;
  ImGui::SameLine(0, gap);
  if (icon_button("hide-panels", Icon::panels, "Hide the panels" + keys_of(action::show_panels)))
    settings.show_panels = false;
  ImGui::SetCursorScreenPos({at.x, at.y + px(42)});
  ImGui::Dummy({0, 0});
}

// Whether the panel that began at `top` and ends here is to be seen: its header, and enough of its content to work
// with. Scrolls there when it is to be revealed, the whole of it if there is room. Its height is only known for sure
// after it has been drawn twice.
bool keep_in_sight(float top, bool reveal) {
  const float bottom = ImGui::GetCursorPosY(), height = ImGui::GetWindowHeight(), now = ImGui::GetScrollY();
  const float whole = bottom - top - ImGui::GetStyle().ItemSpacing.y - 1;  // what can be scrolled to of the last one
  const bool seen = top >= now && top + std::min({whole, px(header_height + 120), height}) <= now + height;
  if (!reveal) return seen;
  UiState& state = ui_state();
  const float wanted = top < now ? top : std::min(top, std::max(now, bottom - height));
  if (wanted != now) ImGui::SetScrollY(wanted);
  constexpr int frames_to_settle = 3;
  if (++state.reveal_frames < frames_to_settle) return seen;
  state.reveal_frames = 0;
  state.reveal_panel.clear();
  return seen;
}

// What a click in a panel makes of those above it does not move that panel from under the mouse: where the row that was
// clicked is gone, the panel stays.
void look_how_far_it_moved(const Panel& panel, float top) {
  UiState& state = ui_state();
  PanelUnderMouse& held = state.panel_under_mouse;
  if (held.id == panel.id && top != held.top && state.reveal_panel.empty() &&
      state.panel_middle.frames_to_settle == 0) {
    held.moved = top - held.top;
    held.top = top;
  }
}

void find_under_mouse(const Panel& panel, float top) {
  PanelUnderMouse& held = ui_state().panel_under_mouse;
  const float from = ImGui::GetWindowPos().y - ImGui::GetScrollY(), mouse = ImGui::GetMousePos().y - from;
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  held.left = (held.left && moved.x == 0 && moved.y == 0) || !ui_state().reveal_panel.empty();
  if (held.left) held.id = {};
  if (!held.left && held.moved == 0 &&
      ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows | ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
      mouse >= top && mouse < ImGui::GetCursorPosY())
    held = {panel.id, top - blank_above_rows()};
}

// In the column, before its panels.
void look_at_scale() {
  PanelMiddle& middle = ui_state().panel_middle;
  const float scale = px(100);
  constexpr int frames = 3;
  const float before = std::exchange(middle.scale, scale);
  if (before > 0 && before != scale) middle.frames_to_settle = frames;
  if (middle.frames_to_settle == 0) {
    middle.id = {};
    return;
  }
  --middle.frames_to_settle;
  if (middle.id.empty()) ImGui::SetScrollY(0);
}

// After the panel that began at `top`.
void keep_in_the_middle(const Panel& panel, float top) {
  PanelMiddle& middle = ui_state().panel_middle;
  const float height = ImGui::GetCursorPosY() - top, half = ImGui::GetWindowHeight() / 2;
  if (middle.frames_to_settle > 0) {
    if (middle.id == panel.id) ImGui::SetScrollY(std::max(top + middle.share * height - half, 0.0f));
    return;
  }
  const float at = ImGui::GetScrollY() + half - top;
  if (ImGui::GetScrollY() > 0 && at >= 0 && at < height) middle.id = panel.id, middle.share = at / height;
}

// In the column: each workbench keeps its own place.
void return_to_scroll(const std::string& workbench) {
  UiState& state = ui_state();
  PanelScroll& scroll = state.panel_scroll;
  if (scroll.workbench != workbench) {
    scroll.frames_to_return = scroll.workbench.empty() ? 0 : 2;
    scroll.workbench = workbench;
    state.panel_under_mouse.id = {};
  }
  if (!state.reveal_panel.empty()) scroll.frames_to_return = 0;
  if (scroll.frames_to_return == 0) {
    scroll.of[workbench] = ImGui::GetScrollY();
    return;
  }
  --scroll.frames_to_return;
  ImGui::SetScrollY(scroll.of[workbench]);
}

// The one panel that was opened since the last frame; with several there is no telling which is meant.
void reveal_opened(const Settings& settings) {
  UiState& state = ui_state();
  if (state.shown_panels == settings.open_panels) return;
  std::vector<std::string> opened;
  std::ranges::set_difference(settings.open_panels, state.shown_panels, std::back_inserter(opened));
  if (opened.size() == 1) state.reveal_panel = opened[0];
  state.shown_panels = settings.open_panels;
}

}  // namespace

bool applies(const Panel& panel, const Settings& settings) { return !panel.applies || panel.applies(settings); }

void toggle_panel(Settings& settings, const Panel& panel) {
  const bool seen = ui_state().panels_in_sight.contains(panel.id);
  if (is_open(settings, panel.id) && seen) {
    settings.show_panels = true;
    set_open(settings, panel.id, false);
  } else {
    show_panel(settings, panel.id);
  }
}

void draw_side_panel(const Stats& stats, Settings& settings, Requests& requests, const Area& area) {
  if (area.width < 1 || area.height < 1) {
    ui_state().reveal_panel.clear();
    ui_state().panels_in_sight.clear();
    return;
  }
  ImGui::SetNextWindowPos(area.from());
  ImGui::SetNextWindowSize({area.width, area.height});
  constexpr ImGuiWindowFlags fixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                     ImGuiWindowFlags_NoNavInputs;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::Begin("##panel", nullptr, fixed);
  ImGui::PopStyleVar();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float inner = settings.panels_left ? area.x + area.width - 1 : area.x;
  list.AddRectFilled({inner, area.y}, {inner + 1, area.y + area.height}, theme().line);

  const float margin = px(16);
  ImGui::SetCursorPos({margin, px(12)});
  ImGui::BeginChild("##head", {std::max(area.width - 2 * margin, 1.0f), px(44)}, false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoNavInputs);
  draw_head(stats, settings);
  ImGui::EndChild();

  ImGui::SetCursorPos({margin, px(60)});
  ImGui::BeginChild("##workbenches", {std::max(area.width - 2 * margin, 1.0f), px(32)}, false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoNavInputs);
  draw_workbenches(settings);
  ImGui::EndChild();

  const float top = px(96);
  ImGui::SetCursorPos({0, top});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(margin, 0));
#if IMGUI_VERSION_NUM >= 19000
  ImGui::BeginChild("##sections", {0, 0}, ImGuiChildFlags_AlwaysUseWindowPadding, ImGuiWindowFlags_NoNavInputs);
#else
  ImGui::BeginChild("##sections", {0, 0}, false,
                    ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_NoNavInputs);
#endif
  ImGui::PopStyleVar();
  reveal_opened(settings);
  return_to_scroll(settings.workbench);
  look_at_scale();
  ui_state().panel_under_mouse.moved = 0;
  begin_held_row(ui_state().held_row);
  for (const Panel* const panel : panels()) {
    if (!applies(*panel, settings)) continue;
    const float panel_top = ImGui::GetCursorPosY();
    look_how_far_it_moved(*panel, panel_top - blank_above_rows());
    const bool open = is_open(settings, panel->id);
    ImGui::PushID(panel->title);
    const ImVec2 line = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled({line.x - margin, line.y}, {line.x + area.width, line.y + 1},
                                              theme().line);
    if (draw_panel_header(*panel, open, open ? std::string() : panel->summary(stats, settings)))
      set_open(settings, panel->id, !open);
    if (open) {
      panel->draw(stats, settings, requests);
      ImGui::Dummy({0, px(6)});
    }
    find_under_mouse(*panel, panel_top);
    keep_in_the_middle(*panel, panel_top);
    UiState& state = ui_state();
    if (keep_in_sight(panel_top, state.reveal_panel == panel->id))
      state.panels_in_sight.insert(panel->id);
    else
      state.panels_in_sight.erase(panel->id);
    ImGui::PopID();
  }
  UiState& state = ui_state();
  const bool by_key = state.panel_under_mouse.left || state.panel_middle.frames_to_settle > 0;
  if (by_key || state.panel_scroll.frames_to_return > 0 || !state.reveal_panel.empty()) leave_held_row();
  end_held_row(state.held_row, state.panel_under_mouse.moved);
  ImGui::EndChild();
  ImGui::End();
}

}  // namespace convoscope::ui
