#pragma once
// What was missed a moment ago: what is long past needs nobody's care, and is no longer told.
#include <cstdint>

namespace convoscope {

class LatelyMissed {
 public:
  static constexpr double told_for = 10;  // seconds after the last time

  // `all`: frames that were missed until now, on any clock. Returns those to be told.
  std::int64_t count_lately(std::int64_t all, double now) {
    if (all < last_) before_ = last_ = all;  // another card's
    if (now >= last_at_ + told_for) before_ = last_;
    if (all > last_) last_at_ = now;
    last_ = all;
    return last_ - before_;
  }

 private:
  std::int64_t before_ = 0, last_ = 0;
  double last_at_ = -told_for;
};

}  // namespace convoscope
