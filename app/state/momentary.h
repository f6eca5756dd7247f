#pragma once
// What is held down, open or running at the moment: it ends with the program, and no session keeps it.

namespace convoscope {

// Momentary::flick_pane: nothing held, the unfiltered picture, the difference that View::difference would show.
inline constexpr int flick_none = -1, flick_source = -2, flick_difference = -3;

struct Momentary {
  int flick_pane = flick_none;  // position of the pane that is shown alone while its key is held, or one of flick_…
  bool show_help = false;       // the page of all keys
  bool show_palette = false;    // of commands
  bool show_settings = false;   // the page of them
  bool show_messages = false;   // the page of what was said before
  bool learning = false;        // the layer, as the user wants it
  int sweep_shown = 0;          // position in what was measured: of the numbers that lie along no axis
};

}  // namespace convoscope
