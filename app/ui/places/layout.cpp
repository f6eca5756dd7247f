#include "app/ui/places/layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "app/panes/shown_pictures.h"
#include "app/panes/split_lines.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/memory/lesson_card.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/theme.h"
#include "app/ui/places/sheets.h"

namespace convoscope {
namespace ui {
namespace {

constexpr float panel_width = 364, transport_height = 60;
constexpr float least_height_of_transport = 140;  // of the window: in a lower one its buttons would be cut
// A smaller window, which only a desktop without a window manager lets be, keeps the transport and gives the rest to
// the picture: nothing in the side panel could be read.
constexpr float least_width_for_panel = 480, least_height_for_panel = 300;
constexpr double min_zoom = 0.1, max_zoom = 100;

}  // namespace

Geometry geometry(const Settings& settings, float width, float height) {
  width = std::max(width, 1.0f);
  height = std::max(height, 1.0f);
  Geometry g{{width, 0, 0, height}, {0, height, width, 0}, {0, 0, width, height}, {}, {}, {}};
  if (settings.show_panels) {
    // A small window keeps most of itself for the picture.
    const bool is_room = width >= px(least_width_for_panel) && height >= px(least_height_for_panel);
    const float side = is_room ? std::floor(std::min(px(panel_width), width * 0.42f)) : 0;
    const bool low = height < px(least_height_of_transport);
    const float bottom = low ? 0 : std::floor(std::min(px(transport_height), height / 3));
    g.panel = {settings.panels_left ? 0 : width - side, 0, side, height - bottom};
    g.transport = {0, height - bottom, width, bottom};
    g.picture = {settings.panels_left ? side : 0, 0, width - side, height - bottom};
  }
  if (lesson_card().open) g.lesson = take_lesson_sheet(g.picture, settings.panels_left);
  if (settings.sweep.open) g.sweep = take_sweep_sheet(g.picture, settings.panels_left);
  if (settings.inspect.explain) g.explain = take_explain_sheet(g.picture, settings.panels_left);
  if (settings.inspect.listing) g.listing = take_listing_sheet(g.picture, settings.panels_left);
  return g;
}

Area transport_over(const Area& stage) {
  const bool low = stage.height < px(least_height_of_transport);
  const float height = low ? 0 : std::floor(std::min(px(transport_height), stage.height / 3));
  return {stage.x, stage.y + stage.height - height, stage.width, height};
}

Area picture_area(const UiLayout& layout) {
  return {layout.picture_x, layout.picture_y, layout.picture_width, layout.picture_height};
}

Area pane_area(const Settings& settings, const UiLayout& layout, int pane) {
  const int count = static_cast<int>(settings.group().panes.size());
  if (pane == count && shows_source_behind_panes(settings, flick_pane(settings))) return picture_area(layout);
  if (pane < 0 || pane >= count) return {};
  if (static_cast<int>(layout.panes.size()) == count) {
    const UiLayout::Pane& p = layout.panes[static_cast<std::size_t>(pane)];
    return {p.x, p.y, p.width, p.height};
  }
  const Area whole = picture_area(layout);
  if (settings.group().view != View::grid) return pane == settings.group().active_pane ? whole : Area{};
  const int columns = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(count))));
  const int rows = (count + columns - 1) / columns;
  const float w = whole.width / static_cast<float>(columns), h = whole.height / static_cast<float>(rows);
  return {whole.x + w * static_cast<float>(pane % columns), whole.y + h * static_cast<float>(pane / columns), w, h};
}

SplitAxis axis_of(const Settings& settings, const UiLayout& layout) {
  const UiLayout::Pane& fitted = layout.fitted;
  const Area area = fitted.width > 0 ? Area{fitted.x, fitted.y, fitted.width, fitted.height} : picture_area(layout);
  return split_axis(settings.split.angle, area.x, area.y, area.width, area.height);
}

namespace {

bool is_slanted(const SplitAxis& axis) { return axis.x != 0 && axis.y != 0; }

// Where a horizontal line crosses a convex polygon; empty (left > right) when it does not.
struct RowSpan {
  double left = std::numeric_limits<double>::infinity(), right = -std::numeric_limits<double>::infinity();
};
RowSpan row_span(const SplitPolygon& polygon, double y) {
  RowSpan found;
  for (std::size_t i = 0; i < polygon.count; ++i) {
    const SplitPoint a = polygon.corners[i], b = polygon.corners[(i + 1) % polygon.count];
    if (a.y == b.y || y < std::min(a.y, b.y) || y > std::max(a.y, b.y)) continue;  // neighbours have its corners
    const double x = a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y);
    found = {std::min(found.left, x), std::max(found.right, x)};
  }
  return found;
}

