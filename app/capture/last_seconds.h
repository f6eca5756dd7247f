#pragma once
// Small pictures of the last seconds of the view, kept in a ring for a short animation.
#include <cstdint>
#include <deque>
#include <memory>
#include <span>

#include "app/gl/compositor/compositor.h"
#include "app/gl/compositor/picture_tap.h"
#include "app/media/write/animation.h"

namespace convoscope {

// All calls with the context current. At most 48 MB: 63 pictures of up to 172 800 pixels.
class LastSeconds {
 public:
  LastSeconds();  // throws Error when a shader does not compile
  // Keeps the picture of this moment when the last one kept is old enough. `seconds`: of a clock that never stops.
  void take_picture(double seconds, std::span<const PaneTexture>, Composition);
  Animation release();     // what is kept, oldest first; keeping begins anew
  double seconds() const;  // from the first to the last picture
  std::int64_t bytes() const;

 private:
  void fit(const Rectangle& area);
  void collect();

  std::unique_ptr<PictureTap> tap_;
  std::unique_ptr<Compositor> compositor_;
  int width_ = 0, height_ = 0;
  PicturePlanes planes_;
  float shown_width_ = 0, shown_height_ = 0;  // of the area that the size was made for
  std::deque<AnimationFrame> frames_;
  double next_ = 0;
};

}  // namespace convoscope
