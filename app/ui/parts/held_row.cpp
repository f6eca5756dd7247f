#include "app/ui/parts/held_row.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/ui/memory/ui_state.h"

namespace convoscope::ui {
namespace {

constexpr float least_move = 1;  // pixels: less is rounding

// How far the mouse is above or below; 0: on it.
float distance(const HeldRow::Place& place, float mouse) {
  return std::max({place.top - mouse, mouse - place.bottom, 0.0f});
}

bool has_an_open_popup() { return GImGui->OpenPopupStack.Size > 0; }

bool is_mouse_over_column() {
  return ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows | ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
}

// What is held is held until the mouse leaves the row, and while a list that it has opened lies over it. True: still.
bool still_held(HeldRow& rows, bool over_column) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool moved = io.MouseDelta.x != 0 || io.MouseDelta.y != 0;
  const bool busy = has_an_open_popup() || ImGui::IsAnyItemActive();
  if (rows.held.row != 0 && (busy || !moved || distance(rows.held, io.MousePos.y) == 0)) return true;
  rows.held = over_column ? rows.under_mouse : HeldRow::Place();
  return false;
}

}  // namespace

void leave_held_row() { ui_state().held_row.others_scroll = true; }

float blank_above_rows() { return ui_state().held_row.blank; }

void begin_held_row(HeldRow& rows) {
  const ImGuiWindow& column = *ImGui::GetCurrentWindow();
  rows.window = &column;
  rows.drawn = rows.others_scroll = false;
  rows.under_mouse = {};
  const bool scrolled = std::abs(column.Scroll.y - rows.scroll) > least_move;
  const bool resized = column.Size.x != rows.column_size.x || column.Size.y != rows.column_size.y;
  if (scrolled || resized) rows.held = {};
  rows.column_size = column.Size;
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + rows.blank);
}

void end_held_row(HeldRow& rows, float moved) {
  ImGuiWindow& column = *ImGui::GetCurrentWindow();
  rows.window = nullptr;
  const bool over_column = is_mouse_over_column();
  const float height = column.InnerRect.GetHeight() - 2 * column.WindowPadding.y, scroll = column.Scroll.y;
  const float rows_end = column.DC.CursorMaxPos.y - column.DC.CursorStartPos.y;
  rows.scroll = scroll;
  if (rows.others_scroll || (!over_column && !has_an_open_popup() && !ImGui::IsAnyItemActive())) {
    rows.held = {};
    rows.blank = 0;
    return;
  }
  float by = !still_held(rows, over_column) ? 0 : rows.drawn ? rows.now - rows.held.top : moved;
  if (std::abs(by) < least_move) by = 0;
  if (by != 0 && !rows.drawn) rows.held = {};
  // Of the blank space no more stays than is seen.
  const float wanted = scroll + by, seen = std::min(wanted, rows.blank);
  rows.blank -= seen;
  rows.scroll = std::floor(wanted - seen);
  if (rows.scroll != scroll) ImGui::SetScrollY(rows.scroll);
  if (by != 0) draw_again_in(0);
  if (const float lacks = rows.scroll + height - rows_end; lacks > 0 && rows.scroll > 0) {
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + lacks);
    ImGui::Dummy({1, 0});
  }
}

namespace {

void note_row_of(HeldRow& rows, std::string_view name, ImVec2 from, ImVec2 to) {
  if (!rows.window) return;
  const ImGuiWindow* window = GImGui->CurrentWindow;
  HeldRow::Place place{std::hash<std::string_view>()(name), from.y, to.y};
  // A list within the column scrolls by itself: what stays is the list.
  for (; window && window != rows.window; window = window->ParentWindow) {
    if (!(window->Flags & ImGuiWindowFlags_ChildWindow) || (window->Flags & ImGuiWindowFlags_Popup)) return;
    place = {window->ID, window->Pos.y, window->Pos.y + window->Size.y};
  }
  if (!window) return;
  if (place.row == rows.held.row && !rows.drawn) {
    rows.drawn = true;
    rows.now = place.top;
  }
  const float mouse = ImGui::GetIO().MousePos.y;
  if (rows.under_mouse.row == 0 || distance(place, mouse) < distance(rows.under_mouse, mouse)) rows.under_mouse = place;
}

}  // namespace

void note_row(std::string_view name, ImVec2 from, ImVec2 to) {
  note_row_of(ui_state().held_row, name, from, to);
  note_row_of(ui_state().held_strategy, name, from, to);
}

}  // namespace convoscope::ui
