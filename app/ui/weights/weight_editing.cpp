#include "app/ui/weights/weight_editing.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <utility>

#include "app/ui/actions/filter_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_codes.h"
#include "app/ui/weights/weight_grid.h"
#include "kernels/text/number_text.h"

namespace convoscope::ui {
namespace weight_editing {
namespace {

// A number, or a fraction such as 1/9.
bool parse_value(const char* text, double* value) {
  char* rest = nullptr;
  *value = std::strtod(text, &rest);
  if (rest == text) return false;
  while (*rest == ' ') ++rest;
  if (*rest == '/') {
    const char* const divisor_text = rest + 1;
    *value /= std::strtod(divisor_text, &rest);
    if (rest == divisor_text) return false;
    while (*rest == ' ') ++rest;
  }
  return *rest == 0 && std::isfinite(*value);
}

// From one weight to the next, in reading order.
void select_next(const Filter& filter, int direction) {
  const GridState& grid = ui_state().grid;
  const int count = filter.width * filter.height;
  const int next = (grid.row * filter.width + grid.column + direction + count) % count;
  select(filter, next % filter.width, next / filter.width);
}

}  // namespace

std::vector<float>& weights(Filter& filter) {
  return ui_state().grid.set == 1 && filter.is_magnitude() ? filter.weights_y : filter.weights;
}
const std::vector<float>& weights(const Filter& filter) { return weights(const_cast<Filter&>(filter)); }

std::size_t index(const Filter& filter, int column, int row) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(filter.width) + static_cast<std::size_t>(column);
}

bool is_whole_filter(const Filter& filter) {
  return filter.width > 0 && filter.height > 0 &&
         weights(filter).size() == static_cast<std::size_t>(filter.width) * static_cast<std::size_t>(filter.height);
}

float largest(const Filter& filter) {
  float max = 0;
  for (const float w : weights(filter))
    if (std::isfinite(w)) max = std::max(max, std::fabs(w));
  return max;
}

float drag_step(const Filter& filter) {
  const float max = largest(filter);
  return max > 0 ? std::pow(10.0f, std::floor(std::log10(max / 20))) : 0.01f;
}

void set_weight(FilterSpec& spec, int column, int row, double value) {
  const std::size_t i = index(spec.filter, column, row);
  const auto narrowed = static_cast<float>(value);
  if (weights(spec.filter)[i] == narrowed) return;
  ui_state().filter_error = edit_weights(spec, [&](Filter& f) { weights(f)[i] = narrowed; });
}

void select(const Filter& filter, int column, int row) {
  GridState& grid = ui_state().grid;
  grid.column = std::clamp(column, 0, filter.width - 1);
  grid.row = std::clamp(row, 0, filter.height - 1);
  grid.width = filter.width;
  grid.height = filter.height;
}

void begin_typing(const Filter& filter, const char* text) {
  GridState& grid = ui_state().grid;
  grid.editing = grid.start_editing = true;
  grid.was_active = grid.commit = false;
  grid.cursor_to_end = text != nullptr;  // what was typed to begin with must not be overwritten by the next digit
  grid.select_all = !text;
  const std::string initial =
      text ? text : rounded_text(weights(filter)[index(filter, grid.column, grid.row)] + 0.0, 7);
  std::snprintf(grid.text.data(), grid.text.size(), "%s", initial.c_str());
}

void end_typing(FilterSpec& spec) {
  GridState& grid = ui_state().grid;
  double value = 0;
  bool taken = false;  // else its cell stays selected, to be typed into again
  if (parse_value(with_point(grid.text.data()).c_str(), &value)) {
    // What the cell showed was rounded: unchanged text must not change the weight.
    const float old = weights(spec.filter)[index(spec.filter, grid.column, grid.row)];
    taken = std::abs(value) <= std::numeric_limits<float>::max();
    if (!taken)
      ui_state().filter_error = "The weight in row " + std::to_string(grid.row + 1) + ", column " +
                                std::to_string(grid.column + 1) + " stays as it is: \"" + grid.text.data() + "\" is " +
                                beyond_float + ".";
    else if (rounded_text(old + 0.0, 7) != grid.text.data())
      set_weight(spec, grid.column, grid.row, value);
  } else {
    ui_state().filter_error =
        "\"" + std::string(grid.text.data()) + "\" is not a number. Type one such as -0.25 or 1/9.";
  }
  grid.editing = false;
  if (!std::exchange(grid.commit, false) || !taken) return;
  if (grid.dx != 0)
    select_next(spec.filter, grid.dx);
  else
    select(spec.filter, grid.column, grid.row + grid.dy);
}

}  // namespace weight_editing

using namespace weight_editing;

void enter_grid(const Filter& filter) {
  GridState& grid = ui_state().grid;
  grid.focused = grid.typed_into = grid.reveal = true;
  grid.editing = false;
  grid.drawn_in_frame = ImGui::GetFrameCount() + 1;
  select(filter, filter.width / 2, filter.height / 2);
}

void leave_grid() {
  GridState& grid = ui_state().grid;
  grid.focused = grid.editing = grid.typed_into = false;
}

bool grid_takes_letters() {
  const GridState& grid = ui_state().grid;
  return grid.focused && grid.typed_into && ImGui::GetFrameCount() <= grid.drawn_in_frame + 1;
}

bool grid_key(int pressed, int modifiers, char number, bool typing, FilterSpec& spec) {
  GridState& grid = ui_state().grid;
  if (!grid.focused || ImGui::GetFrameCount() > grid.drawn_in_frame + 1 || !is_whole_filter(spec.filter)) return false;
  if (number != 0 && !typing) {
    const char first[2] = {number, 0};
    if (!grid.editing) begin_typing(spec.filter, first);  // else its field is about to open, and the key repeats
    grid.by_keys = grid.reveal = true;
    return true;
  }
  const bool shift = modifiers == key::shift;
  if (modifiers != 0 && !(shift && (pressed == key::tab || pressed == key::enter))) return false;

  int dx = 0, dy = 0;
  if (pressed == key::tab) dx = shift ? -1 : 1;
  if (pressed == key::enter || pressed == key::keypad_enter) dy = shift ? -1 : 1;
  if (pressed == key::down) dy = 1;
  if (pressed == key::up) dy = -1;
  if (grid.editing) {
    if (pressed == key::escape) {  // the weight stays, also when a digit had begun the typing
      grid.editing = false;
      return true;
    }
    if (dx == 0 && dy == 0) return false;
    grid.commit = true;
    grid.dx = dx;
    grid.dy = dy;
    return true;
  }
  if (typing) return false;

  const Filter& filter = spec.filter;
  const float value = weights(filter)[index(filter, grid.column, grid.row)];
  grid.by_keys = grid.reveal = true;
  if (pressed == key::tab) {
    select_next(filter, dx);
  } else if (pressed == key::left || pressed == key::right) {
    select(filter, grid.column + (pressed == key::right ? 1 : -1), grid.row);
  } else if (pressed == key::up || pressed == key::down) {
    select(filter, grid.column, grid.row + dy);
  } else if (pressed == key::enter || pressed == key::keypad_enter) {
    begin_typing(filter, nullptr);
  } else if (pressed == key::del || pressed == key::backspace) {
    set_weight(spec, grid.column, grid.row, 0);
  } else if (pressed == key::page_up || pressed == key::page_down) {
    const float step = drag_step(filter);
    set_weight(spec, grid.column, grid.row, value + (pressed == key::page_up ? step : -step));
  } else {
    return false;
  }
  return true;
}

}  // namespace convoscope::ui
