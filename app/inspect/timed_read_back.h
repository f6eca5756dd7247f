#pragma once
// What a frame costs to bring back, without an encoder behind it.
#include <memory>
#include <optional>

#include "app/gl/compositor/compositor.h"
#include "app/gl/gl_timer.h"

namespace convoscope {

class TimedReadBack {
 public:
  TimedReadBack(int width, int height) : ring_(ReadBack::make(width, height)), timer_(GlTimer::make()) {}

  // The frame just drawn; pixels that have arrived meanwhile are thrown away.
  void run(unsigned framebuffer) {
    while (ring_->take_pixels(pixels_, false)) continue;
    timer_->start();
    ring_->request(framebuffer, 0);
    timer_->stop();
  }
  std::optional<double> poll_ms() { return timer_->poll_ms(); }

 private:
  std::unique_ptr<ReadBack> ring_;
  std::unique_ptr<GlTimer> timer_;
  ReadBack::Pixels pixels_;
};

}  // namespace convoscope
