#pragma once
// Where panes and pictures lie: arithmetic only.
#include <array>

#include "app/state/settings.h"
#include "kernels/convert/wall.h"

namespace convoscope {

struct Rectangle {
  float x = 0, y = 0, width = 0, height = 0;  // framebuffer pixels, top-left origin
};

// What of a picture is shown, in shares of it, and whether its pixels are the values that it shows: then lines part
// them where they are strongly magnified.
struct PictureLook {
  Rectangle part{0, 0, 1, 1};
  bool pixels = true;
  bool operator==(const PictureLook& other) const {
    return part.x == other.part.x && part.y == other.part.y && part.width == other.part.width &&
           part.height == other.part.height && pixels == other.pixels;
  }
};
PictureLook look_of(const Wall&);  // its maps, without what lies around them

struct Composition {
  View view = View::single;
  int active = 0;  // the pane of View::single
  Rectangle area;  // where the panes go, the panels excluded
  ZoomSettings zoom;
  bool has_alpha = false;  // the pictures' alpha says how much of them is seen; else it is carried and never shown
  double pixel_aspect = 1.0;
  double picture_aspect = 16.0 / 9;  // width by height, as it is shown
  SplitSettings split;
  DifferenceSettings difference;
  bool difference_shown = true;             // false: the stage of View::difference is empty
  double seconds = 0, blink_seconds = 0.5;  // for View::blink
  float background[3] = {0.06f, 0.065f, 0.075f};
  float line_scale = 1;                          // of the divider and the frame: the display's content scale
  std::array<PictureLook, max_panes + 1> looks;  // of the panes' pictures, and of the source behind them
  float accent[3] = {1.0f, 0.69f, 0.18f};        // of the frame round the active pane of View::grid
  bool frames_active = true;                     // false: that frame is of the window and not of the picture
};

// Where pane `i` of `count` lies for a view (grid: its cell; every other view: the whole area), and where the picture
// lies within a pane's rectangle, also beyond it when magnified. Whole pixels, so that 1:1 shows every pixel as it is.
Rectangle pane_rectangle(const Composition&, int i, int count);
Rectangle picture_rectangle(const Rectangle& pane, const Composition&, int width, int height);
// Where the picture lies in the whole area when it is not magnified: what the lines of View::split part.
Rectangle fitted_rectangle(const Composition&);
// The part of its rectangle that a pane shows: in View::split the box round its slice, else all of it; empty when the
// view hides it.
Rectangle visible_rectangle(const Composition&, int i, int count);
// Of View::split: the pixels with low ≤ x · right + y · down < high are the pane's.
struct Slice {
  float x = 1, y = 0, low = 0, high = 0;
  bool upright_or_level() const { return x == 0 || y == 0; }
};
Slice pane_slice(const Composition&, int i, int count);
int pane_at(const Composition&, int count, float x, float y);  // that shows this point; −1: none
// The pane that View::blink shows at `seconds`, each for `blink_seconds`.
int blinking_pane(double seconds, double blink_seconds, int count);

}  // namespace convoscope
