#pragma once
// Times the same step of successive frames without waiting: as many timers as frames may be in flight, made once.
#include <array>
#include <memory>
#include <optional>

#include "kernels/compute/compute.h"

namespace convoscope {

class FrameTimers {
 public:
  explicit FrameTimers(Compute& compute) {
    for (auto& timer : timers_) timer = compute.make_timer();
  }

  void start(Stream stream) {
    if (count_ == timers_.size()) {  // nobody asked, or the device is far behind: the oldest goes untimed
      oldest_ = (oldest_ + 1) % timers_.size();
      --count_;
    }
    newest().start(stream);
  }
  void stop(Stream stream) {
    newest().stop(stream);
    ++count_;
  }

  // Every interval that the device has passed, once, oldest first; empty when none is new.
  std::optional<double> poll_ms() {
    if (count_ == 0) return std::nullopt;
    const std::optional<double> elapsed = timers_[oldest_]->poll_ms();
    if (elapsed) {
      oldest_ = (oldest_ + 1) % timers_.size();
      --count_;
    }
    return elapsed;
  }

 private:
  IntervalTimer& newest() { return *timers_[(oldest_ + count_) % timers_.size()]; }

  std::array<std::unique_ptr<IntervalTimer>, 8> timers_;
  std::size_t oldest_ = 0, count_ = 0;
};

}  // namespace convoscope
