#pragma once
// What the panels remember between frames and nobody else needs: selections, half-typed texts, the history for undo.
// One window, one state; used by the thread that draws.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/state/momentary.h"
#include "app/state/settings.h"
#include "app/ui/memory/area.h"
#include "app/ui/memory/choice_history.h"
#include "app/ui/memory/file_dialogs.h"
#include "app/ui/memory/filter_history.h"
#include "app/ui/memory/held_row.h"
#include "app/ui/memory/item_rectangle.h"
#include "app/ui/memory/past_messages.h"
#include "kernels/contract/data/border.h"
#include "kernels/contract/strategy.h"

namespace convoscope::ui {

// Of a large filter: the first weight that is shown as a number, since a click there selected one.
struct DetailPlace {
  int column = 0, row = 0;
  int selected_column = 0, selected_row = 0;
};

// The grid of weights: which weight is selected, and whether keys and typed numbers go to it.
struct GridState {
  bool typed_into = false;  // W gave the keyboard to it, so that letters mean nothing else
  bool by_keys = false;     // since the mouse moved last: what is under it is not what is being worked on
  bool focused = false;
  bool reveal = false;      // a key has chosen a weight, which is to be scrolled into sight
  int drawn_in_frame = -1;  // a grid that is not on screen does not take keys
  int column = 0, row = 0;
  int width = 1, height = 1;  // of the filter when the selection was made
  int set = 0;                // 1: the second filter of an edge magnitude
  bool editing = false, start_editing = false, was_active = false, cursor_to_end = false, select_all = false;
  std::array<char, 48> text{};
  bool commit = false;  // a key ended the typing; the selection then moves by (dx, dy)
  int dx = 0, dy = 0;
  std::string remark;  // that it has the keyboard now; told once
  float dragged_from = 0, drag_step = 0;
  std::optional<DetailPlace> detail;  // until another weight is selected in another way
};

// Of a layer's bank: the filter whose weights are at hand, and whether a bias is the chosen map's alone.
struct BankChoice {
  int map = 0, channel = 0;
  bool own_bias = false;
};

// Of a layer that became depthwise: how many maps it had, and how many that made.
struct RoundedMaps {
  int wished = 0, maps = 0;
};

// What the mouse holds on the picture.
struct PictureDrag {
  enum class Kind { none, picture, pane, close, hide, fold, link, badge, wipe, wipe_turn } kind = Kind::none;
  int index = -1;          // of the pane, or of the wipe's line
  double x = 0, y = 0;     // of a wipe that turns: the point that stays; of a card: from its corner to the mouse
  double start_angle = 0;  // where the mouse was about that point, and what the split's angle was then
  double split_angle = 0;
  CardSettings card;   // of a pane that is dragged by its card, as it was before
  bool moves = false;  // a wipe's line has begun to
};

// The taps of one's own for sound, while they are typed.
struct SoundTapsField {
  static constexpr std::size_t most = 16384;  // characters
  std::vector<char> text;
  bool active = false;
  std::string why_not;      // why that is no filter; sentences
  SignalFilterSpec shown;   // that was in force then
  std::vector<float> kept;  // that were left for another kind
};

// The command palette: what is typed, and which of the commands it finds is chosen.
struct Palette {
  bool was_open = false;
  std::array<char, 256> text{};
  int chosen = 0;
  bool run = false, close = false;  // Enter, Escape was pressed
};

// The card that the mouse is over; it opens after a moment.
struct HoveredCard {
  int pane = 0;  // PaneSettings::id
  double since = 0;
  bool open = false;
  float x = 0, y = 0;  // of the mouse when it opened
};

// The control with a tooltip that was clicked last, while the mouse has not left it.
struct TooltipClick {
  ItemRectangle area;
  ImVec2 mouse;
  bool rests = false;
};

// The slider that was clicked last: a second click lets a number be typed, and means nothing by the first one.
struct SliderClick {
  unsigned int slider = 0;  // ImGui's id, or none
  double since = 0;         // in ImGui's time
  int frame = 0;            // ImGui's
  double before = 0;        // its value then
  double typed_over = 0;    // the value before the typing: Escape returns to it
  bool taken_back = false;  // in this frame: so is all that followed from its value
};

// The number that is typed over a control's: as it was typed, which may lie beyond what the control can be.
struct TypedNumber {
  unsigned int control = 0;  // ImGui's id, or none
  int frame = 0;             // in which it was typed into last
  double value = 0;
  bool refused = false;  // letters among it
  std::string remark;    // of what became of something else that was typed; told once
};

// What a key has changed, for a moment.
struct Feedback {
  std::string text;
  double since = 0;              // on the program's clock
  bool while_rendering = false;  // true of that time only
};

// The panel that the mouse was over in the last frame, and where it began; of what is scrolled.
struct PanelUnderMouse {
  std::string_view id;
  float top = 0;
  float moved = 0;    // in this frame, downwards
  bool left = false;  // by a key that has scrolled away from it, until the mouse moves
};

// How far the panels are scrolled, by workbench. It is known for sure how far they can be only in the next frame.
struct PanelScroll {
  std::string workbench;  // that was drawn last
  std::map<std::string, float> of;
  int frames_to_return = 0;
};

// What is in the middle of the column of panels: how far down which of them; none at the column's top. Where text gets
// larger or smaller it stays there. How high panels are then is known for sure only after they have been drawn twice.
struct PanelMiddle {
  std::string_view id;
  float share = 0, scale = 0;
  int frames_to_settle = 0;
};

// What was done to a pane that took its filter from it. One that is unlinked keeps its own.
struct PaneStep {
  enum class What { closed, linked } what = What::closed;
  PaneSettings pane;  // as it was before
  int position = 0;
  View view = View::single;   // likewise
  int first = 0, second = 1;  // of the difference, likewise
  std::uint64_t turn = 0;
  // These of a closed one as they were then: what is another one by now has been chosen since, and stays.
  View view_after = View::single;
  int first_after = 0, second_after = 1;
};

// A message that waits for an answer keeps its place: its buttons must not move from under the mouse.
struct KeptBox {
  Area area;
  int slot = 0;            // of its window
  bool drawn = false;      // in this frame
  int frames_crossed = 0;  // in which something else lies there
};

struct Binding;  // command_table.h

struct UiState {
  Momentary momentary;
  const Binding* held = nullptr;           // the key whose action lasts until it is let go
  std::string workbench;                   // that was shown last
  std::map<int, FilterHistory> histories;  // by PaneSettings::id; the linked panes have one together
  std::map<std::string, std::map<int, FilterHistory>, std::less<>> other_histories;  // of the other workbenches
  LayerHistory layer_history;                           // all panes of their workbench have the same layers
  SoundHistory sound_history;                           // the same in every workbench
  ChoiceHistory choice_history;                         // of this workbench
  std::vector<PaneStep> pane_steps, undone_pane_steps;  // in this workbench; the nearest at the back
  std::uint64_t turns = 0;                              // of looking at the histories, undoing and doing again
  GridState grid;
  SoundTapsField sound_taps;
  BankChoice bank_choice;
  RoundedMaps rounded_maps;
  std::string filter_error;  // of the last edit, told by a message
  // Ids of the parameters above the grid of weights, which an edit must not move.
  std::vector<std::string> parameter_rows{"rx", "ry"};
  std::string shown_source;  // the input that the text field was last filled from
  PathField open_field;
  FileBrowser browser;
  SaveDialog save;
  std::array<char, 120> recording_name{};
  bool naming_recordings = false;  // the field has the keyboard
  bool focus_open_field = false;
  std::map<std::string, double> shown_since;  // of messages, on the program's clock
  PastMessages past_messages;
  std::map<std::string, KeptBox> kept_boxes;          // by the names of their marks
  std::map<std::string, Area> told_places;            // likewise, of messages without a button, in the last frame
  std::map<std::string, Area> told_in_frame;          // the same, in this one
  std::set<std::string> dismissed;                    // messages the user has put away
  int messages_shown = 0;                             // in the last frame
  float messages_height = 0;                          // of them together, in pixels
  std::size_t messages_waiting = 0;                   // without a place, in the last frame
  bool dismiss_messages = false;                      // all that are shown
  std::map<int, std::string> strategy_before_source;  // by PaneSettings::id: what `U` returns to
  std::string shown_strategy;                         // that the ladder has scrolled to
  HoveredCard hovered_card;
  std::set<int> cards_without_room;  // to be open, in the last frame; by PaneSettings::id
  std::vector<Area> before_cards;    // what found its place before them in the last frame: they give way to it
  Area values_place;                 // of the pixel that is looked at, in this frame
  std::vector<Area> notice_places;   // of substitutes, in the last frame, as if no pixel were looked at
  TooltipClick tooltip_click;
  SliderClick slider_click;
  TypedNumber typed_number;
  bool learning_stopped = false;  // by a change that the layer does not fit, and that is not undone yet
  Feedback feedback;
  // A rendering: when Esc was pressed, on the program's clock. A second press cancels it, as one of Ctrl+Q quits.
  std::optional<double> cancel_asked, quit_asked;
  std::set<std::string_view> hinted_used;      // actions, by their keys, since the hint is there
  std::optional<double> hint_since;            // shown, on the program's clock
  double transport_until = 0;                  // the one that shows itself while the panels are hidden, in ImGui's time
  std::set<std::string> shown_panels;          // that were open in the last frame
  std::set<std::string_view> panels_in_sight;  // then
  std::string reveal_panel;                    // the one that is to be scrolled into sight
  int reveal_frames = 0;
  PanelUnderMouse panel_under_mouse;
  HeldRow held_row, held_strategy;  // of the column, of the list of strategies
  PanelScroll panel_scroll;
  PanelMiddle panel_middle;
  PictureDrag drag;  // what a press of the mouse on the picture took hold of
  Palette palette;
  std::string page;  // that was open in the last frame
  std::array<char, 128> help_search{};
  bool reset_asked = false;    // the page of settings waits for yes or no
  bool notices_again = false;  // they are to be shown again: it says so until it closes
  bool ask_for_reset = false;  // once it is open
  bool reveal_source = false;  // open the source panel in the next frame

