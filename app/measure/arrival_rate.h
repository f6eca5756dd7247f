#pragma once
// How many pictures a second there were lately; nothing once they have stopped coming.
#include <algorithm>
#include <array>
#include <cstddef>

namespace convoscope {

class ArrivalRate {
 public:
  void arrived(double now_seconds) {
    if (count_ > 0 && has_stopped(now_seconds)) count_ = 0;
    times_[next_] = last_ = now_seconds;
    next_ = (next_ + 1) % times_.size();
    count_ = std::min(count_ + 1, times_.size());
  }
  double a_second(double now_seconds) const {  // 0: fewer than two, or none lately
    return count_ < 2 || has_stopped(now_seconds) ? 0 : 1 / interval();
  }

 private:
  double interval() const {
    const double first = times_[(next_ + times_.size() - count_) % times_.size()];
    return std::max((last_ - first) / static_cast<double>(count_ - 1), 1e-6);
  }
  bool has_stopped(double now) const { return now - last_ > std::max(1.0, count_ < 2 ? 60.0 : 3 * interval()); }

  std::array<double, 32> times_{};
  std::size_t next_ = 0, count_ = 0;
  double last_ = 0;
};

}  // namespace convoscope