// The highest place where all of the wish fits into a convex polygon, leftmost; else the largest share of it that does
// when it is centred at the corners' mean.
Area within(const SplitPolygon& polygon, float width, float height) {
  double top = std::numeric_limits<double>::infinity(), bottom = -top;
  for (std::size_t i = 0; i < polygon.count; ++i) {
    top = std::min<double>(top, polygon.corners[i].y);
    bottom = std::max<double>(bottom, polygon.corners[i].y);
  }
  for (double at = top; at + height <= bottom; at += 2) {
    const RowSpan above = row_span(polygon, at), below = row_span(polygon, at + height);
    const double left = std::ceil(std::max(above.left, below.left)), right = std::min(above.right, below.right);
    if (left + width <= right) return {static_cast<float>(left), std::ceil(static_cast<float>(at)), width, height};
  }

  double x = 0, y = 0;
  for (std::size_t i = 0; i < polygon.count; ++i) {
    x += polygon.corners[i].x / static_cast<double>(polygon.count);
    y += polygon.corners[i].y / static_cast<double>(polygon.count);
  }
  double share = 1;
  for (std::size_t i = 0; i < polygon.count; ++i) {
    const SplitPoint a = polygon.corners[i], b = polygon.corners[(i + 1) % polygon.count];
    const double nx = b.y - a.y, ny = a.x - b.x;  // of the edge
    const double room = std::abs(nx * (x - a.x) + ny * (y - a.y));
    const double needed = std::abs(nx) * width / 2 + std::abs(ny) * height / 2;
    if (needed > 0) share = std::min(share, room / needed);
  }
  const auto w = static_cast<float>(width * share), h = static_cast<float>(height * share);
  return {std::round(static_cast<float>(x) - w / 2), std::round(static_cast<float>(y) - h / 2), w, h};
}

}  // namespace

namespace {

// The pane's slice of a split that is neither upright nor level.
std::optional<SplitPolygon> slanted_slice(const Settings& settings, const UiLayout& layout, int pane) {
  const Area whole = picture_area(layout);
  const int count = static_cast<int>(settings.group().panes.size());
  const SplitAxis axis = axis_of(settings, layout);
  if (settings.group().view != View::split || ui::flick_pane(settings) != flick_none || count < 2 || !is_slanted(axis))
    return {};
  return slice_polygon(axis, axis.at(split_cut(settings.split, pane, count)),
                       axis.at(split_cut(settings.split, pane + 1, count)), whole.x, whole.y, whole.width,
                       whole.height);
}

}  // namespace

Area room_for_card(const Settings& settings, const UiLayout& layout, int pane, ImVec2 card) {
  const std::optional<SplitPolygon> polygon = slanted_slice(settings, layout, pane);
  if (!polygon) return pane_area(settings, layout, pane);
  if (polygon->count < 3) return {};
  const Area least = within(*polygon, card.x, card.y);
  const Area row = row_of_pane(settings, layout, pane, least.y, least.height);
  return row.width > least.width ? row : least;
}

Area row_of_pane(const Settings& settings, const UiLayout& layout, int pane, float top, float height) {
  const Area area = pane_area(settings, layout, pane);
  if (top < area.y || top + height > area.y + area.height) return {};
  const std::optional<SplitPolygon> polygon = slanted_slice(settings, layout, pane);
  if (!polygon) return {area.x, top, area.width, height};
  const RowSpan above = row_span(*polygon, top), below = row_span(*polygon, top + height);
  const double left = std::ceil(std::max(above.left, below.left)), right = std::min(above.right, below.right);
  if (right <= left) return {};
  return {static_cast<float>(left), top, static_cast<float>(right - left), height};
}

float pane_pixels(const Settings& settings, const UiLayout& layout, int pane) {
  const std::optional<SplitPolygon> polygon = slanted_slice(settings, layout, pane);
  if (!polygon) {
    const Area area = pane_area(settings, layout, pane);
    return area.width * area.height;
  }
  double twice = 0;
  for (std::size_t i = 0; i < polygon->count; ++i) {
    const SplitPoint a = polygon->corners[i], b = polygon->corners[(i + 1) % polygon->count];
    twice += a.x * b.y - b.x * a.y;
  }
  return static_cast<float>(std::abs(twice) / 2);
}

