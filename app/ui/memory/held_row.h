#pragma once
// The row of the column of panels that the mouse uses, between frames; parts/held_row.h says what is done with it.
#include <imgui.h>

#include <cstddef>

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

}  // namespace convoscope::ui
