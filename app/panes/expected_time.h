#pragma once
// How long a pane's next run on cores is likely to take: as long as the last one or, before the first, by how fast the
// strategy was with another filter, else by which is likely to be slower than which.
#include <algorithm>
#include <map>
#include <optional>

#include "kernels/contract/strategy.h"

namespace convoscope {

// Not while a run is at work, but for what says otherwise.
class ExpectedTime {
 public:
  // Seconds of a run of this strategy, which does so many FLOP.
  double seconds(const Strategy* strategy, double flop) const {
    constexpr double likely_rate = 2e9;  // FLOP/s
    const auto known = rates_.find(strategy);
    const double rate = known != rates_.end() ? known->second : likely_rate;
    return std::max(least_, last_ ? *last_ : flop / rate);
  }

  // That the last run took; else it was given up after so long. Any thread, at the end of a run.
  void took(double seconds, bool whole) {
    if (!whole) return takes_longer_than(seconds);
    last_ = seconds;
    least_ = 0;
  }
  void takes_longer_than(double seconds) { least_ = std::max(least_, seconds); }

  // Another plan follows. What this strategy has shown of itself stays known; null: nothing is to be learnt.
  void end_plan(const Strategy* strategy, double flop) {
    if (strategy && last_ && flop > 0 && *last_ > 0) rates_[strategy] = flop / *last_;
    last_.reset();
    least_ = 0;
  }
  void forget_last() { last_.reset(); }  // it was of another strategy than runs now

 private:
  std::optional<double> last_;               // seconds; empty: no run since the plan was made
  double least_ = 0;                         // seconds that one was given up after since then
  std::map<const Strategy*, double> rates_;  // FLOP/s
};

}  // namespace convoscope
