#pragma once
// Float32 weights as 16-bit integers, two signed bytes each, for the integer tensor cores. Host only.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/filter.h"

namespace convoscope {

// w ≈ scale · (256 · high + low), with high and low within −128 … 127.
struct ByteWeights {
  double scale = 1;
  std::vector<int> values;  // 256 · high + low
  static int high(int value) { return (value + 128) >> 8; }
  static int low(int value) { return value - 256 * high(value); }
};

// One such set, and a second one for what the first leaves when that is too much.
struct SplitWeights {
  ByteWeights first, second;
  double error_first = 0, error_both = 0;  // Σ|w − first|, Σ|w − first − second|
};

// Rounds to multiples of `scale`; returns what is left.
inline std::vector<double> round_to_scale(const std::vector<double>& weights, double scale, ByteWeights& result) {
  result = {scale, {}};
  std::vector<double> left;
  for (double w : weights) {
    const double value = std::rint(w / scale);
    result.values.push_back(static_cast<int>(value));
    left.push_back(w - value * scale);
  }
  return left;
}

inline double absolute_total(const std::vector<double>& weights) {
  double total = 0;
  for (double w : weights) total += std::abs(w);
  return total;
}

// The finest scale for which every value fits and Σ|value| · 255 stays within int32; or the power of two above it,
// when that is more exact: it is for weights such as 1/16 or 2.
inline std::vector<double> quantise(const std::vector<double>& weights, ByteWeights& result) {
  constexpr double largest_value = 127 * 256 + 127, largest_sum = 2147483647.0 / 255;
  double largest = 0;
  for (double w : weights) largest = std::max(largest, std::abs(w));
  if (largest == 0) return round_to_scale(weights, 1, result);
  const double finest =
      std::max(largest / largest_value, absolute_total(weights) / (largest_sum - static_cast<double>(weights.size())));
  ByteWeights dyadic;
  std::vector<double> left = round_to_scale(weights, finest, result);
  std::vector<double> dyadic_left = round_to_scale(weights, std::exp2(std::ceil(std::log2(finest))), dyadic);
  if (absolute_total(dyadic_left) > absolute_total(left)) return left;
  result = dyadic;
  return dyadic_left;
}

inline SplitWeights split_into_bytes(const std::vector<float>& weights) {
  SplitWeights result;
  const std::vector<double> left = quantise({weights.begin(), weights.end()}, result.first);
  result.error_first = absolute_total(left);
  result.error_both = absolute_total(quantise(left, result.second));
  return result;
}

}  // namespace convoscope
