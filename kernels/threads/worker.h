#pragma once
// One thread and the tasks that wait for it.
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "kernels/threads/uninterrupted.h"

namespace convoscope {

class Worker {
 public:
  using Task = std::function<void(const std::stop_token&)>;  // must not throw; looks at the token when it takes long

  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { end(); }

  // From any thread, also from a task. The thread starts with the first of them.
  void add(Task task) { put(std::move(task), false); }
  void add_first(Task task) { put(std::move(task), true); }

  // Asks the task at hand to stop and waits for it; those that still wait are dropped, and so is what comes later.
  // Not from a task.
  void end() {
    std::deque<Task> dropped;  // destroyed without the lock: who knows what they own
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      dropped.swap(waiting_);
      thread_.request_stop();
    }
    if (thread_.joinable()) thread_.join();
  }

 private:
  void put(Task task, bool first) {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    first ? waiting_.push_front(std::move(task)) : waiting_.push_back(std::move(task));
    wake_.notify_one();
  }
  void run(const std::stop_token& stop) {
    const Uninterrupted here;  // CUDA libraries are opened and at work here
    while (true) {
      Task task;
      {
        std::unique_lock lock(mutex_);
        if (!wake_.wait(lock, stop, [this] { return !waiting_.empty(); })) return;
        task = std::move(waiting_.front());
        waiting_.pop_front();
      }
      task(stop);
    }
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<Task> waiting_;
  bool ended_ = false;
  std::jthread thread_;  // last: it uses all of the above, and is joined before they go
};

}  // namespace convoscope
