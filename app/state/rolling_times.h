#pragma once
#include <vector>

namespace convoscope {

// Milliseconds of the last frames, newest last, in a ring that never allocates after set_window().
class RollingTimes {
 public:
  RollingTimes() { set_window(240); }
  explicit RollingTimes(int window) { set_window(window); }
  void set_window(int frames);  // keeps what fits
  int window() const { return static_cast<int>(ring_.size()); }
  void clear();
  void add(double milliseconds);
  int count() const { return count_; }
  int generation() const { return generation_; }  // how often it was cleared
  double last() const;                            // all of these: 0 when empty
  double median() const;                          // the mean of the middle two when the count is even
  double p05() const { return percentile(5); }
  double p95() const { return percentile(95); }
  double p99() const { return percentile(99); }
  double min() const;
  double percentile(double) const;     // 0…100, of the sorted window, nearest rank
  std::vector<float> history() const;  // oldest first
  float at(int i) const;               // i-th oldest

 private:
  std::vector<float> ring_;
  int next_ = 0, count_ = 0, generation_ = 0;
  mutable std::vector<float> sorted_;  // scratch of the percentiles, kept to avoid allocation
};

}  // namespace convoscope
