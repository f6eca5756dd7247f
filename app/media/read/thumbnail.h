#pragma once
// A small picture of what a file shows.
#include <cstdint>
#include <string>
#include <vector>

#include "app/media/ffmpeg/interrupt.h"

namespace convoscope {

struct ThumbnailPixels {
  int width = 0, height = 0;  // 0: the file shows no picture
  std::vector<std::uint8_t> rgba;
};

// Within width × height, upright, with square pixels: a still picture, or a key frame some way into a video. Takes as
// long as it takes, on one core; nothing comes of it when it is interrupted.
ThumbnailPixels make_thumbnail(const std::string& path, int width, int height, Interrupt&);

}  // namespace convoscope
