#pragma once
// Where everything lies in the window, and where the picture lies in its pane. All in ImGui's pixels.
#include <imgui.h>

#include "app/panes/split_lines.h"
#include "app/ui/memory/area.h"
#include "app/ui/ui.h"

namespace convoscope::ui {

struct Geometry {
  Area panel, transport, picture;
  Area sweep, explain, listing, lesson;  // sheets (sheets.h); empty while they are closed, or where there is no room
};
Geometry geometry(const Settings&, float width, float height);
Area transport_over(const Area& stage);  // while the panels are hidden

Area picture_area(const UiLayout&);
// Empty for a pane that is not there, or that the view does not show. Takes the position behind the panes too, where
// the source is while its key is held (shown_pictures.h).
Area pane_area(const Settings&, const UiLayout&, int pane);
// Where a card of this size may lie: the pane's area, or what of a slanted slice is as high; less where less fits in.
Area room_for_card(const Settings&, const UiLayout&, int pane, ImVec2 card);
// What of the pane's row from `top` on, of this height, lies within the pane all over; empty where nothing does.
Area row_of_pane(const Settings&, const UiLayout&, int pane, float top, float height);
float pane_pixels(const Settings&, const UiLayout&, int pane);    // how much of the screen it has
int pane_at(const Settings&, const UiLayout&, float x, float y);  // −1: none

SplitAxis axis_of(const Settings&, const UiLayout&);  // of the wipe

// The size of the whole picture on screen at zoom 1 ("fit"), pixel aspect respected.
ImVec2 fitted_size(const Area& pane, const SourceStats&);
void zoom_about(ZoomSettings&, double factor, float x, float y, const Area& pane, const SourceStats&);

}  // namespace convoscope::ui