int pane_at(const Settings& settings, const UiLayout& layout, float x, float y) {
  const Area whole = picture_area(layout);
  const int count = static_cast<int>(settings.group().panes.size());
  if (settings.group().view == View::split && ui::flick_pane(settings) == flick_none && whole.contains(x, y)) {
    const SplitAxis axis = axis_of(settings, layout);
    const double at = axis.position(axis.along(x, y));
    for (int i = 0; i + 1 < count; ++i)
      if (at < split_cut(settings.split, i + 1, count)) return i;
    return count - 1;
  }
  for (int i = 0; i < count; ++i)
    if (pane_area(settings, layout, i).contains(x, y)) return i;
  return -1;
}

ImVec2 fitted_size(const Area& pane, const SourceStats& source) {
  if (source.width <= 0 || source.height <= 0 || pane.width <= 0 || pane.height <= 0) return {pane.width, pane.height};
  const double aspect = source.pixel_aspect > 0 ? source.pixel_aspect : 1.0;
  const double width = source.width * aspect, height = source.height;
  const double fit = std::min(pane.width / width, pane.height / height);
  return {static_cast<float>(width * fit), static_cast<float>(height * fit)};
}

// A point of the picture p lies on screen at middle + (p − centre) · size · scale, per axis. The point under the cursor
// must stay, so the centre moves by the cursor's distance from the middle as the two scales measure it.
void zoom_about(ZoomSettings& zoom, double factor, float x, float y, const Area& pane, const SourceStats& source) {
  const ImVec2 size = fitted_size(pane, source);
  if (size.x <= 0 || size.y <= 0 || !(factor > 0) || !std::isfinite(factor)) return;
  const double before = zoom.scale > 0 ? zoom.scale : 1.0;
  const double after = std::clamp(before * factor, min_zoom, max_zoom);
  const double change = 1 / before - 1 / after;
  zoom.centre_x = std::clamp(zoom.centre_x + (x - pane.x - pane.width / 2) / size.x * change, 0.0, 1.0);
  zoom.centre_y = std::clamp(zoom.centre_y + (y - pane.y - pane.height / 2) / size.y * change, 0.0, 1.0);
  zoom.scale = after;
}

namespace {

// The area that zoom 1 fits the picture into: the cell of a grid, else everything.
Area fit_area(const Settings& settings, const UiLayout& layout, int pane) {
  return settings.group().view == View::grid && pane >= 0 ? pane_area(settings, layout, pane) : picture_area(layout);
}

}  // namespace
}  // namespace ui

View shown_view(const Settings& settings) {
  if (ui::flick_pane(settings) == flick_difference) return View::difference;
  return ui::flick_pane(settings) == flick_none ? settings.group().view : View::single;
}

UiLayout layout_ui(const Settings& settings, float width, float height) {
  const ui::Area picture = ui::geometry(settings, width, height).picture;
  UiLayout layout;
  layout.picture_x = picture.x;
  layout.picture_y = picture.y;
  layout.picture_width = picture.width;
  layout.picture_height = picture.height;
  return layout;
}

void handle_wheel(float wheel, float x, float y, const UiLayout& layout, const Stats& stats, Settings& settings) {
  constexpr double factor_per_notch = 1.2;
  if (!ui::picture_area(layout).contains(x, y)) return;
  const ui::Area area = ui::fit_area(settings, layout, ui::pane_at(settings, layout, x, y));
  ui::zoom_about(settings.zoom, std::pow(factor_per_notch, wheel), x, y, area, stats.source);
}

void handle_drag(float dx, float dy, const UiLayout& layout, const Stats& stats, Settings& settings) {
  using Held = ui::PictureDrag::Kind;
  const Held held = ui::ui_state().drag.kind;
  if (held != Held::none && held != Held::picture) return;  // a card or a line moves instead
  if (ImGui::IsMouseClicked(0)) return;                     // what is held is not known yet
  const ImVec2 size = ui::fitted_size(ui::fit_area(settings, layout, settings.group().active_pane), stats.source);
  ZoomSettings& zoom = settings.zoom;
  if (size.x <= 0 || size.y <= 0 || !(zoom.scale > 0)) return;
  zoom.centre_x = std::clamp(zoom.centre_x - dx / (size.x * zoom.scale), 0.0, 1.0);
  zoom.centre_y = std::clamp(zoom.centre_y - dy / (size.y * zoom.scale), 0.0, 1.0);
}

}  // namespace convoscope
