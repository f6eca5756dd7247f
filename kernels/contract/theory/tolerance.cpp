#include "kernels/contract/theory/tolerance.h"

#include <algorithm>
#include <cmath>

#include "kernels/contract/theory/type_rounding.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

double absolute_sum(const std::vector<float>& weights) {
  double sum = 0;
  for (float w : weights) sum += std::abs(static_cast<double>(w));
  return sum;
}

// Of the numbers that are multiplied, which are what the reference has too; a weight grows by half a unit of its last
// place when it is rounded to 11 bits. Results of 16 bits are rounded once more, to 11 bits or a multiple of 2^-24.
double bank_sum_bound(const Problem& problem, double u, double gamma) {
  constexpr double short_u = 0x1p-11, least = 0x1p-25;
  const Precision precision = problem.layer.precision;
  double sum = layer_absolute_sum(problem);
  if (precision != Precision::f32) sum += short_u * sum + least * layer_terms(problem);
  double error = gamma * sum, bias = 0;
  if (problem.layer.pass == Pass::forward) {
    for (const float b : problem.filter.biases) bias = std::max(bias, std::abs(static_cast<double>(b)));
    error += u * (sum + error + bias);
  }
  if (precision == Precision::f16) error += short_u * (sum + error + bias) + least;
  return error + 0x1p-60;
}

// Standard model of floating point (Higham, ch. 3): every operation is off by a factor 1 + δ, |δ| ≤ u = 2^-24, an fma
// by one such factor for both of its operations. A term w·x that passes through n roundings on its way into the sum is
// off by at most γ = n·u / (1 − n·u) of itself, so in whatever order the sum is made
//     |computed − exact| ≤ γ · Σ|w·x| ≤ γ · S,  S = Σ|w| · white,
// for inputs within 0 … white (which gray32f keeps only nominally).
// Magnitude: sqrt(a² + b²) moves by no more than the vector (a, b) does, so the error of the sums is at most
// γ · sqrt(Sa² + Sb²); two squares, one addition (each under the root, so halved) and the root add 2u of the value.
// A root that is good to 2 ulp instead of correctly rounded takes 2u more.
// Epilogue: value = gain · sum + bias · white: the product bias · white, the product, and the addition round once each.
// For rgba8, rounding to a code value is what compare() subtracts, and clamping moves nothing apart.
// Of a layer, the sum with a map's bias rounds once more, and ReLU moves nothing apart.
// The last term stands for products that underflow, and for squares that do.
double sum_bound(const Problem& problem, int terms) {
  constexpr double u = 0x1p-24;
  const Filter& filter = problem.filter;
  const double white = white_level(problem.format);
  const double gamma = std::expm1(terms * std::log1p(u));  // (1 + u)ⁿ − 1, for any number of terms
  if (filter.is_bank()) return bank_sum_bound(problem, u, gamma);

  double sum = absolute_sum(filter.weights) * white;
  double error = gamma * sum;
  if (filter.is_magnitude()) {
    sum = std::hypot(sum, absolute_sum(filter.weights_y) * white);
    error = gamma * sum + 4 * u * (1 + gamma) * sum;
  }
  const double gain = std::abs(static_cast<double>(filter.gain)), bias = std::abs(static_cast<double>(filter.bias));
  const double scaled = gain * (sum + error), offset = bias * white;
  const double epilogue = u * scaled + u * offset + u * (1 + 2 * u) * (scaled + offset);
  return gain * error + epilogue + 0x1p-60;
}

}  // namespace

// Of tf32 the reference's factors are rounded, and whole ones were multiplied here.
double float32_sum_bound(const Problem& problem, int terms) {
  const bool rounds = problem.filter.is_bank() && problem.layer.precision == Precision::tf32;
  return sum_bound(problem, terms) + (rounds ? type_rounding(problem) : 0);
}

double rounded_factors_bound(const Problem& problem, int terms) { return sum_bound(problem, terms); }

// compare() subtracts the half code value of rounding.
std::string undecided_reason(const Problem& problem, double tolerance) {
  if (problem.format != PixelFormat::rgba8 || tolerance < 254.5) return {};
  return "Rounding may take a sum of these weights " + rounded_text(tolerance, 3) +
         " code values from the exact one, but bytes are at most 255 apart, so any output would pass";
}

}  // namespace convoscope
