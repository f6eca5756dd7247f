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
    mean_ += (loss - mean_) * share_of_the_last;
    missing_ *= 1 - share_of_the_last;
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
  // Smoothed. The mean begins at 0, and what it lacks because of that is made up for, as Adam does.
  double now() const { return missing_ < 1 ? mean_ / (1 - missing_) : 0; }
  void mark() {
    if (marks_.empty() || marks_.back() != losses_.size()) marks_.push_back(losses_.size());
  }
  const std::vector<std::size_t>& marks() const { return marks_; }  // places among the losses

 private:
  static constexpr double share_of_the_last = 0.05;
  std::vector<float> losses_;
  std::vector<std::size_t> marks_;
  double sum_ = 0, mean_ = 0, missing_ = 1;
  int seen_ = 0, each_ = 1;  // steps
};

}  // namespace convoscope
