#pragma once
// Where panes and pictures lie: arithmetic only.
#include "app/state/settings.h"

namespace convoscope {

struct Rectangle {
  float x = 0, y = 0, width = 0, height = 0;  // framebuffer pixels, top-left origin
};

struct Composition {
  View view = View::single;
  int active = 0;  // the pane of View::single
  Rectangle area;  // where the panes go, the panels excluded
  ZoomSettings zoom;
  double pixel_aspect = 1.0;
  SplitSettings split;
  DifferenceSettings difference;
  double seconds = 0, blink_seconds = 0.5;  // for View::blink
  float background[3] = {0.06f, 0.065f, 0.075f};
  float line_scale = 1;                    // of the divider and the frame: the display's content scale
  float accent[3] = {1.0f, 0.69f, 0.18f};  // of the frame round the active pane of View::grid
};

// Where pane `i` of `count` lies for a view (grid: its cell; every other view: the whole area), and where the picture
// lies within a pane's rectangle, also beyond it when magnified. Whole pixels, so that 1:1 shows every pixel as it is.
Rectangle pane_rectangle(const Composition&, int i, int count);
Rectangle picture_rectangle(const Rectangle& pane, const Composition&, int width, int height);
// The part of its rectangle that a pane shows: in View::split the box round its slice, else all of it; empty when the
// view hides it.
Rectangle visible_rectangle(const Composition&, int i, int count);
// Of View::split: the pixels with low ≤ x · right + y · down < high are the pane's.
struct Slice {
  float x = 1, y = 0, low = 0, high = 0;
  bool upright_or_level() const { return x == 0 || y == 0; }
};
Slice pane_slice(const Composition&, int i, int count);
// The pane that View::blink shows at `seconds`, each for `blink_seconds`.
int blinking_pane(double seconds, double blink_seconds, int count);

}  // namespace convoscope
