#include "app/ui/parts/tooltips.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/marks.h"
#include "app/ui/parts/theme.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/parts/wrapped_text.h"

namespace convoscope::ui {
namespace {

constexpr float widest = 320, widest_column = 440;

std::string tooltip_said;           // while tests watch
const char* only_window = nullptr;  // that has some

// A panel, a list, a menu or a narrow sheet: rows below one another, of which the mouse may go on to the next.
const ImGuiWindow* column_at_hand() {
  const ImGuiWindow* window = ImGui::GetCurrentContext()->CurrentWindow;
  while (window && (window->Flags & ImGuiWindowFlags_ChildWindow) && !(window->Flags & ImGuiWindowFlags_ChildMenu))
    window = window->ParentWindow;
  return window && !window->IsFallbackWindow && window->Size.x <= px(widest_column) ? window : nullptr;
}

bool is_covered() {
  const ImGuiWindow* const window = ImGui::GetCurrentContext()->CurrentWindow;
  return only_window && (!window || std::string_view(window->RootWindow->Name) != only_window);
}

// `column`: beside which it is to lie; may be null.
ImVec2 place(ImVec2 size, ImVec2 from, ImVec2 to, const ImGuiWindow* column) {
  const ImGuiIO& io = ImGui::GetIO();
  const float gap = px(6), edge = px(4);
  const float right = std::max(io.DisplaySize.x - size.x - edge, edge);
  const float lowest = std::max(io.DisplaySize.y - size.y - edge, edge);
  // Of a wide item, near the cursor.
  const float near = std::clamp(io.MousePos.x - size.x / 2, from.x, std::max(from.x, to.x - size.x));
  const float x = std::clamp(near, edge, right), y = std::clamp(from.y, edge, lowest);
  if (column) {
    const float before = column->Pos.x - gap - size.x, after = column->Pos.x + column->Size.x + gap;
    const bool more_room_before = column->Pos.x > io.DisplaySize.x - after;
    if (before >= edge && (more_room_before || after > right)) return {before, y};
    if (after <= right) return {after, y};
  }
  if (to.y + gap <= lowest) return {x, to.y + gap};
  if (from.y - gap - size.y >= edge) return {x, from.y - gap - size.y};
  if (to.x + gap <= right) return {to.x + gap, y};
  if (from.x - gap - size.x >= edge) return {from.x - gap - size.x, y};
  return {right, lowest};
}

// Of two for the same place the first is shown: a second one would be written below it, into a window of its own size.
bool is_shown() {
  const ImGuiWindow* const window = ImGui::FindWindowByName("##Tooltip_00");
  return window && window->Active;
}

bool holds(const ItemRectangle& area, ImVec2 at) {
  return at.x >= area.from.x && at.x < area.to.x && at.y >= area.from.y && at.y < area.to.y;
}

// What was clicked needs no explanation, and neither does what moves below the mouse because of the click.
bool was_clicked(ImVec2 from, ImVec2 to) {
  TooltipClick& last = ui_state().tooltip_click;
  if (ImGui::IsMouseDown(0)) last = {{from, to}, ImGui::GetIO().MousePos, true};
  return last.rests;
}

void say_beside(const std::string& text, ImVec2 from, ImVec2 to, const ImGuiWindow* column) {
  if (text.empty() || is_shown() || is_covered()) return;
  if (watching_items()) tooltip_said = text;
  const ImVec2 padding{px(11), px(8)};
  const float room = std::max(std::min(px(widest), ImGui::GetIO().DisplaySize.x - 2 * padding.x - px(8)), px(40));
  const std::string lines = wrapped(shortened(text), room);
  const ImVec2 extent = ImGui::CalcTextSize(lines.c_str());
  const ImVec2 size{extent.x + 2 * padding.x, extent.y + 2 * padding.y}, at = place(size, from, to, column);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 1.0f);  // also for a disabled item: it says why
  ImGui::SetNextWindowPos({std::round(at.x), std::round(at.y)});
  ImGui::SetNextWindowSize(size);  // else that of the last text for a frame, which may not fit here
  ImGui::BeginTooltip();
  ImGui::TextUnformatted(lines.c_str());
  ImGui::EndTooltip();
  ImGui::PopStyleVar(2);
}

}  // namespace

void tooltip_beside(const std::string& text, ImVec2 from, ImVec2 to) { say_beside(text, from, to, column_at_hand()); }

void tooltip_at(const std::string& text, ImVec2 point, float ring) {
  say_beside(text, {point.x - ring, point.y - ring}, {point.x + ring, point.y + ring}, nullptr);
}

void follow_the_mouse_to_tooltips(const char* only_in) {
  only_window = only_in;
  TooltipClick& last = ui_state().tooltip_click;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool moved = mouse.x != last.mouse.x || mouse.y != last.mouse.y;
  last.mouse = mouse;
  if (moved && !ImGui::IsMouseDown(0) && !holds(last.area, mouse)) last.rests = false;
}

void tooltip_of_cut(const ImDrawList& list, std::string_view shown, const std::string& whole, ImVec2 from, ImVec2 to,
                    const ItemRectangle* beside) {
  if (shown == whole) return;
  watch_tip(shown);
  const ImGuiWindow* const window = ImGui::GetCurrentContext()->CurrentWindow;
  if (!window || ImGui::IsMouseDown(0)) return;
  const bool hovered = &list == window->DrawList  ? hovers_window(from, to)
                       : window->IsFallbackWindow ? hovers_background(from, to)
                                                  : false;  // of a picture that is saved
  if (hovered) tooltip_beside(whole, beside ? beside->from : from, beside ? beside->to : to);
}

void tooltip(const std::string& text) {
  if (text.empty() || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  if (!was_clicked(from, to)) tooltip_beside(text, from, to);
}

std::string tooltip_text() { return is_shown() ? tooltip_said : ""; }

bool hovers_background(ImVec2 from, ImVec2 to) {
  return !ImGui::GetIO().WantCaptureMouse && ImGui::IsMouseHoveringRect(from, to, false);
}

bool hovers_window(ImVec2 from, ImVec2 to) { return ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(from, to); }

}  // namespace convoscope::ui