  // Strategies that cannot run the problem at hand, with reasons; made anew when the problem changes.
  struct Fitness {
    bool valid = false;
    std::string workbench, ladder_is_of;
    Filter filter;
    LayerSettings layer;  // of a pane that has no filter of its own
    std::optional<Precision> precision;
    int frames = 0, width = 0, height = 0;
    PixelFormat format = PixelFormat::rgba8;
    Border border = Border::replicate;
    std::string device;
    int libraries = 0;                 // that were known
    std::vector<std::string> reasons;  // by row of the ladder
  } fitness;

  // What changed together is undone together.
  static constexpr int linked_panes = -1;
  FilterHistory& history(const PaneSettings& pane) { return histories[pane.linked ? linked_panes : pane.id]; }

  bool sweep_was_open = false;  // in the frame before
  double draw_again_in = 0;     // seconds: something that was drawn changes by itself then
};

UiState& ui_state();
inline Momentary& momentary() { return ui_state().momentary; }
// Momentary::flick_pane, where there is such a pane: a workbench that has just been shown may have fewer.
inline int flick_pane(const Settings& settings) {
  const int flick = momentary().flick_pane;
  return flick < static_cast<int>(settings.group().panes.size()) ? flick : flick_none;
}
void draw_again_in(double seconds);  // the soonest counts
// What a key has changed, for a moment on the screen; nothing when empty. `now`: the program's clock.
void give_feedback(const std::string& text, double now);
// Of what begins to fade in so many seconds, or has begun.
inline double until_faded_further(double seconds) { return std::max(seconds, 0.1); }
BankChoice bank_choice(const Filter& bank);  // within it
void reset_ui_state();

}  // namespace convoscope::ui
