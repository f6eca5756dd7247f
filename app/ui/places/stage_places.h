#pragma once
// What lies over the panes in this frame. Whatever comes later looks here for a place where it covers nothing.
#include <optional>
#include <string_view>
#include <vector>

#include "app/ui/places/layout.h"

namespace convoscope::ui {

void clear_places();
// And marks it by that name. `over_others`: it was opened by the mouse, for as long as the mouse stays.
void take_place(std::string_view id, const Area&, bool over_others = false);
void keep_free(const Area&);  // of what lies over everything, and has its mark already
void give_back(const Area&);  // what was taken or kept free
bool is_free(const Area&);

// For a box of this size, centred in the room: as low as it can be; or at its right edge, as high as it can be. Nothing
// when there is no such place.
std::optional<Area> place_at_foot(const Area& room, ImVec2 size);
std::optional<Area> place_at_top(const Area& room, ImVec2 size);
// With its corner as near to the wish as it can be; on none of `besides` either.
std::optional<Area> place_near(const Area& room, ImVec2 size, ImVec2 wish, const std::vector<Area>& besides = {});
std::optional<Area> place_beside(const std::vector<Area>& others, const Area& room, ImVec2 size, ImVec2 wish);
const std::vector<Area>& places_taken();

}  // namespace convoscope::ui
