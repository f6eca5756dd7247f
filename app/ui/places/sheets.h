#pragma once
// Sheets: what explains a pane or measures beside it. They dock at the stage, which takes what is left, so that they
// never cover what they speak of.
#include "app/ui/places/layout.h"

namespace convoscope::ui {

// Takes a sheet off the stage: beside what is left or, where that would be too narrow, below it. Empty, with the stage
// as it was, where there is no room at all.
Area take_sheet(Area& stage, float width, bool left);
Area take_explain_sheet(Area& stage, bool left);
Area take_lesson_sheet(Area& stage, bool left);
Area take_sweep_sheet(Area& stage, bool left);
Area take_listing_sheet(Area& stage, bool left);

// Title and close button of a sheet, in one look; mark "NAME" for the sheet and "NAME-close" for the button. It begins
// at its top when it opens and in another workbench, by its id. False: there is no room, and nothing to draw or end.
bool begin_sheet(const char* name, const char* title, const Area&, bool& open, const std::string& close_tip,
                 const std::string& workbench);
void end_sheet();
bool has_room(const Area& sheet);

}  // namespace convoscope::ui
