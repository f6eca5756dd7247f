#pragma once
// When a picture that stays is filtered once more, for its times alone: soon while there are none, so that there are
// figures; then, as it would keep cores busy for nothing, now and then. Nobody waits for it, so what it takes of the
// cores is a small share of one, however long a strategy takes and on however many of them.
#include <algorithm>

namespace convoscope {

class RepeatPace {
 public:
  explicit RepeatPace(int cores) : cores_(cores) {}

  void new_picture(double now) {
    again_at_ = stays_at_ = now + patience;
    times_ = 0;
  }
  // Filtered again, for so many seconds, perhaps on all cores. `counted`: its time did; until then what is new is
  // warmed up.
  void repeated(double now, double took, bool counted) {
    const double cost = took * cores_;
    ++times_;
    again_at_ = now + (!counted && times_ <= times_uncounted ? rest_uncounted * took
                       : times_ <= times_soon                ? rest_soon * cost
                                                             : std::max(shortest_rest, rest_later * cost));
  }
  // The same, by a strategy that was changed.
  void changed(double now, double took, bool counted) {
    times_ = 0;
    repeated(now, took, counted);
  }
  bool is_due(double now) const { return now >= again_at_; }
  bool stays(double now) const { return now >= stays_at_; }  // no other picture has come for a while

 private:
  static constexpr double patience = 0.5;  // seconds
  static constexpr int times_uncounted = 4, times_soon = 12;
  static constexpr double rest_uncounted = 3;                // times what it took
  static constexpr double rest_soon = 66, rest_later = 100;  // the same, for each core
  static constexpr double shortest_rest = 5;                 // seconds

  const int cores_;
  double stays_at_ = 0, again_at_ = 0;
  int times_ = 0;  // since the picture or its strategy was new
};

}  // namespace convoscope
