#pragma once
// A file's pictures through three steps, each on a thread of its own, in order: one picture is read while those before
// it are filtered and written. What comes out is what one after the other would give.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "app/media/whole/step_queue.h"

namespace convoscope {

// Of a run, in seconds: how long the steps have waited for one another. The step that has hardly waited sets the pace.
struct RunTimes {
  double all = 0;
  double read_held_up = 0;                        // by filtering
  double filter_starved = 0, filter_held_up = 0;  // of what is read; by writing
  double write_starved = 0;                       // of what is filtered
  std::int64_t written = 0;
};

template <class Read, class Filtered>
struct RunSteps {
  std::function<bool(Read&)> read;                       // on the calling thread; false: the end, or stopped
  std::function<std::optional<Filtered>(Read&)> filter;  // empty: given up
  // May return before the picture that it was given is there; it is the next step that waits for it.
  std::function<double(Filtered&)> write;               // how much of its time was such waiting, in seconds
  std::function<bool()> stopped;                        // whether what has been read and filtered is to be dropped
  std::function<void(std::int64_t written)> meanwhile;  // on the calling thread, now and then
};

// Room between two steps, in pictures: so many are ready when the next step asks, beside the one under way.
inline constexpr std::size_t most_ahead = 2;

// Throws what a step threw, once those before it have gone all the way: of several, that of the earliest picture.
template <class Read, class Filtered>
class WholeRun {
 public:
  explicit WholeRun(RunSteps<Read, Filtered> steps, std::size_t ahead = most_ahead)
      : steps_(std::move(steps)), read_(ahead), filtered_(ahead) {}
  WholeRun(const WholeRun&) = delete;
  WholeRun& operator=(const WholeRun&) = delete;

  RunTimes run() {
    const Clock::time_point start = Clock::now();
    {
      const std::jthread filters([this] { filter_all(); });
      const std::jthread writes = start_writing();
      read_all();
      wait_for_writer();
    }
    for (const std::exception_ptr& error : {write_error_, filter_error_, read_error_})
      if (error) std::rethrow_exception(error);
    return {.all = std::chrono::duration<double>(Clock::now() - start).count(),
            .read_held_up = read_.held_up(),
            .filter_starved = read_.starved(),
            .filter_held_up = filtered_.held_up(),
            .write_starved = filtered_.starved() + waited_,
            .written = written_};
  }
  std::int64_t written() const { return written_; }  // also after run() threw

 private:
  using Clock = std::chrono::steady_clock;

  std::jthread start_writing() {
    try {
      return std::jthread([this] { write_all(); });
    } catch (...) {  // no more threads: the other one is not to be waited for
      read_.abort();
      filtered_.abort();
      throw;
    }
  }

  void read_all() {
    try {
      for (;;) {
        Read next;
        if (!steps_.read(next) || !read_.push(std::move(next), [this] { steps_.meanwhile(written_); })) break;
        steps_.meanwhile(written_);
      }
    } catch (...) {
      read_error_ = std::current_exception();
    }
    if (!steps_.stopped()) return read_.end();
    read_.abort();
    filtered_.abort();
  }

  void filter_all() {
    try {
      while (std::optional<Read> next = read_.pop()) {
        std::optional<Filtered> filtered = steps_.filter(*next);
        next.reset();
        if (!filtered || !filtered_.push(std::move(*filtered))) break;
      }
    } catch (...) {
      filter_error_ = std::current_exception();
    }
    read_.abort();
    filtered_.end();
  }

  void write_all() {
    try {
      while (std::optional<Filtered> next = filtered_.pop()) {
        waited_ += steps_.write(*next);
        ++written_;
      }
    } catch (...) {
      write_error_ = std::current_exception();
    }
    filtered_.abort();
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }

  void wait_for_writer() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::milliseconds(100), [this] { return done_; })) {
      lock.unlock();
      if (steps_.stopped()) {
        read_.abort();
        filtered_.abort();
      }
      try {
        steps_.meanwhile(written_);
      } catch (...) {
        if (!read_error_) read_error_ = std::current_exception();
      }
      lock.lock();
    }
  }

  const RunSteps<Read, Filtered> steps_;
  StepQueue<Read> read_;
  StepQueue<Filtered> filtered_;
  std::atomic<std::int64_t> written_{0};
  double waited_ = 0;
  std::exception_ptr read_error_, filter_error_, write_error_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;  // the writer is; under the mutex
};

}  // namespace convoscope
