#include "app/ui/weights/weight_grid.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/memory/ui_state.h"
#include "app/ui/menus/command_menus.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/tooltips.h"
#include "app/ui/parts/widgets.h"
#include "app/ui/weights/weight_editing.h"
#include "app/ui/weights/weight_numbers.h"

namespace convoscope::ui {

using namespace weight_editing;

namespace {

constexpr int max_numbered = 15;  // weights a side that are shown as numbers all at once
constexpr int close_up = 7;       // weights a side beside the overview of a larger filter
constexpr int max_blocks = 64;    // of the overview, a side
constexpr float max_cell = 46, min_cell = 22, max_height = 260;

struct Cells {
  int column = 0, row = 0, columns = 1, rows = 1;  // which weights
  ImVec2 from;
  float size = 1;  // of a cell
};

ImU32 ink_on(ImU32 back) {
  const ImVec4 c = colour(back);
  return 0.299f * c.x + 0.587f * c.y + 0.114f * c.z > 0.5f ? IM_COL32(18, 16, 10, 255) : IM_COL32(242, 244, 248, 255);
}

std::string place_text(const Filter& filter, int column, int row) {
  return format_offset(column - filter.rx(), row - filter.ry());
}

int keep_cursor(ImGuiInputTextCallbackData* data) {
  GridState& grid = ui_state().grid;
  if (grid.cursor_to_end) {
    data->CursorPos = data->BufTextLen;
    data->ClearSelection();
    grid.cursor_to_end = false;
  }
  // The button of the double click is still down, and the least move of it would set the caret.
  if (grid.select_all) {
    data->SelectAll();
    grid.select_all = ImGui::IsMouseDown(0);
  }
  return 0;
}

bool enter_is_held() {
#if IMGUI_VERSION_NUM >= 18700
  return ImGui::IsKeyDown(ImGuiKey_Enter) || ImGui::IsKeyDown(ImGuiKey_KeypadEnter);
#else
  const auto held = [](ImGuiKey key) { return ImGui::IsKeyDown(ImGui::GetKeyIndex(key)); };
  return held(ImGuiKey_Enter) || held(ImGuiKey_KeyPadEnter);
#endif
}

void draw_typing(FilterSpec& spec, const Cells& cells) {
  GridState& grid = ui_state().grid;
  if (!grid.editing) return;
  const ImVec2 after = ImGui::GetCursorScreenPos();
  const float width = std::max(cells.size, px(70));
  const float right = cells.from.x + cells.size * static_cast<float>(cells.columns);
  const float x = cells.from.x + cells.size * static_cast<float>(grid.column - cells.column);
  const float y = cells.from.y + cells.size * static_cast<float>(grid.row - cells.row);
  ImGui::SetCursorScreenPos(
      {std::max(std::min(x, right - width), cells.from.x), std::round(y + (cells.size - ImGui::GetFrameHeight()) / 2)});
  ImGui::PushStyleColor(ImGuiCol_FrameBg, theme().raised);
  ImGui::PushStyleColor(ImGuiCol_Border, theme().accent);
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, px(1.5f));
  ImGui::SetNextItemWidth(width);
  if (grid.start_editing) ImGui::SetKeyboardFocusHere();
  grid.start_editing = false;
  if (grid.was_active) answer_letters();
  ImGui::InputText("##weight", grid.text.data(), grid.text.size(), ImGuiInputTextFlags_CallbackAlways, keep_cursor);
  const bool active = ImGui::IsItemActive();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(2);
  ImGui::SetCursorScreenPos(after);
  const bool left = grid.was_active && !active;
  grid.was_active = active;
  // Of the Enter that opened the field, ImGui takes what the keyboard repeats for its end.
  if (left && !grid.commit && enter_is_held())
    grid.start_editing = true;
  else if (grid.commit || left)
    end_typing(spec);
}

// What is shown stays where it is: a second click is on the same weight.
void select_in_place(const Filter& filter, const Cells& cells, int column, int row) {
  select(filter, column, row);
  GridState& grid = ui_state().grid;
  grid.detail = DetailPlace{cells.column, cells.row, grid.column, grid.row};
}

// Press selects, dragging sideways changes, a double click types.
void use_mouse(FilterSpec& spec, const Cells& cells) {
  GridState& grid = ui_state().grid;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const int column =
      cells.column + std::clamp(static_cast<int>((mouse.x - cells.from.x) / cells.size), 0, cells.columns - 1);
  const int row = cells.row + std::clamp(static_cast<int>((mouse.y - cells.from.y) / cells.size), 0, cells.rows - 1);
  const Filter& filter = spec.filter;
  if (ImGui::IsItemActivated()) {
    if (grid.editing) end_typing(spec);
    select_in_place(filter, cells, column, row);
    if (!std::exchange(grid.focused, true))
      grid.remark = "Digits change this weight now. Esc gives them back to the panes.";
    grid.dragged_from = weights(filter)[index(filter, column, row)];
    grid.drag_step = drag_step(filter);
  }
  if (ImGui::IsItemHovered() && ImGui::IsMouseReleased(1)) {
    select_in_place(filter, cells, column, row);
    ImGui::OpenPopup(weights_menu_name);
  }
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) {
    begin_typing(filter, nullptr);
  } else if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0, px(4))) {
    const ImGuiIO& io = ImGui::GetIO();
    const float step = grid.drag_step * (io.KeyShift ? 10.0f : io.KeyCtrl ? 0.1f : 1.0f);
    const float moved = std::round(ImGui::GetMouseDragDelta(0, px(4)).x / px(2)) * step;
    if (moved != 0)
      set_weight(spec, grid.column, grid.row,
                 std::round((grid.dragged_from + moved) / step) * static_cast<double>(step));
  }
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  if (moved.x != 0 || moved.y != 0) grid.by_keys = false;
  if (ImGui::IsItemHovered() && !ImGui::IsItemActive()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    const ImVec2 cell{cells.from.x + cells.size * static_cast<float>(column - cells.column),
                      cells.from.y + cells.size * static_cast<float>(row - cells.row)};
    if (!grid.editing && !grid.by_keys && !ImGui::IsMouseDown(0))
      tooltip_beside("Weight " + place_text(filter, column, row) + " = " +
                         with_minus(format_number(weights(filter)[index(filter, column, row)], 7)) +
                         "\nIts place (x, y) is counted from the centre, with y pointing down.\nDrag sideways to "
                         "change (Shift: coarse, Ctrl: fine), double-click to type.",
                     cell, {cell.x + cells.size, cell.y + cells.size});
  }
}

