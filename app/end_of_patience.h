#pragma once
// A display that has stopped to answer must not hold up the end that a signal has asked for: it is given up, and with
// it whoever waits for it (app/gl/window/display_loss.h).
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include "app/cli/stop_signal.h"

namespace convoscope {

class EndOfPatience {
 public:
  // `give_up` is called at most once, by a thread of its own, when a signal has come and neither finishes() nor the
  // destructor has been called for so long since.
  EndOfPatience(const StopSignal&, std::chrono::milliseconds patience, std::function<void()> give_up);
  EndOfPatience(const EndOfPatience&) = delete;
  EndOfPatience& operator=(const EndOfPatience&) = delete;

  // What was made is being finished, which may take its time: patience begins anew once it no longer is.
  void finishes(bool);

 private:
  void watch(const std::stop_token& done);

  const UntilSignal signal_;
  const std::chrono::milliseconds patience_;
  const std::function<void()> give_up_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  int changes_ = 0;
  bool finishes_ = false;
  std::jthread watcher_;  // last: it uses all above, and is joined when this goes
};

}  // namespace convoscope
