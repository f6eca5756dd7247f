#pragma once
// Times one kind of interval every frame without ever waiting: as many timers as frames may be in flight.
#include <memory>
#include <optional>
#include <vector>

#include "kernels/compute/compute.h"
#include "kernels/measure/doubt.h"
#include "kernels/threads/thread_pool.h"

namespace convoscope {

class TimerRing {
 public:
  explicit TimerRing(Compute& compute, int depth = 8) {
    for (int i = 0; i < depth; ++i) slots_.push_back({compute.make_timer()});
  }

  // When every timer is still in flight the interval goes untimed. One that does not count is timed like any other, so
  // that nothing about the frame differs, and thrown away.
  void start(Stream stream, bool counts = true) {
    running_ = !slots_[next_].pending;
    if (!running_) return;
    slots_[next_].timer->start(stream);
    slots_[next_].counts = counts;
  }
  void stop(Stream stream) {
    if (!running_) return;
    slots_[next_].timer->stop(stream);
    slots_[next_].pending = true;
    next_ = (next_ + 1) % slots_.size();
  }

  // The interval just stopped counts after all.
  void count_last() {
    if (running_) slots_[(next_ + slots_.size() - 1) % slots_.size()].counts = true;
  }

  // The oldest interval that counts, that the device has finished and that was not returned before.
  std::optional<double> poll_ms() {
    for (std::size_t looked = 0; looked < slots_.size(); ++looked) {
      Slot& slot = slots_[oldest_];
      if (!slot.pending) return std::nullopt;
      const std::optional<double> milliseconds = slot.timer->poll_ms();
      if (!milliseconds) return std::nullopt;
      slot.pending = false;
      oldest_ = (oldest_ + 1) % slots_.size();
      disturbed_ = others_took_most(*milliseconds, slot.timer->use().value_or(ProcessorUse()), core_count());
      if (slot.counts) return milliseconds;
    }
    return std::nullopt;
  }

  // Whether other programs took most of the processor in the interval that poll_ms() returned last.
  bool disturbed() const { return disturbed_; }

  // What is in flight no longer counts: it belongs to something that has changed since.
  void disregard() {
    for (Slot& slot : slots_) slot.counts = false;
  }

 private:
  struct Slot {
    std::unique_ptr<IntervalTimer> timer;
    bool pending = false, counts = true;
  };
  std::vector<Slot> slots_;
  std::size_t next_ = 0, oldest_ = 0;
  bool running_ = false, disturbed_ = false;
};

}  // namespace convoscope