// The whole grid where it has room, else the chosen weight and those around it. Panels come into sight first.
void scroll_to_chosen(const Cells& cells) {
  UiState& state = ui_state();
  if (!state.grid.reveal || !state.reveal_panel.empty()) return;
  state.grid.reveal = false;
  const float view = ImGui::GetWindowPos().y, room = ImGui::GetWindowHeight(), margin = px(8);
  float top = cells.from.y, bottom = top + cells.size * static_cast<float>(cells.rows);
  if (bottom - top + 2 * margin > room) {
    const float row = top + cells.size * static_cast<float>(state.grid.row - cells.row);
    top = std::max(top, row - cells.size);
    bottom = std::min(bottom, row + 2 * cells.size);
  }
  const float above = top - margin - view, below = bottom + margin - (view + room);
  if (above < 0 || below > 0) ImGui::SetScrollY(ImGui::GetScrollY() + (above < 0 ? above : below));
}

void draw_cells(FilterSpec& spec, const Cells& cells) {
  scroll_to_chosen(cells);
  const ImVec2 extent{cells.size * static_cast<float>(cells.columns), cells.size * static_cast<float>(cells.rows)};
  ImGui::SetCursorScreenPos(cells.from);
  ImGui::InvisibleButton("##cells", extent);
  mark_item("weights");
  use_mouse(spec, cells);
  const GridState& grid = ui_state().grid;
  const Filter& filter = spec.filter;
  const float max = largest(filter);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float gap = cells.size >= px(12) ? px(1) : 0, inside = cells.size - 2 * gap;
  std::vector<float> shown;
  for (int row = 0; row < cells.rows; ++row)
    for (int column = 0; column < cells.columns; ++column)
      shown.push_back(weights(filter)[index(filter, cells.column + column, cells.row + row)]);
  const WeightWriting written = writing_of(shown, max, inside);
  for (int row = 0; row < cells.rows; ++row) {
    for (int column = 0; column < cells.columns; ++column) {
      const float weight = weights(filter)[index(filter, cells.column + column, cells.row + row)];
      const ImVec2 from{cells.from.x + cells.size * static_cast<float>(column),
                        cells.from.y + cells.size * static_cast<float>(row)};
      const ImU32 back = weight_tint(weight, max);
      list.AddRectFilled({from.x + gap, from.y + gap}, {from.x + cells.size - gap, from.y + cells.size - gap}, back,
                         gap > 0 ? px(3) : 0);
      draw_weight(list, from, inside, weight, written, weight == 0 ? theme().faint : ink_on(back));
    }
  }
  if (grid.focused) {  // the keyboard is here
    const float out = px(3);
    list.AddRect({cells.from.x - out, cells.from.y - out},
                 {cells.from.x + extent.x + out, cells.from.y + extent.y + out}, theme().accent, px(5), 0, px(1.5f));
  }
  const int column = grid.column - cells.column, row = grid.row - cells.row;
  if (column >= 0 && row >= 0 && column < cells.columns && row < cells.rows) {
    const ImVec2 from{cells.from.x + cells.size * static_cast<float>(column),
                      cells.from.y + cells.size * static_cast<float>(row)};
    list.PathRect(from, {from.x + cells.size, from.y + cells.size}, px(4));
    list.PathStroke(grid.focused ? theme().text : with_alpha(theme().text, 0.45f), ImDrawFlags_Closed,
                    grid.focused ? px(2) : px(1));
  }
}

