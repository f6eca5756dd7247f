#pragma once
// How the loss went, in a bounded number of values: they stand for more and more steps each.
#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

namespace convoscope {

class LossHistory {
 public:
  static constexpr std::size_t most = 400;

  void add(double loss) {
    sum_ += loss;
    last_[count_++ % last_.size()] = loss;
    if (++seen_ < each_) return;
    losses_.push_back(static_cast<float>(sum_ / seen_));
    sum_ = seen_ = 0;
    if (losses_.size() < most) return;
    for (std::size_t i = 0; i < most / 2; ++i) losses_[i] = (losses_[2 * i] + losses_[2 * i + 1]) / 2;
    losses_.resize(most / 2);
    for (std::size_t& mark : marks_) mark /= 2;
    each_ *= 2;
  }
  const std::vector<float>& losses() const { return losses_; }  // oldest first
  // Smoothed: the mean of the last steps. One that forgets slowly would speak for hundreds of steps of a single one
  // whose loss was a thousand times as large.
  double now() const {
    const std::size_t known = std::min(count_, last_.size());
    return known > 0 ? std::accumulate(last_.begin(), last_.begin() + static_cast<std::ptrdiff_t>(known), 0.0) /
                           static_cast<double>(known)
                     : 0;
  }
  bool is_smoothed() const { return count_ >= last_.size(); }  // over as many steps as it can be
  void mark() {
    if (marks_.empty() || marks_.back() != losses_.size()) marks_.push_back(losses_.size());
  }
  const std::vector<std::size_t>& marks() const { return marks_; }  // places among the losses

 private:
  std::array<double, 20> last_{};
  std::size_t count_ = 0;
  std::vector<float> losses_;
  std::vector<std::size_t> marks_;
  double sum_ = 0;
  int seen_ = 0, each_ = 1;  // steps
};

}  // namespace convoscope
