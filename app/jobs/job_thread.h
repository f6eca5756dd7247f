#pragma once
// One job at a time on a thread of its own, which ends with the object that owns it. A job can be given up half way.
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace convoscope {

// All calls from one thread, the owner's.
class JobThread {
 public:
  // `on_end`: called by the thread after each job.
  explicit JobThread(std::function<void()> on_end = {})
      : on_end_(std::move(on_end)), thread_([this](const std::stop_token& end) { run(end); }) {}
  ~JobThread() { cancel(); }

  // Only while it is idle. The job asks kernels/threads/stop.h whether it is still wanted, and does not throw.
  void start(std::function<void()> job);
  bool idle() const;                                   // everything that the job wrote can be read
  void wait() const;                                   // until it is
  bool wait(std::chrono::milliseconds at_most) const;  // false: it is not yet
  void wait(const std::function<bool()>& stop);        // asked time and again: once it says so, the job is given up
  void cancel();  // asks the job to stop and waits until it has, which it does within milliseconds

 private:
  void run(const std::stop_token& end);

  const std::function<void()> on_end_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::function<void()> job_;  // until it is done
  std::stop_source stop_;      // of this job
  std::jthread thread_;        // last: it uses all of the above, and is joined before they go
};

}  // namespace convoscope
