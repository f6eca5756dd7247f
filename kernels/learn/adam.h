#pragma once
// How weights follow their gradients: Adam, after Kingma and Ba 2015. Host only.
#include <cstddef>
#include <span>
#include <vector>

namespace convoscope {

// Each weight moves by about `rate`, whatever the size of its gradient: by the mean of its last gradients over the root
// of the mean of their squares.
class Adam {
 public:
  // The squares are remembered for some hundred steps, so that the steps become small as soon as the errors do.
  static constexpr double mean_decay = 0.9, square_decay = 0.99, least_root = 1e-8;

  explicit Adam(std::size_t weights) : means_(weights), squares_(weights) {}
  // As many weights and gradients as it was made for.
  void step(std::span<double> weights, std::span<const float> gradient, double rate);
  long steps() const { return steps_; }

 private:
  std::vector<double> means_, squares_;
  long steps_ = 0;
};

}  // namespace convoscope
