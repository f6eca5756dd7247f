#include <algorithm>
#include <cmath>

#include "app/state/stats.h"

namespace convoscope {

void RollingTimes::set_window(int frames) {
  const int window = std::max(frames, 1);
  if (window == static_cast<int>(ring_.size())) return;
  const int kept = std::min(count_, window);
  std::vector<float> ring(static_cast<std::size_t>(window));
  for (int i = 0; i < kept; ++i) ring[static_cast<std::size_t>(i)] = at(count_ - kept + i);
  ring_ = std::move(ring);
  count_ = kept;
  next_ = kept % window;
  sorted_.clear();
  sorted_.reserve(ring_.size());
}

void RollingTimes::clear() {
  next_ = count_ = 0;
  ++generation_;
}

// A clock that failed must not poison the percentiles of all the frames around it.
void RollingTimes::add(double milliseconds) {
  if (!std::isfinite(milliseconds)) return;
  const int window = static_cast<int>(ring_.size());
  ring_[static_cast<std::size_t>(next_)] = static_cast<float>(milliseconds);
  next_ = (next_ + 1) % window;
  count_ = std::min(count_ + 1, window);
}

float RollingTimes::at(int i) const {
  if (i < 0 || i >= count_) return 0;
  const int window = static_cast<int>(ring_.size());
  return ring_[static_cast<std::size_t>((next_ - count_ + i + window) % window)];
}

double RollingTimes::last() const { return at(count_ - 1); }

double RollingTimes::median() const {
  if (count_ == 0) return 0;
  sorted_.assign(ring_.begin(), ring_.begin() + count_);  // order does not matter here, and the ring fills from 0
  const auto middle = sorted_.begin() + count_ / 2;
  std::nth_element(sorted_.begin(), middle, sorted_.end());
  if (count_ % 2 == 1) return *middle;
  return 0.5 * (static_cast<double>(*middle) + *std::max_element(sorted_.begin(), middle));
}

// Nearest rank: the smallest value that at least this share of the values does not exceed.
double RollingTimes::percentile(double percent) const {
  if (count_ == 0) return 0;
  sorted_.assign(ring_.begin(), ring_.begin() + count_);
  const int rank = std::clamp(static_cast<int>(std::ceil(count_ * percent / 100)), 1, count_);
  const auto place = sorted_.begin() + (rank - 1);
  std::nth_element(sorted_.begin(), place, sorted_.end());
  return *place;
}

double RollingTimes::min() const { return count_ == 0 ? 0 : *std::min_element(ring_.begin(), ring_.begin() + count_); }

std::vector<float> RollingTimes::history() const {
  std::vector<float> values(static_cast<std::size_t>(count_));
  for (int i = 0; i < count_; ++i) values[static_cast<std::size_t>(i)] = at(i);
  return values;
}

}  // namespace convoscope
