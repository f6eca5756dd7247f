#pragma once
// How the loss went, in a bounded number of values: they stand for more and more steps each.
#include <cstddef>
#include <vector>

namespace convoscope {

class LossHistory {
 public:
  static constexpr std::size_t most = 400;

  void add(double loss) {
    sum_ += loss;
    now_ = losses_.empty() && seen_ == 0 ? loss : now_ + (loss - now_) * share_of_the_last;
    if (++seen_ < each_) return;
    losses_.push_back(static_cast<float>(sum_ / seen_));
    sum_ = seen_ = 0;
    if (losses_.size() < most) return;
    for (std::size_t i = 0; i < most / 2; ++i) losses_[i] = (losses_[2 * i] + losses_[2 * i + 1]) / 2;
    losses_.resize(most / 2);
    each_ *= 2;
  }
  const std::vector<float>& losses() const { return losses_; }  // oldest first
  double now() const { return now_; }                           // smoothed

 private:
  static constexpr double share_of_the_last = 0.05;
  std::vector<float> losses_;
  double sum_ = 0, now_ = 0;
  int seen_ = 0, each_ = 1;  // steps
};

}  // namespace convoscope
