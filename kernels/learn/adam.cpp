#include "kernels/learn/adam.h"

#include <cmath>

namespace convoscope {

void Adam::step(std::span<double> weights, std::span<const float> gradient, double rate) {
  ++steps_;
  // Both means began at 0, so the first ones are too small.
  const double of_means = 1 - std::pow(mean_decay, steps_), of_squares = 1 - std::pow(square_decay, steps_);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double slope = gradient[i];
    means_[i] = mean_decay * means_[i] + (1 - mean_decay) * slope;
    squares_[i] = square_decay * squares_[i] + (1 - square_decay) * slope * slope;
    weights[i] -= rate * (means_[i] / of_means) / (std::sqrt(squares_[i] / of_squares) + least_root);
  }
}

}  // namespace convoscope
