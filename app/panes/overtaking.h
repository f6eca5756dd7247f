#pragma once
// Panes that are quick go on to a newer frame while a slow one is at work on an older one, which stands still
// meanwhile: so neither disturbs the times of the other.
#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/jobs/job_thread.h"
#include "app/panes/pane_runner.h"
#include "kernels/threads/pause.h"

namespace convoscope {

// Panes that are done appear together, but do not wait longer than this for one that is not.
inline constexpr std::chrono::milliseconds slow_pane_patience(250);

bool is_slow(const PaneRunner*);
// A slow one is quick too, beside one that takes many times as long. `seconds`: what that takes.
bool is_quick_beside(const PaneRunner*, double seconds);

// All calls from the thread that owns the panes.
class Overtaking {
 public:
  // `pause`: what the slow work looks at. `on_end`: called by the thread at its end.
  Overtaking(Pause& pause, std::function<void()> on_end) : pause_(pause), worker_(std::move(on_end)) {}
  ~Overtaking() { cancel(); }

  // What is overtaken gets at least as much of the time as those that overtake it.
  bool is_due() const { return Clock::now() - ended_ >= took_; }
  // The panes have begun with `in`, whose pixels `before` makes.
  void begin(std::vector<PaneRunner*> panes, const DeviceImage& in, std::function<void()> before);
  bool under_way() const { return in_.image().data != nullptr; }
  bool has(const PaneRunner* pane) const { return std::ranges::find(panes_, pane) != panes_.end(); }
  // Once it has come to its end: the panes have their new pictures. Returns the input then, and nothing otherwise, or
  // where it came to nothing.
  DeviceImage take_finished_pictures();
  DeviceImage cancel();  // within milliseconds, and takes what there is
  std::string take_error() { return std::exchange(error_, {}); }

 private:
  using Clock = std::chrono::steady_clock;
  void work(const Image& in, const std::function<void()>& before);

  Pause& pause_;
  std::vector<PaneRunner*> panes_;
  DeviceImage in_;
  std::size_t finished_ = 0;  // panes
  bool is_prepared_ = false;
  std::string error_;
  Clock::time_point ended_{};
  Clock::duration took_{};
  JobThread worker_;  // last: it uses all of the above
};

}  // namespace convoscope
