#pragma once
// What has stopped to answer must not hold up the end that a signal has asked for: it is given up, and with it whoever
// waits for it; a display (app/gl/window/display_loss.h), or what computes and does not look for the signal.
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include "app/cli/stop_signal.h"

namespace convoscope {

class ExitDeadline {
 public:
  // For the thread that makes it, which is the one that waits for the display. While it computes now and then, if only
  // for a moment, the display is slow but answers: `patience` is for a time in which it does not, `most` for all.
  struct Limits {
    std::chrono::milliseconds patience, most;
  };
  // `give_up` is called at most once, by a thread of its own, when a signal has come and the limits have passed since,
  // without finishes() or the destructor.
  ExitDeadline(const StopSignal&, Limits, std::function<void()> give_up);
  ExitDeadline(const ExitDeadline&) = delete;
  ExitDeadline& operator=(const ExitDeadline&) = delete;

  // What was made is being finished, which may take its time: patience begins anew once it no longer is.
  void finishes(bool);

 private:
  void watch(const std::stop_token& done);
  std::chrono::nanoseconds computed() const;  // by the thread that is watched, so far

  const UntilSignal signal_;
  const Limits limits_;
  const std::function<void()> give_up_;
  clockid_t clock_ = CLOCK_MONOTONIC;  // of the thread that is watched
  std::mutex mutex_;
  std::condition_variable_any changed_;
  int changes_ = 0;
  bool finishes_ = false;
  std::jthread watcher_;  // last: it uses all above, and is joined when this goes
};

inline constexpr ExitDeadline::Limits display_patience{std::chrono::seconds(2), std::chrono::seconds(20)};
inline constexpr const char* display_is_given_up =
    "The display does not answer in time, so the program ends without it.";

}  // namespace convoscope
