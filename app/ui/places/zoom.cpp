#include "app/ui/places/zoom.h"

#include <algorithm>

#include "app/ui/memory/inspect_state.h"
#include "app/ui/parts/theme.h"
#include "app/ui/places/layout.h"

namespace convoscope::ui {
namespace {

constexpr double smallest_zoom = 0.01, largest_zoom = 100;
constexpr double close_up = 32;  // of the screen at scale 1, for a pixel

// Of ImGui's pixels, at zoom 1.
double fitted_scale(const Stats& stats, const Settings& settings) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const UiLayout layout = layout_ui(settings, size.x, size.y);
  const Area area = settings.group().view == View::grid ? pane_area(settings, layout, settings.group().active_pane)
                                                        : picture_area(layout);
  return stats.source.height > 0 ? static_cast<double>(fitted_size(area, stats.source).y) / stats.source.height : 0;
}

}  // namespace

void zoom_to_scale(double pixels, const Stats& stats, Settings& settings) {
  const double fitted = fitted_scale(stats, settings) * ImGui::GetIO().DisplayFramebufferScale.y;
  if (fitted > 0) settings.zoom.scale = std::clamp(pixels / fitted, smallest_zoom, largest_zoom);
}

void look_at_pixel(PixelAddress at, const Stats& stats, Settings& settings) {
  const SourceStats& source = stats.source;
  if (source.width <= 0 || source.height <= 0) return;
  settings.inspect.pinned = at;
  inspect_state().sheet_pin.reset();  // pinned for the magnifier from now on
  settings.inspect.magnifier = settings.inspect.values = true;
  settings.zoom.centre_x = (at.x + 0.5) / source.width;
  settings.zoom.centre_y = (at.y + 0.5) / source.height;
  if (const double fitted = fitted_scale(stats, settings); fitted > 0)
    settings.zoom.scale = std::clamp(static_cast<double>(px(static_cast<float>(close_up))) / fitted, 1.0, largest_zoom);
}

}  // namespace convoscope::ui