// All of a large filter in few rectangles: each block shows the weight of the largest magnitude in it.
void draw_overview(const Filter& filter, ImVec2 from, ImVec2 extent, const Cells& shown) {
  GridState& grid = ui_state().grid;
  ImGui::SetCursorScreenPos(from);
  ImGui::InvisibleButton("##overview", extent);
  mark_item("overview");
  const float cell_x = extent.x / static_cast<float>(filter.width),
              cell_y = extent.y / static_cast<float>(filter.height);
  if (ImGui::IsItemActive()) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    grid.editing = false;
    grid.focused = true;
    grid.detail.reset();
    select(filter, static_cast<int>((mouse.x - from.x) / cell_x), static_cast<int>((mouse.y - from.y) / cell_y));
  }
  tooltip("This is the whole filter. Click or drag to choose the weights shown beside it.");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(from, {from.x + extent.x, from.y + extent.y}, theme().field, px(3));
  const int block_x = (filter.width + max_blocks - 1) / max_blocks,
            block_y = (filter.height + max_blocks - 1) / max_blocks;
  const float max = largest(filter);
  for (int y = 0; y < filter.height; y += block_y) {
    for (int x = 0; x < filter.width; x += block_x) {
      const int x1 = std::min(x + block_x, filter.width), y1 = std::min(y + block_y, filter.height);
      float strongest = 0;
      for (int row = y; row < y1; ++row)
        for (int column = x; column < x1; ++column)
          if (const float w = weights(filter)[index(filter, column, row)]; std::fabs(w) > std::fabs(strongest))
            strongest = w;
      if (strongest == 0) continue;
      list.AddRectFilled({from.x + cell_x * static_cast<float>(x), from.y + cell_y * static_cast<float>(y)},
                         {from.x + cell_x * static_cast<float>(x1), from.y + cell_y * static_cast<float>(y1)},
                         weight_tint(strongest, max));
    }
  }
  const float x0 = from.x + cell_x * static_cast<float>(shown.column),
              y0 = from.y + cell_y * static_cast<float>(shown.row);
  list.PathRect({x0 - 1, y0 - 1}, {x0 + cell_x * static_cast<float>(shown.columns) + 1,
                                   y0 + cell_y * static_cast<float>(shown.rows) + 1});
  list.PathStroke(theme().text, ImDrawFlags_Closed, px(1.5f));
}

