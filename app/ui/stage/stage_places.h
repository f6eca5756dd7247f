#pragma once
// What lies over the panes in this frame. Whatever comes later looks here for a place where it covers nothing.
#include <optional>

#include "app/ui/stage/layout.h"

namespace convoscope::ui {

void clear_places();
void take_place(const Area&);
bool is_free(const Area&);

// For a box of this size, centred in the room: as low as it can be; or at its right edge, as high as it can be. Nothing
// when there is no such place.
std::optional<Area> place_at_foot(const Area& room, ImVec2 size);
std::optional<Area> place_at_top(const Area& room, ImVec2 size);

}  // namespace convoscope::ui
