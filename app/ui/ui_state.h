#pragma once
// What the panels remember between frames and nobody else needs: selections, half-typed texts, the history for undo.
// One window, one state; used by the thread that draws.
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/settings.h"
#include "app/ui/filter_history.h"
#include "kernels/border.h"
#include "kernels/strategy.h"

namespace convoscope::ui {

// The grid of weights: which weight is selected, and whether keys and typed numbers go to it.
struct GridState {
  bool focused = false;
  int drawn_in_frame = -1;  // a grid that is not on screen does not take keys
  int column = 0, row = 0;
  int width = 1, height = 1;  // of the filter when the selection was made
  int set = 0;                // 1: the second filter of an edge magnitude
  bool editing = false, start_editing = false, was_active = false, cursor_to_end = false;
  std::array<char, 48> text{};
  bool commit = false;  // a key ended the typing; the selection then moves by (dx, dy)
  int dx = 0, dy = 0;
  float dragged_from = 0, drag_step = 0;
};

// What the mouse holds on the picture.
struct Grip {
  enum class Kind { none, picture, pane, close, link, badge, wipe, wipe_turn } kind = Kind::none;
  int index = -1;          // of the pane, or of the wipe's line
  double x = 0, y = 0;     // of a wipe that turns: the point that stays
  double start_angle = 0;  // where the mouse was about that point, and what the split's angle was then
  double split_angle = 0;
};

// The command palette: what is typed, and which of the commands it finds is chosen.
struct Palette {
  bool was_open = false;
  std::array<char, 256> text{};
  int chosen = 0;
  bool run = false, close = false;  // Enter, Escape was pressed
};

struct Binding;  // key_table.h

struct UiState {
  const Binding* held = nullptr;           // the key whose action lasts until it is let go
  std::map<int, FilterHistory> histories;  // by PaneSettings::id
  GridState grid;
  std::string filter_error;  // of the last edit, shown under the grid
  std::string shown_source;  // the input that the text field was last filled from
  std::array<char, 4096> open_text{}, filter_path{};
  std::array<char, 4096> sweep_path{};
  bool focus_sweep_path = false;
  bool focus_open_field = false, focus_filter_path = false;
  std::set<std::string> dismissed;                    // notices and messages the user has put away
  std::map<int, std::string> strategy_before_source;  // by PaneSettings::id: what `U` returns to
  std::string shown_strategy;                         // that the ladder has scrolled to
  Grip grip;                                          // what a press of the mouse on the picture took hold of
  Palette palette;
  bool help_open = false;      // in the last frame
  bool reveal_source = false;  // open the source panel in the next frame

  // Strategies that cannot run the problem at hand, with reasons; made anew when the problem changes.
  struct Fitness {
    bool valid = false;
    Filter filter;
    int width = 0, height = 0;
    PixelFormat format = PixelFormat::rgba8;
    Border border = Border::replicate;
    std::string device;
    std::vector<std::string> reasons;  // by row of the ladder
  } fitness;

  FilterHistory& history(const PaneSettings& pane) { return histories[pane.id]; }
};

UiState& ui_state();
void reset_ui_state();

}  // namespace convoscope::ui
