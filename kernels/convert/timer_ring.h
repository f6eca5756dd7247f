#pragma once
// Times the same stage of successive frames without waiting: as many timers as frames may be in flight, made once.
#include <array>
#include <memory>
#include <optional>

#include "kernels/compute.h"

namespace convoscope {

class TimerRing {
 public:
  explicit TimerRing(Compute& compute) {
    for (auto& slot : slots_) slot.timer = compute.make_timer();
  }

  void start(Stream stream) {
    next_ = (next_ + 1) % slots_.size();
    Slot& slot = slots_[next_];
    slot.used = true;  // a frame still pending here, eight frames later, goes untimed
    slot.timer->start(stream);
  }
  void stop(Stream stream) { slots_[next_].timer->stop(stream); }

  // Of the newest interval that the device has passed; empty before the first.
  std::optional<double> poll_ms() {
    for (std::size_t age = 0; age < slots_.size(); ++age) {
      Slot& slot = slots_[(next_ + slots_.size() - age) % slots_.size()];
      if (!slot.used) continue;
      if (const auto elapsed = slot.timer->poll_ms()) {
        latest_ = elapsed;
        break;
      }
    }
    return latest_;
  }

 private:
  struct Slot {
    std::unique_ptr<IntervalTimer> timer;
    bool used = false;
  };
  std::array<Slot, 8> slots_;
  std::size_t next_ = 0;
  std::optional<double> latest_;
};

}  // namespace convoscope
