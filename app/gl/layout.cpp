// Where panes and pictures lie: arithmetic only.
#include <algorithm>
#include <cmath>

#include "app/gl/compositor.h"

namespace convoscope {
namespace {

constexpr float cell_gap = 6;  // pixels between the cells of a grid
constexpr double blink_seconds = 0.5;

// As many columns as give a 16:9 picture the largest cells.
int grid_columns(const Rectangle& area, int count) {
  int best = 1;
  float best_scale = -1;
  for (int columns = 1; columns <= count; ++columns) {
    const int rows = (count + columns - 1) / columns;
    const float scale =
        std::min(area.width / static_cast<float>(columns) / 16, area.height / static_cast<float>(rows) / 9);
    if (scale > best_scale) {
      best_scale = scale;
      best = columns;
    }
  }
  return best;
}

Rectangle grid_cell(const Rectangle& area, int i, int count) {
  const int columns = grid_columns(area, count), rows = (count + columns - 1) / columns;
  const int row = i / columns, column = i % columns;
  const int in_row = row == rows - 1 ? count - row * columns : columns;  // the last row is centred
  const float step_x = (area.width + cell_gap) / static_cast<float>(columns);
  const float step_y = (area.height + cell_gap) / static_cast<float>(rows);
  const float start = area.x + step_x * static_cast<float>(columns - in_row) / 2;
  const float left = std::round(start + step_x * static_cast<float>(column));
  const float top = std::round(area.y + step_y * static_cast<float>(row));
  const float right = std::round(start + step_x * static_cast<float>(column + 1) - cell_gap);
  const float bottom = std::round(area.y + step_y * static_cast<float>(row + 1) - cell_gap);
  return {left, top, std::max(right - left, 0.0f), std::max(bottom - top, 0.0f)};
}

// The k-th of the cuts that part `count` slices: equal slices, stretched so that their middle lies at the wipe.
float cut(const Composition& composition, int k, int count) {
  const float even = static_cast<float>(k) / static_cast<float>(count);
  const float wipe = std::clamp(composition.split, 0.0f, 1.0f);
  const float at = even < 0.5f ? 2 * even * wipe : wipe + (2 * even - 1) * (1 - wipe);
  return composition.area.x + std::round(at * composition.area.width);
}

}  // namespace

int blinking_pane(double seconds, int count) {
  if (count <= 1) return 0;
  return static_cast<int>(std::fmod(std::floor(std::max(seconds, 0.0) / blink_seconds), count));
}

Rectangle pane_rectangle(const Composition& composition, int i, int count) {
  return composition.view == View::grid && count > 1 ? grid_cell(composition.area, i, count) : composition.area;
}

Rectangle visible_rectangle(const Composition& composition, int i, int count) {
  const Rectangle& area = composition.area;
  switch (composition.view) {
    case View::grid:
      return pane_rectangle(composition, i, count);
    case View::split: {
      const float left = cut(composition, i, count), right = cut(composition, i + 1, count);
      return {left, area.y, right - left, area.height};
    }
    case View::single:
      return i == std::clamp(composition.active, 0, count - 1) ? area : Rectangle{};
    case View::difference:
      return i < 2 ? area : Rectangle{};
    case View::blink:
      return i == blinking_pane(composition.seconds, count) ? area : Rectangle{};
  }
  return {};
}

Rectangle picture_rectangle(const Rectangle& pane, const Composition& composition, int width, int height) {
  if (width <= 0 || height <= 0) return {};
  const double aspect = composition.pixel_aspect > 0 ? composition.pixel_aspect : 1.0;
  const double shown_width = width * aspect;
  const double fit = std::min(pane.width / shown_width, static_cast<double>(pane.height) / height);
  const double scale = fit * composition.zoom.scale;
  const double picture_width = std::max(std::round(shown_width * scale), 1.0);
  const double picture_height = std::max(std::round(height * scale), 1.0);
  const double left = pane.x + pane.width / 2.0 - composition.zoom.centre_x * picture_width;
  const double top = pane.y + pane.height / 2.0 - composition.zoom.centre_y * picture_height;
  return {static_cast<float>(std::round(left)), static_cast<float>(std::round(top)), static_cast<float>(picture_width),
          static_cast<float>(picture_height)};
}

}  // namespace convoscope
