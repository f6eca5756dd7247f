#include "kernels/contract/theory/overflow.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

double largest_sum(const std::vector<float>& weights, double white) {
  double sum = 0;
  for (const float w : weights) sum += std::abs(static_cast<double>(w));
  return sum * white;
}

}  // namespace

std::string overflow_reason(const Problem& problem, double growth) {
  constexpr double largest_float = std::numeric_limits<float>::max();
  const Filter& filter = problem.filter;
  const double white = white_level(problem.format);
  const double x = largest_sum(filter.weights, white), y = largest_sum(filter.weights_y, white);
  const double squares = filter.is_magnitude() ? x * x + y * y : 0;  // under the root of an edge magnitude
  const double output = std::abs(static_cast<double>(filter.gain)) * std::hypot(x, y) +
                        std::abs(static_cast<double>(filter.bias)) * white;
  const double largest = std::max({growth * std::max(x, y), squares, output});
  if (largest <= largest_float) return {};
  return "Sums of these weights may reach " + rounded_text(largest, 3) +
         " along the way, but a float32 holds only up to " + rounded_text(largest_float, 3);
}

// Weights are rounded before they are summed, and may grow.
std::string half_overflow_reason(const Problem& problem) {
  constexpr double largest_half = 65504;
  const bool to_weights = problem.layer.pass == Pass::to_weights;
  if (problem.layer.precision != Precision::f16) return {};
  double largest = layer_absolute_sum(problem) * (to_weights ? 1 : 1 + 0x1p-11);
  if (problem.layer.pass == Pass::forward)
    for (const double sum = largest; const float b : problem.filter.biases)
      largest = std::max(largest, sum + std::abs(static_cast<double>(b)));
  if (largest <= largest_half) return {};
  return std::string(to_weights ? "Sums over this layer's outputs" : "Sums of these weights") + " may reach " +
         rounded_text(largest, 3) + " for inputs up to 1, but a float16 holds only up to 65504";
}

}  // namespace convoscope
