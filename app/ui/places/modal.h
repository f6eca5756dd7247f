#pragma once
// A sheet over a dimmed window: it has the mouse and the keyboard until it is closed. One at a time is on top.
#include "app/ui/places/layout.h"

namespace convoscope::ui {

struct Modal {
  const char* id;  // "##open-sheet"
  const char* title;
  const char* mark;     // of its close button: "open-sheet-close"
  float width, height;  // at scale 1; less where the window is smaller
};

// Between these the sheet's content. `opening`: in its first frame. False in `open` when the cross was pressed.
void begin_modal(const Modal&, bool opening, bool* open);
void end_modal();

}  // namespace convoscope::ui
