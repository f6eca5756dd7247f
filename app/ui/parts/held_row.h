#pragma once
// The row that the mouse uses, of the column of panels and of the list of strategies within it: whatever a click or a
// key makes of the rows above and below it, it stays under the mouse. The column or the list scrolls after it, into
// blank space where there is nothing to scroll; that is there until the mouse leaves. Called by the thread that draws.
#include <imgui.h>

#include <cstddef>
#include <string_view>

namespace convoscope::ui {

struct HeldRow {
  struct Place {
    std::size_t row = 0;        // of its name; 0: none
    float top = 0, bottom = 0;  // on the screen
  };
  Place held, under_mouse;       // the latter: of this frame, the nearest to the mouse so far
  float now = 0;                 // top of the held one in this frame
  bool drawn = false;            // in this frame
  float blank = 0;               // above the first row
  float scroll = 0;              // that this frame should begin with, as it was left by the last one
  bool others_scroll = false;    // something else scrolls in this frame
  ImVec2 column_size;            // of the window in the last frame: another one has other rows
  const void* window = nullptr;  // ImGui's, while it is drawn
};

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
