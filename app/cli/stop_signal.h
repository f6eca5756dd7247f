#pragma once
// INT, TERM and HUP as something to look at: what is under way is brought to an end in order. A second one (INT or
// TERM) leaves at once, should that take too long.
//
// They are blocked and read by a thread, not handled: a handler is the whole process's, and NVRTC puts its own in its
// place while it parses, which leaves with a code of its own.
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "kernels/threads/stop.h"

namespace convoscope {

// One at a time, made and owned by main before any other thread, since threads and processes begin with the signals
// blocked that those that start them have blocked. Everything else may be called from any thread. Once a signal has
// come, a call of the system in which main waits returns.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  int number() const;  // 0: none has come
  explicit operator bool() const { return number() != 0; }
  int exit_code() const { return 128 + number(); }
  const char* name() const;  // "SIGINT"

 private:
  friend class SetBySignal;
  friend class UntilSignal;
  void wait(const std::stop_token&) const;  // until one has come, or the token says so
  void also_set(std::atomic<bool>*);
  void watch(const sigset_t&);
  bool pass_over_those_with_it(const sigset_t&) const;

  const pthread_t main_;
  sigset_t before_;
  std::atomic<bool> ends_{false};
  std::atomic<int> came_{0};
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;  // came_ has
  std::atomic<bool>* other_ = nullptr;           // under mutex_
  std::thread watcher_;                          // joined by the destructor; it uses all above
};

// While it lives, a signal sets the flag as well, for what waits inside of a library. One at a time.
class SetBySignal {
 public:
  SetBySignal(StopSignal& stop, std::atomic<bool>& flag) : stop_(stop) { stop_.also_set(&flag); }
  ~SetBySignal() { stop_.also_set(nullptr); }
  SetBySignal(const SetBySignal&) = delete;
  SetBySignal& operator=(const SetBySignal&) = delete;

 private:
  StopSignal& stop_;
};

// A token that a signal stops.
class UntilSignal {
 public:
  explicit UntilSignal(const StopSignal&);
  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  // Last: it uses stop_ and the signal, until one has come or this goes, which joins it.
  std::jthread watcher_;
};

// While it lives, a signal also gives up what this thread computes (kernels/threads/stop.h), so that nobody waits for
// a check or a measurement of many seconds: its result is not to be used.
class ComputesUntilSignal {
 public:
  explicit ComputesUntilSignal(const StopSignal& stop) : signal_(stop), scope_(signal_.token()) {}

 private:
  UntilSignal signal_;
  StopScope scope_;
};

// Thrown out of callbacks to end what calls them.
struct Stopped {};

}  // namespace convoscope
