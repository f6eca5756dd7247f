#include "app/end_of_patience.h"

#include <utility>

namespace convoscope {

EndOfPatience::EndOfPatience(const StopSignal& stop, std::chrono::milliseconds patience, std::function<void()> give_up)
    : signal_(stop),
      patience_(patience),
      give_up_(std::move(give_up)),
      watcher_([this](const std::stop_token& done) { watch(done); }) {}

void EndOfPatience::finishes(bool now) {
  const std::lock_guard lock(mutex_);
  finishes_ = now;
  ++changes_;
  changed_.notify_all();
}

void EndOfPatience::watch(const std::stop_token& done) {
  const std::stop_token signal = signal_.token();
  const std::stop_callback wake(signal, [this] {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, done, [&] { return signal.stop_requested(); });
  while (!done.stop_requested()) {
    const auto changed = [this, before = changes_] { return changes_ != before; };
    if (finishes_)
      changed_.wait(lock, done, changed);
    else if (!changed_.wait_for(lock, done, patience_, changed) && !done.stop_requested())
      return give_up_();
  }
}

}  // namespace convoscope
