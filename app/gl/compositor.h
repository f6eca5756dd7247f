#pragma once
// Draws the panes' textures into the framebuffer. Knows nothing of strategies: textures, rectangles, a view.
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "app/gl/interop.h"
#include "app/settings.h"

namespace convoscope {

struct Rectangle {
  float x = 0, y = 0, width = 0, height = 0;  // framebuffer pixels, top-left origin
};

struct Composition {
  View view = View::single;
  int active = 0;                 // the pane of View::single
  Rectangle area;                 // where the panes go, the panels excluded
  ZoomSettings zoom;
  double pixel_aspect = 1.0;
  float split = 0.5f;             // where the wipe stands, 0…1 of the area
  float difference_gain = 4.0f;
  double seconds = 0;             // for View::blink
  float background[3] = {0.06f, 0.065f, 0.075f};
};

class Compositor {
 public:
  static std::unique_ptr<Compositor> make();  // throws Error when a shader does not compile
  virtual ~Compositor() = default;
  virtual void draw(std::span<const PaneTexture>, const Composition&) = 0;  // into the bound framebuffer
  virtual std::optional<double> poll_ms() = 0;  // GL time of the newest finished draw
};

// Where pane `i` of `count` lies for a view, and where the picture lies within a pane's rectangle.
Rectangle pane_rectangle(const Composition&, int i, int count);
Rectangle picture_rectangle(const Rectangle& pane, const Composition&, int width, int height);

// Reads the framebuffer back: `request` starts a copy into a pixel buffer, `take` returns it frames later without
// waiting (wait = true: the oldest one, waiting for it). Rows are returned top first, rgba.
class ReadBack {
 public:
  static std::unique_ptr<ReadBack> make(int width, int height);
  virtual ~ReadBack() = default;
  virtual bool request(unsigned framebuffer, double seconds) = 0;  // false: all buffers are still in flight
  struct Pixels {
    std::vector<unsigned char> rgba;
    int width = 0, height = 0;
    double seconds = 0;
  };
  virtual bool take(Pixels&, bool wait) = 0;
};

}  // namespace convoscope
