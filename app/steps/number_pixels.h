#pragma once
// Numbers are filtered as they are: while a source of them plays, pixels are gray32f, which hold any number. What the
// user had before comes back with the next source of pictures, unless it was changed meanwhile.
#include <optional>
#include <utility>

#include "app/state/settings.h"
#include "app/steps/message_poster.h"
#include "kernels/convert/video_frame.h"

namespace convoscope {

class NumberPixels {
 public:
  // When a source begins to play, before its first frame is converted.
  void follow(const VideoFormat& format, Settings& settings, const MessagePoster& poster) {
    settings.layer.stacked = format.stacked;
    if (format.layout != PlaneLayout::numbers) {
      const std::optional<PixelFormat> before = std::exchange(before_, std::nullopt);
      if (before && settings.format == PixelFormat::gray32f) settings.format = *before;
      return;
    }
    if (settings.format == PixelFormat::gray32f) return;
    before_ = std::exchange(settings.format, PixelFormat::gray32f);
    poster.post(MessageLevel::information,
                "Numbers are filtered as they are, as float32. M rounds them to code values from 0 to 255.", "numbers");
  }

 private:
  std::optional<PixelFormat> before_;
};

}  // namespace convoscope
