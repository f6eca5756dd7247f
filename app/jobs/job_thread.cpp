#include "app/jobs/job_thread.h"

#include <utility>

#include "kernels/threads/stop.h"

namespace convoscope {
namespace {

constexpr auto look_for_stop = std::chrono::milliseconds(20);

}  // namespace

void JobThread::start(std::function<void()> job) {
  const std::lock_guard lock(mutex_);
  job_ = std::move(job);
  stop_ = std::stop_source();
  changed_.notify_all();
}

bool JobThread::idle() const {
  const std::lock_guard lock(mutex_);
  return !job_;
}

void JobThread::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !job_; });
}

bool JobThread::wait(std::chrono::milliseconds at_most) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, at_most, [this] { return !job_; });
}

void JobThread::wait(const std::function<bool()>& stop) {
  do
    if (stop && stop()) return cancel();
  while (!wait(look_for_stop));
}

void JobThread::cancel() {
  std::unique_lock lock(mutex_);
  stop_.request_stop();
  changed_.wait(lock, [this] { return !job_; });
}

void JobThread::run(const std::stop_token& end) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, end, [this] { return static_cast<bool>(job_); })) {
    {
      const StopScope scope(stop_.get_token());
      lock.unlock();
      job_();
    }
    lock.lock();
    job_ = nullptr;
    changed_.notify_all();
    lock.unlock();
    if (on_end_) on_end_();
    lock.lock();
  }
}

}  // namespace convoscope
