#pragma once
// The times of a pane's runs on their way from the timers to the statistics, and which of them count.
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "app/measure/arrival_rate.h"
#include "app/panes/timer_ring.h"
#include "app/state/stats.h"

namespace convoscope {

// Runs that do not count after a change, in the pane that changed and in those beside it: first launches load code, and
// a change disturbs the caches.
inline constexpr int runs_uncounted_after_change = 3;

class RunTimes {
 public:
  // Those so far, and the next ones, say nothing of what is there since a change.
  void disregard() {
    read_.clear();
    uncounted_ = runs_uncounted_after_change;
  }
  void restart() { restarts_ = true; }  // the statistics are another strategy's

  // Of a run that begins: whether its time counts. `wanted`: whether it may.
  bool next_counts(bool wanted) {
    const bool counts = wanted && uncounted_ == 0;
    if (uncounted_ > 0) --uncounted_;
    return counts;
  }
  void begin_picture() { rate_.arrived(now()); }  // of another input than the last one's

  // Whatever the ring has finished. `says_something`: false for times that nobody wants to know. Never waits.
  void read(TimerRing& ring, bool says_something) {
    while (const std::optional<double> milliseconds = ring.poll_ms())
      if (says_something) read_.push_back({*milliseconds, ring.disturbed()});
  }

  // True: the statistics begin anew.
  bool take_restart(PaneStats& stats) {
    if (!std::exchange(restarts_, false)) return false;
    stats.clear_times();
    return true;
  }
  void hand_over(PaneStats& stats) {
    stats.pictures_a_second = rate_.a_second(now());
    for (const Read& each : read_) stats.add_time(each.milliseconds, each.disturbed);
    read_.clear();
  }

 private:
  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  struct Read {
    double milliseconds = 0;
    bool disturbed = false;  // by other programs
  };
  std::vector<Read> read_;  // and not handed over yet
  ArrivalRate rate_;        // of new inputs
  int uncounted_ = 0;       // runs still to leave out
  bool restarts_ = true;
};

}  // namespace convoscope
