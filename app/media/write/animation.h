#pragma once
// Short animations: GIF with a palette of its own, WebP where this FFmpeg has libwebp.
#include <cstdint>
#include <string>
#include <vector>

namespace convoscope {

struct AnimationFrame {
  std::vector<std::uint8_t> bgra;  // top row first, no gaps
  double seconds = 0;              // ascending
};

struct Animation {
  int width = 0, height = 0;
  std::vector<AnimationFrame> frames;
};

// .gif or .webp, repeated for ever. Takes seconds. Throws Error; what was written is then removed.
void write_animation(const std::string& path, const Animation&);

}  // namespace convoscope
