#pragma once
// Lets long work stand still while something short is done: see stop.h, through which the work looks at it.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>

namespace convoscope {

class Pause {
 public:
  using Duration = std::chrono::steady_clock::duration;

  void begin();
  void end();
  bool is_on() const { return on_.load(std::memory_order_acquire); }
  void wait(const std::stop_token&);  // until it ends, or the work is not wanted any more
  // How long they have lasted in all: each from when the first of the work's threads stood still.
  Duration lasted() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any ended_;
  std::atomic<bool> on_ = false;
  std::optional<std::chrono::steady_clock::time_point> still_since_;
  Duration lasted_{};
};

}  // namespace convoscope
