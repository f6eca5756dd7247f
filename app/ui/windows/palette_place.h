#pragma once
// Where the palette lies: over everything, so that nothing may come to lie on it.
#include "app/state/settings.h"
#include "app/ui/places/layout.h"

namespace convoscope::ui {

inline constexpr const char* palette_window = "##palette";
inline constexpr int palette_rows = 11;  // seen at once, where there is room
float palette_row_height();
Area palette_area();  // empty while it is closed, or where there is no room

}  // namespace convoscope::ui
