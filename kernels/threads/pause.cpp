#include "kernels/threads/pause.h"

namespace convoscope {

void Pause::begin() {
  const std::lock_guard lock(mutex_);
  on_ = true;
}

void Pause::end() {
  const std::lock_guard lock(mutex_);
  if (still_since_) lasted_ += std::chrono::steady_clock::now() - *still_since_;
  still_since_.reset();
  on_ = false;
  ended_.notify_all();
}

void Pause::wait(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (on_ && !still_since_) still_since_ = std::chrono::steady_clock::now();
  ended_.wait(lock, stop, [this] { return !on_; });
}

Pause::Duration Pause::lasted() const {
  const std::lock_guard lock(mutex_);
  return lasted_;
}

}  // namespace convoscope
