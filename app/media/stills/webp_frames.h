#pragma once
// The frames of an animated WebP file as its chunks tell them. libwebp skips a chunk that it does not know and gives up
// a file whose sizes are wrong; here what is lost is found, and so is what follows it.
#include <cstdint>
#include <span>
#include <vector>

namespace convoscope {

struct WebpFrame {
  int x = 0, y = 0, width = 0, height = 0;  // within the canvas, in pixels
  int milliseconds = 0;
  bool blends = false;                    // over what was there before, by its alpha; else it takes its place
  bool clears = false;                    // its place is transparent again before the next one
  std::span<const std::uint8_t> picture;  // its chunks, for libwebp; empty: it is lost
};

// In their order, within the file's bytes, none of them decoded yet. What the end of the file cuts off is not counted.
std::vector<WebpFrame> find_webp_frames(std::span<const std::uint8_t> file, int canvas_width, int canvas_height);

}  // namespace convoscope
