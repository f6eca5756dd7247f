#include "kernels/learn/descent.h"

#include <cmath>

namespace convoscope {

void Adam::move(std::span<double> weights, std::span<const float> gradient, double rate) {
  // Both means began at 0, so the first ones are too small.
  const auto taken = static_cast<double>(steps());
  const double of_means = 1 - std::pow(mean_decay, taken), of_squares = 1 - std::pow(square_decay, taken);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double slope = gradient[i];
    means_[i] = mean_decay * means_[i] + (1 - mean_decay) * slope;
    squares_[i] = square_decay * squares_[i] + (1 - square_decay) * slope * slope;
    weights[i] -= rate * (means_[i] / of_means) / (std::sqrt(squares_[i] / of_squares) + least_root);
  }
}

void Sgd::move(std::span<double> weights, std::span<const float> gradient, double rate) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    ways_[i] = momentum * ways_[i] - rate * gradient[i];
    weights[i] += ways_[i];
  }
}

std::unique_ptr<Descent> make_descent(DescentMethod method, std::size_t weights) {
  if (method == DescentMethod::sgd) return std::make_unique<Sgd>(weights);
  return std::make_unique<Adam>(weights);
}

}  // namespace convoscope
