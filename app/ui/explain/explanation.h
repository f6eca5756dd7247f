#pragma once
// How a pinned pixel came about, as a sheet and as areas over the picture.
#include <optional>

#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/ui/places/layout.h"

namespace convoscope::ui {

void draw_explained_window(const Stats&, Settings&, const Area& sheet);
void draw_explained_areas(const Stats&, const Settings&, const UiLayout&);
// Opens the explanation; without a pixel it asks for a click. What it pins is unpinned when the sheet is closed.
void explain_pixel(const std::optional<PixelAddress>&, Settings&);
void follow_explanation(Settings&);  // once a frame

}  // namespace convoscope::ui
