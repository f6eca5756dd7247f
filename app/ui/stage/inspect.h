#pragma once
// Looking closely: the magnifier, pixel values, histogram and vectorscope, and how the pinned pixel was made.
#include <imgui.h>

#include <optional>

#include "app/ui/stage/layout.h"
#include "app/ui/story/story_sum.h"
#include "app/ui/ui.h"

namespace convoscope::ui {

// Made by opening the explanation or within it, and for that alone: it goes with the sheet.
struct SheetPin {
  std::optional<PixelAddress> pixel, before;  // before: what the user had pinned
};

// What the inspection's parts remember between frames.
struct InspectState {
  int magnifier_cells = 15;  // 15: as much as there is; 7: with the values written into the cells
  int channel = 0;           // of the explanation
  KeptStorySum sum;          // the explanation's
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

// The first is drawn over the picture, behind the windows; the second is a sheet.
void draw_inspection(const Stats&, const Settings&, const UiLayout&);
// What is pinned was asked for: where there is no room for all, its card finds its place before the others.
bool inspection_comes_first(const Settings&, const UiLayout&);
void draw_story_window(const Stats&, Settings&, const Area& sheet);
void draw_sound_card(const Stats&, const Settings&, const Area& stage);
void draw_scopes(const Stats&, const Settings&, const Area& picture);
void draw_story_areas(const Stats&, const Settings&, const UiLayout&);

// While something of all this is on, a click on the picture pins its pixel; one on a card does not. A second one lets
// go of it, unless it is explained.
void pin_by_click(const Stats&, Settings&, const UiLayout&);
// Between two feature maps nothing was computed: what is explained stays what is pinned.
bool keeps_explained_pin(const Stats&, const Settings&);
void toggle_pin(const Stats&, Settings&);        // pins the pixel under the cursor, also instead of another one
void pin_under_cursor(const Stats&, Settings&);  // instead of another one; its pane becomes the active one
// Opens the explanation; without a pixel it asks for a click. What it pins is unpinned when the sheet is closed.
void explain_pixel(const std::optional<PixelAddress>&, Settings&);
void follow_explanation(Settings&);  // once a frame

// Where pixels of a pane's picture lie on screen; empty when it is not known.
Area on_screen(const UiLayout&, const Stats&, int pane, const PixelArea&);
std::string pane_title(const Stats&, const Settings&, int pane);

}  // namespace convoscope::ui
