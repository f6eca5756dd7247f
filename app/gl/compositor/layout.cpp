#include "app/gl/compositor/layout.h"

#include <algorithm>
#include <cmath>

#include "app/panes/split_lines.h"
#include "app/state/difference.h"

namespace convoscope {
namespace {

constexpr float cell_gap = 6;  // pixels between the cells of a grid

// As few rows as give nearly the largest pictures: what is left free then lies above and below them, where a card has
// room, instead of beside them.
int grid_columns(const Rectangle& area, double aspect, int count) {
  constexpr float nearly = 0.95f;
  const auto columns_of = [&](int rows) { return (count + rows - 1) / rows; };
  const auto scale = [&](int rows) {
    return std::min(area.width / static_cast<float>(columns_of(rows)) / static_cast<float>(aspect),
                    area.height / static_cast<float>(rows));
  };
  float largest = 0;
  for (int rows = 1; rows <= count; ++rows) largest = std::max(largest, scale(rows));
  int rows = 1;
  while (rows < count && scale(rows) < nearly * largest) ++rows;
  return columns_of(rows);
}

Rectangle grid_cell(const Composition& composition, int i, int count) {
  const Rectangle& area = composition.area;
  const int columns = grid_columns(area, composition.picture_aspect, count), rows = (count + columns - 1) / columns;
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

// Of this shape, as large as the pane has room for at zoom 1.
Rectangle place_picture(const Rectangle& pane, double width, double height, const ZoomSettings& zoom) {
  const double scale = std::min(pane.width / width, pane.height / height) * zoom.scale;
  const double picture_width = std::max(std::round(width * scale), 1.0);
  const double picture_height = std::max(std::round(height * scale), 1.0);
  const double left = pane.x + pane.width / 2.0 - zoom.centre_x * picture_width;
  const double top = pane.y + pane.height / 2.0 - zoom.centre_y * picture_height;
  return {static_cast<float>(std::round(left)), static_cast<float>(std::round(top)), static_cast<float>(picture_width),
          static_cast<float>(picture_height)};
}

SplitAxis axis_of(const Composition& composition) {
  const Rectangle fitted = fitted_rectangle(composition);
  return split_axis(composition.split.angle, fitted.x, fitted.y, fitted.width, fitted.height);
}

// The k-th cut along the axis: between pixels where the lines are upright or level.
double cut(const Composition& composition, const SplitAxis& axis, int k, int count) {
  const double at = axis.at(split_cut(composition.split, k, count));
  return axis.x == 0 || axis.y == 0 ? std::round(at) : at;
}

// The box round what a slice leaves of the area, in whole pixels.
Rectangle slice_box(const Composition& composition, int i, int count) {
  const Rectangle& area = composition.area;
  const SplitAxis axis = axis_of(composition);
  const SplitPolygon polygon =
      slice_polygon(axis, cut(composition, axis, i, count), cut(composition, axis, i + 1, count), area.x, area.y,
                    area.width, area.height);
  if (polygon.count == 0) return {};
  double left = polygon.corners[0].x, right = left, top = polygon.corners[0].y, bottom = top;
  for (std::size_t k = 1; k < polygon.count; ++k) {
    left = std::min(left, polygon.corners[k].x);
    right = std::max(right, polygon.corners[k].x);
    top = std::min(top, polygon.corners[k].y);
    bottom = std::max(bottom, polygon.corners[k].y);
  }
  left = std::floor(left);
  top = std::floor(top);
  return {static_cast<float>(left), static_cast<float>(top), static_cast<float>(std::ceil(right) - left),
          static_cast<float>(std::ceil(bottom) - top)};
}

}  // namespace

PictureLook look_of(const Wall& wall) {
  const auto width = static_cast<float>(wall.width), height = static_cast<float>(wall.height);
  const int across = wall.columns() * wall.cell_width() - wall.gap(),
            down = wall.rows() * wall.cell_height() - wall.gap();
  const bool pixels =
      wall.cell_width() - wall.gap() == wall.map_width && wall.cell_height() - wall.gap() == wall.map_height;
  return {{0, static_cast<float>(wall.top()) / height, std::min(static_cast<float>(across) / width, 1.0f),
           std::min(static_cast<float>(down) / height, 1.0f)},
          pixels};
}

Slice pane_slice(const Composition& composition, int i, int count) {
  constexpr float beyond = 1e7f;
  const SplitAxis axis = axis_of(composition);
  Slice slice{static_cast<float>(axis.x), static_cast<float>(axis.y), -beyond, beyond};
  if (i > 0) slice.low = static_cast<float>(cut(composition, axis, i, count));
  if (i + 1 < count) slice.high = static_cast<float>(cut(composition, axis, i + 1, count));
  return slice;
}

int pane_at(const Composition& composition, int count, float x, float y) {
  for (int i = 0; i < count; ++i) {
    const Rectangle seen = visible_rectangle(composition, i, count);
    if (x < seen.x || x >= seen.x + seen.width || y < seen.y || y >= seen.y + seen.height) continue;
    if (composition.view != View::split) return i;
    const Slice slice = pane_slice(composition, i, count);  // the boxes of slanted ones overlap
    const float along = slice.x * x + slice.y * y;
    if (along >= slice.low && along < slice.high) return i;
  }
  return -1;
}

int blinking_pane(double seconds, double blink_seconds, int count) {
  if (count <= 1 || !(blink_seconds > 0)) return 0;
  return static_cast<int>(std::fmod(std::floor(std::max(seconds, 0.0) / blink_seconds), count));
}

Rectangle fitted_rectangle(const Composition& composition) {
  return place_picture(composition.area, composition.picture_aspect, 1, {});
}

Rectangle pane_rectangle(const Composition& composition, int i, int count) {
  return composition.view == View::grid && count > 1 ? grid_cell(composition, i, count) : composition.area;
}

Rectangle visible_rectangle(const Composition& composition, int i, int count) {
  const Rectangle& area = composition.area;
  switch (composition.view) {
    case View::grid:
      return pane_rectangle(composition, i, count);
    case View::split:
      return slice_box(composition, i, count);
    case View::single:
      return i == std::clamp(composition.active, 0, count - 1) ? area : Rectangle{};
    case View::difference: {
      const ComparedPanes compared = compared_panes(composition.difference, count);
      return i == compared.first || i == compared.second ? area : Rectangle{};
    }
    case View::blink:
      return i == blinking_pane(composition.seconds, composition.blink_seconds, count) ? area : Rectangle{};
  }
  return {};
}

Rectangle picture_rectangle(const Rectangle& pane, const Composition& composition, int width, int height) {
  if (width <= 0 || height <= 0) return {};
  const double aspect = composition.pixel_aspect > 0 ? composition.pixel_aspect : 1.0;
  return place_picture(pane, width * aspect, height, composition.zoom);
}

}  // namespace convoscope
