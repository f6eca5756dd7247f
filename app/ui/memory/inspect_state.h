#pragma once
// What looking closely at a pixel remembers between frames.
#include <optional>

#include "app/state/settings.h"

namespace convoscope::ui {

// Made by opening the explanation or within it, and for that alone: it goes with the sheet.
struct SheetPin {
  std::optional<PixelAddress> pixel, before;  // before: what the user had pinned
};

// What the inspection's parts remember between frames.
struct InspectState {
  int magnifier_cells = 15;  // 15: as much as there is; 7: with the values written into the cells
  int channel = 0;           // of the explanation
  int step = -1;             // kernel that is drawn; −1: the last that reads the picture
  bool pressed = false;      // a press of the mouse on the picture that may become a click
  std::optional<SheetPin> sheet_pin;
  // The pinned pixel whose card found no place beside the difference's and the scopes, and the size of the stage then.
  struct Unplaced {
    std::optional<PixelAddress> pixel;
    float width = 0, height = 0;
    bool operator==(const Unplaced&) const = default;
  } unplaced;
};
InspectState& inspect_state();

}  // namespace convoscope::ui
