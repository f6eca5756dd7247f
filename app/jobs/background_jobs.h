#pragma once
// Work that would hold a frame up, one after another on a thread of its own: compressing and writing pictures.
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "app/files/shortage.h"
#include "kernels/text/error.h"

namespace convoscope {

class BackgroundJobs {
 public:
  struct Outcome {
    bool failed = false;
    std::string text;
    std::string file{};  // that was saved
  };
  // What to tell, and of which file.
  struct Done {
    std::string text, file;
    Done(std::string said, std::string saved = {}) : text(std::move(said)), file(std::move(saved)) {}  // NOLINT
  };
  using Job = std::function<Done()>;  // throws Error

  ~BackgroundJobs() { finish(); }

  // Whether there are few enough for another one, whose pictures stay in memory until it is done. `coming`: that are to
  // be started soon, and keep theirs already.
  static constexpr std::size_t most_with_pictures = 8;
  bool has_room(std::size_t coming = 0) const {
    const std::lock_guard lock(mutex_);
    return jobs_.size() + at_work_ + coming < most_with_pictures;
  }
  void start(Job job) {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) thread_ = std::jthread([this] { run(); });
    jobs_.push_back(std::move(job));
    changed_.notify_all();
  }
  std::optional<Outcome> poll() {
    const std::lock_guard lock(mutex_);
    if (outcomes_.empty()) return {};
    Outcome first = std::move(outcomes_.front());
    outcomes_.pop_front();
    return first;
  }
  void finish() {  // all of them
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
    const std::lock_guard lock(mutex_);
    closing_ = false;
  }

 private:
  void run() {
    while (true) {
      Job job;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !jobs_.empty() || closing_; });
        if (jobs_.empty()) return;
        job = std::move(jobs_.front());
        jobs_.pop_front();
        at_work_ = true;
      }
      Outcome outcome;
      try {
        Done done = job();
        outcome = {false, std::move(done.text), std::move(done.file)};
      } catch (const std::exception& error) {
        outcome = {true, why_failed(error)};
      }
      const std::lock_guard lock(mutex_);
      outcomes_.push_back(std::move(outcome));
      at_work_ = false;
    }
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::deque<Outcome> outcomes_;
  bool at_work_ = false, closing_ = false;
  std::jthread thread_;  // from the first job to finish(), which joins it; last: it uses all of the above
};

}  // namespace convoscope