Cells draw_large(FilterSpec& spec, ImVec2 from, float width) {
  const Filter& filter = spec.filter;
  GridState& grid = ui_state().grid;
  if (grid.detail && (grid.detail->selected_column != grid.column || grid.detail->selected_row != grid.row))
    grid.detail.reset();
  Cells cells;
  const bool flat = filter.width > 3 * filter.height;
  cells.columns = std::min(flat ? max_numbered : close_up, filter.width);
  cells.rows = std::min(close_up, filter.height);
  const int column = grid.detail ? grid.detail->column : grid.column - cells.columns / 2;
  const int row = grid.detail ? grid.detail->row : grid.row - cells.rows / 2;
  cells.column = std::clamp(column, 0, filter.width - cells.columns);
  cells.row = std::clamp(row, 0, filter.height - cells.rows);
  if (flat) {  // the overview is a strip above
    const float height = std::max(px(14), width * static_cast<float>(filter.height) / static_cast<float>(filter.width));
    draw_overview(filter, from, {width, height}, cells);
    cells.size = std::floor(std::min(width / static_cast<float>(cells.columns), px(max_cell)));
    cells.from = {from.x, from.y + height + px(8)};
  } else {
    const float gap = px(12), side = std::floor((width - gap) * 0.45f);
    const float larger = static_cast<float>(std::max(filter.width, filter.height));
    const ImVec2 extent{std::max(side * static_cast<float>(filter.width) / larger, px(10)),
                        side * static_cast<float>(filter.height) / larger};
    draw_overview(filter, from, extent, cells);
    cells.size = std::floor((width - gap - side) / close_up);
    cells.from = {from.x + width - cells.size * static_cast<float>(cells.columns), from.y};
  }
  draw_cells(spec, cells);
  return cells;
}

void draw_selected(FilterSpec& spec) {
  const GridState& grid = ui_state().grid;
  float value = weights(spec.filter)[index(spec.filter, grid.column, grid.row)];
  const char* const tip =
      "The selected weight. Its place (x, y) is counted from the centre of the filter, with y pointing down. Drag "
      "sideways to change it, double-click to type.";
  row_label(("w " + place_text(spec.filter, grid.column, grid.row)).c_str(), tip);
  if (drag_number("selected-weight", &value, drag_step(spec.filter) / 2, 0, 0, "%.6g"))
    set_weight(spec, grid.column, grid.row, value);
  tooltip(tip);
}

}  // namespace

ImU32 weight_tint(float weight, float largest) {
  const Theme& t = theme();
  if (!std::isfinite(weight) || weight == 0 || largest <= 0) return t.field;
  const float strength = std::sqrt(std::min(std::fabs(weight) / largest, 1.0f));
  // The least weight is told from zero, but has hardly a colour: what is strong is seen at once.
  const ImU32 least = mix(t.field, t.text, 0.2f);
  return mix(least, weight > 0 ? t.accent : t.negative, 0.9f * strength);
}

void draw_weight_grid(FilterSpec& spec, float width) {
  GridState& grid = ui_state().grid;
  if (!is_whole_filter(spec.filter)) {
    text_dim("There are no weights yet. Choose a filter above, or paste a matrix.");
    return;
  }
  if (spec.filter.is_magnitude()) {
    constexpr const char* labels[] = {"First filter", "Second filter"};
    segmented("weight-set", labels, &grid.set, "An edge magnitude is √(sum₁² + sum₂²) of two filters.");
  } else {
    grid.set = 0;
  }
  if (!is_whole_filter(spec.filter)) return;
  // The selection keeps its place from the centre when the filter changes its size.
  select(spec.filter, grid.column + spec.filter.width / 2 - grid.width / 2,
         grid.row + spec.filter.height / 2 - grid.height / 2);
  grid.drawn_in_frame = ImGui::GetFrameCount();

  const ImVec2 from = ImGui::GetCursorScreenPos();
  const int columns = spec.filter.width, rows = spec.filter.height;
  Cells cells{0, 0, columns, rows, from, 1};
  cells.size = std::floor(std::min({width / static_cast<float>(columns),
                                    std::max(px(max_height) / static_cast<float>(rows), px(min_cell)), px(max_cell)}));
  float bottom = 0;
  if (columns <= max_numbered && rows <= max_numbered && cells.size >= 4) {
    cells.from.x += std::floor((width - cells.size * static_cast<float>(columns)) / 2);
    draw_cells(spec, cells);
    bottom = cells.from.y + cells.size * static_cast<float>(rows);
  } else {
    cells = draw_large(spec, from, width);
    bottom = std::max(ImGui::GetItemRectMax().y, cells.from.y + cells.size * static_cast<float>(cells.rows));
  }
  draw_typing(spec, cells);
  // A press anywhere else gives the keyboard back.
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool outside = mouse.x < from.x || mouse.x > from.x + width || mouse.y < from.y || mouse.y > bottom;
  if (grid.focused && !grid.editing && ImGui::IsMouseClicked(0) && outside) leave_grid();
  ImGui::SetCursorScreenPos({from.x, bottom + px(8)});
  ImGui::Dummy({0, 0});
  draw_selected(spec);
}

}  // namespace convoscope::ui
