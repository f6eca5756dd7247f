#pragma once
// The row that the mouse uses, of the column of panels and of the list of strategies within it: whatever a click or a
// key makes of the rows above and below it, it stays under the mouse. The column or the list scrolls after it, into
// blank space where there is nothing to scroll; that is there until the mouse leaves. Called by the thread that draws.
#include <imgui.h>

#include <cstddef>
#include <string_view>

#include "app/ui/memory/held_row.h"

namespace convoscope::ui {

// Around the rows of ImGui's current window.
void begin_held_row(HeldRow&);
// `moved`: by how much the panel under the mouse has moved down, in pixels, for where the row itself is gone.
void end_held_row(HeldRow&, float moved);
// Something else scrolls the column in this frame: a key, a change of the size of text.
void leave_held_row();
// Each control says where it is, in any window; the name is that of its mark.
void note_row(std::string_view name, ImVec2 from, ImVec2 to);
float blank_above_rows();  // of the column

}  // namespace convoscope::ui
