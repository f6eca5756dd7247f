#pragma once
// Whether what the trials of `auto` have shown can be believed: how many of them other programs disturbed, and how well
// the winner's time is known.
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/measure/doubt.h"
#include "kernels/measure/spread.h"

namespace convoscope {

class TrialLoad {
 public:
  explicit TrialLoad(int cores) : cores_(cores) {}
  void add(double milliseconds, const std::optional<ProcessorUse>& use) {
    ++trials_;
    if (use && others_took_most(milliseconds, *use, cores_)) ++disturbed_;
  }
  // For tests: what is found, however busy the machine is.
  static inline std::optional<Doubt> assumed;

  void clear() { trials_ = disturbed_ = 0; }
  // Since it was cleared.
  int trials() const { return trials_; }
  int disturbed() const { return disturbed_; }
  // Of the winner's times, since it was cleared.
  Doubt doubt(const std::vector<double>& winner) const {
    const Spread seen = spread(winner);
    return doubt(trials_, disturbed_, {seen.median, seen.low, seen.high});
  }
  static Doubt doubt(int trials, int disturbed, const TimeSeen& winner) {
    if (assumed) return *assumed;
    return 2 * std::int64_t{disturbed} > trials ? Doubt::processor : doubt_of(winner);
  }

 private:
  int cores_, trials_ = 0, disturbed_ = 0;
};

}  // namespace convoscope
