#pragma once
// Draws the panes' textures into the framebuffer. Knows nothing of strategies: textures, rectangles, a view.
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "app/gl/interop.h"
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

class Compositor {
 public:
  static std::unique_ptr<Compositor> make();  // throws Error when a shader does not compile
  virtual ~Compositor() = default;
  // Into the bound framebuffer, whose size is the viewport's. Clears all of it to the background first. Shows what
  // there is: no panes, nothing; a difference of one pane, that pane.
  virtual void draw(std::span<const PaneTexture>, const Composition&) = 0;
  virtual std::optional<double> poll_ms() = 0;  // GL time of the newest finished draw
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

// Reads the framebuffer back: `request` starts a copy into a pixel buffer, `take` returns it frames later without
// waiting (wait = true: the oldest one, waiting for it). Rows are returned top first, rgba.
class ReadBack {
 public:
  static std::unique_ptr<ReadBack> make(int width, int height);
  virtual ~ReadBack() = default;
  virtual bool request(unsigned framebuffer, double seconds) = 0;  // false: all (four) buffers are still in flight
  struct Pixels {
    std::vector<unsigned char> rgba;
    int width = 0, height = 0;
    double seconds = 0;
  };
  virtual bool take(Pixels&, bool wait) = 0;  // false: nothing requested, or (without wait) not there yet
};

}  // namespace convoscope
