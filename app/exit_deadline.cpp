#include "app/exit_deadline.h"

#include <pthread.h>

#include <utility>

namespace convoscope {

ExitDeadline::ExitDeadline(const StopSignal& stop, Limits limits, std::function<void()> give_up)
    : signal_(stop), limits_(limits), give_up_(std::move(give_up)) {
  pthread_getcpuclockid(pthread_self(), &clock_);
  watcher_ = std::jthread([this](const std::stop_token& done) { watch(done); });
}

void ExitDeadline::finishes(bool now) {
  const std::lock_guard lock(mutex_);
  finishes_ = now;
  ++changes_;
  changed_.notify_all();
}

std::chrono::nanoseconds ExitDeadline::computed() const {
  timespec time{};
  clock_gettime(clock_, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

void ExitDeadline::watch(const std::stop_token& done) {
  const std::stop_token signal = signal_.token();
  const std::stop_callback wake(signal, [this] {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, done, [&] { return signal.stop_requested(); });
  while (!done.stop_requested()) {
    const auto changed = [this, before = changes_] { return changes_ != before; };
    if (finishes_) {
      changed_.wait(lock, done, changed);
      continue;
    }
    const auto end = std::chrono::steady_clock::now() + limits_.most;
    std::chrono::nanoseconds by_now = computed();
    while (!changed_.wait_for(lock, done, limits_.patience, changed) && !done.stop_requested()) {
      const bool answers = computed() != by_now;
      if (!answers || std::chrono::steady_clock::now() >= end) return give_up_();
      by_now = computed();
    }
  }
}

}  // namespace convoscope
