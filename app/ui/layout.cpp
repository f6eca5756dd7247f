#include "app/ui/layout.h"

#include <algorithm>
#include <cmath>

#include "app/ui/theme.h"

namespace convoscope {
namespace ui {
namespace {

constexpr float panel_width = 364, transport_height = 60;
constexpr double min_zoom = 0.1, max_zoom = 100;

}  // namespace

Geometry geometry(const Settings& settings, float width, float height) {
  width = std::max(width, 1.0f);
  height = std::max(height, 1.0f);
  if (!settings.show_panels) return {{width, 0, 0, height}, {0, height, width, 0}, {0, 0, width, height}};
  // A small window keeps half of itself for the picture.
  const float side = std::floor(std::min(px(panel_width), width / 2));
  const float bottom = std::floor(std::min(px(transport_height), height / 3));
  return {{width - side, 0, side, height - bottom},
          {0, height - bottom, width, bottom},
          {0, 0, width - side, height - bottom}};
}

Area picture_area(const UiLayout& layout) {
  return {layout.picture_x, layout.picture_y, layout.picture_width, layout.picture_height};
}

Area pane_area(const Settings& settings, const UiLayout& layout, int pane) {
  const int count = static_cast<int>(settings.panes.size());
  if (static_cast<int>(layout.panes.size()) == count) {
    const UiLayout::Pane& p = layout.panes[static_cast<std::size_t>(pane)];
    return {p.x, p.y, p.width, p.height};
  }
  const Area whole = picture_area(layout);
  if (settings.view != View::grid) return pane == settings.active_pane ? whole : Area{};
  const int columns = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(count))));
  const int rows = (count + columns - 1) / columns;
  const float w = whole.width / static_cast<float>(columns), h = whole.height / static_cast<float>(rows);
  return {whole.x + w * static_cast<float>(pane % columns), whole.y + h * static_cast<float>(pane / columns), w, h};
}

int pane_at(const Settings& settings, const UiLayout& layout, float x, float y) {
  for (int i = 0; i < static_cast<int>(settings.panes.size()); ++i)
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
  return settings.view == View::grid && pane >= 0 ? pane_area(settings, layout, pane) : picture_area(layout);
}

}  // namespace
}  // namespace ui

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
  const ImVec2 size = ui::fitted_size(ui::fit_area(settings, layout, settings.active_pane), stats.source);
  ZoomSettings& zoom = settings.zoom;
  if (size.x <= 0 || size.y <= 0 || !(zoom.scale > 0)) return;
  zoom.centre_x = std::clamp(zoom.centre_x - dx / (size.x * zoom.scale), 0.0, 1.0);
  zoom.centre_y = std::clamp(zoom.centre_y - dy / (size.y * zoom.scale), 0.0, 1.0);
}

}  // namespace convoscope
