#pragma once
// The roof of the device, found beside the view: read from the cache folder, else measured once on a thread and stream
// of its own.
#include <atomic>
#include <string>
#include <thread>

#include "kernels/measure/device_limits.h"

namespace convoscope {

class LimitsFinder {
 public:
  // Reads the cache at once; starts to measure when nothing is there and `may_measure`.
  LimitsFinder(const Device&, bool may_measure);
  LimitsFinder(const LimitsFinder&) = delete;
  LimitsFinder& operator=(const LimitsFinder&) = delete;
  // Gives up a measurement in progress when it goes: that takes a moment.

  // The cache may hold what a busy machine measured once. Nothing while it measures, and for the emulator.
  void measure_again();

  bool is_measuring() const { return state_ == State::measuring; }  // times taken meanwhile are disturbed
  // True once, when the limits have come; from the thread that made the object. `problem`: why the cache could not be
  // written or the device not be measured, else empty.
  bool take_limits(DeviceLimits&, std::string& problem);

 private:
  enum class State { measuring, found, taken };
  using Find = DeviceLimits (*)(Compute&, std::string* problem);
  void start(Find);
  void measure(Find);

  const Device device_;
  DeviceLimits limits_;
  std::string problem_;
  std::atomic<State> state_ = State::taken;
  std::jthread thread_;  // last: it uses the above, and is joined before they go
};

}  // namespace convoscope
