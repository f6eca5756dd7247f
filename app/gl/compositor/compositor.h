#pragma once
// Draws the panes' textures into the framebuffer. Knows nothing of strategies: textures, rectangles, a view.
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "app/gl/compositor/layout.h"
#include "app/gl/interop/interop.h"

namespace convoscope {

class Compositor {
 public:
  static std::unique_ptr<Compositor> make();  // throws Error when a shader does not compile
  virtual ~Compositor() = default;
  // Into the bound framebuffer, whose size is the viewport's. Clears all of it to the background first. Shows what
  // there is: no panes, nothing; a difference of one pane, that pane.
  virtual void draw(std::span<const PaneTexture>, const Composition&) = 0;
  virtual std::optional<double> poll_ms() = 0;  // GL time of the newest finished draw
};

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
  virtual bool take_pixels(Pixels&, bool wait) = 0;  // false: nothing requested, or (without wait) not there yet
};

}  // namespace convoscope
