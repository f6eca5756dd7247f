#pragma once
// What the frames of an animated WebP are drawn on, one over the other.
#include <cstdint>
#include <span>
#include <vector>

#include "app/media/stills/still.h"
#include "app/media/stills/webp_frames.h"

namespace convoscope {

class WebpCanvas {
 public:
  // In pixels, transparent. `input` outlives it.
  WebpCanvas(int width, int height, const StillInput& input);

  enum class Drawn { whole, damaged, not_at_all };
  // Draws the next frame. One that is not drawn, as it is lost or as it was asked to stop, leaves the canvas as it was.
  Drawn draw(const WebpFrame&);
  std::span<const std::uint8_t> row(int y) const;  // four bytes a pixel, not multiplied by alpha

 private:
  Drawn decode(const WebpFrame&);
  void place(const WebpFrame&);
  void clear(const WebpFrame&);
  const StillInput& input_;
  const int width_;
  std::vector<std::uint8_t> canvas_, picture_;  // rgba; that of the whole, and of the frame
  WebpFrame last_;
};

}  // namespace convoscope
