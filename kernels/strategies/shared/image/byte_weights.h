#pragma once
// Float32 weights as 16-bit integers, two signed bytes each, for the integer tensor cores. Host only.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/contract/data/filter.h"

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

// Weights with the gain in them as 16-bit fixed-point numbers: output = (Σ value · pixel + offset) >> shift, with the
// bias and what rounds to the nearest code value in the offset.
struct FixedPoint {
  int shift = -1;  // negative: no shift keeps all sums within int32
  int offset = 0;
  std::vector<int> values;
  double error = 0;  // in code values, at most
};

inline FixedPoint fixed_point(const Filter& filter) {
  std::vector<double> weights(filter.weights.begin(), filter.weights.end());
  double largest = 0;
  for (double& w : weights) largest = std::max(largest, std::abs(w *= filter.gain));
  const double bias = 255.0 * filter.bias, sums = 255 * absolute_total(weights) + std::abs(bias);
  const double rounding = 129.0 * 255 * static_cast<double>(weights.size());  // of the sums, and of the low bytes'
  FixedPoint result;
  result.shift = 22;
  const auto fits = [&] {
    const double one = std::exp2(result.shift);
    return largest * one <= 127 * 256 + 127 && (sums + 1) * one + rounding < 2147483647.0;
  };
  while (result.shift >= 0 && !fits()) --result.shift;
  if (result.shift < 0) return result;
  const double one = std::exp2(result.shift);
  ByteWeights bytes;
  result.error = 255 * absolute_total(round_to_scale(weights, 1 / one, bytes)) + 0.5 / one;
  result.values = bytes.values;
  result.offset = static_cast<int>(std::rint(bias * one)) + (1 << result.shift) / 2;
  return result;
}

// How a filter is multiplied: plainly, by one set of fixed-point numbers, where they are good enough and no absolute
// value is taken; else by its set or sets of weights in one or two rounds, which add up in float.
struct ByteFilter {
  bool plain = false;
  FixedPoint fixed;
  std::vector<SplitWeights> sets;
  int rounds = 1;
  double cost = 0;  // what rounding the weights costs at most, in code values
};

inline ByteFilter byte_filter(const Filter& filter) {
  constexpr double good_enough = 0.125;
  ByteFilter result;
  if (!filter.is_magnitude() && !filter.absolute) {
    result.fixed = fixed_point(filter);
    result.cost = result.fixed.error;
    result.plain = result.fixed.shift >= 0 && result.cost <= good_enough;
    if (result.plain) return result;
  }
  double first = 0, both = 0;  // |Δ sqrt(x² + y²)| ≤ sqrt(Δx² + Δy²)
  for (const std::vector<float>* weights : {&filter.weights, &filter.weights_y}) {
    if (weights->empty()) continue;
    result.sets.push_back(split_into_bytes(*weights));
    first = std::hypot(first, result.sets.back().error_first);
    both = std::hypot(both, result.sets.back().error_both);
  }
  const double white = 255 * std::abs(static_cast<double>(filter.gain));
  result.rounds = first * white > good_enough ? 2 : 1;
  result.cost = (result.rounds == 1 ? first : both) * white;
  return result;
}

}  // namespace convoscope
