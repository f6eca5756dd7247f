#pragma once
// A separable filter of code values in 16-bit fixed point, for processors that multiply pairs of 16-bit numbers and add
// both products to a 32-bit sum. Host only.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/filter/separability.h"
#include "kernels/strategies/shared/image/byte_weights.h"

namespace convoscope {

// Down a column: intermediate = (Σ column · code value) >> column_shift, at most 16 bits with its sign. What is cut off
// is half a unit on average, which the bias has; or nothing, when the taps are multiples of 1 << column_shift.
// Along a row: output = (Σ row · intermediate + bias + half) >> row_shift, gain included; |…| before the half is added
// when the filter asks for it. half = 1 << (row_shift − 1). No sum leaves 32 bits, in whatever order it is made.
struct SeparableInt16 {
  std::vector<int> column, row;  // 16 bits each
  int column_shift = 1, row_shift = 1, bias = 0;
  double cost = 0;      // what all of the rounding costs at most, in code values beyond the last rounding
  std::string trouble;  // why the filter cannot be written so; empty when it can
};

// With column taps that are multiples of base · 2^k for some k.
inline SeparableInt16 separable_int16(const Filter& filter, const SeparableFactors& factors, double base) {
  constexpr double good_enough = 0.25, largest_tap = 32767, largest_sum = 2147483647, white = 255;
  const std::vector<double> column(factors.column.begin(), factors.column.end());
  std::vector<double> row(factors.row.begin(), factors.row.end());
  const auto largest = [](const std::vector<double>& taps) {
    double result = 0;
    for (const double tap : taps) result = std::max(result, std::abs(tap));
    return result;
  };
  SeparableInt16 result;
  ByteWeights rounded;

  const auto column_fits = [&](double unit) {
    return largest(column) <= largest_tap * unit &&
           white * (absolute_total(column) / unit + filter.height) <= largest_sum;
  };
  const double limit = std::max(largest(column), 1e-30);
  double unit = base * std::exp2(std::ceil(std::log2(limit / base) - 15));
  while (!column_fits(unit)) unit *= 2;
  const double column_error = absolute_total(round_to_scale(column, unit, rounded));
  result.column = rounded.values;
  double sum = 0, peak = 0;  // of the column's sums, of the intermediate
  for (const int tap : result.column) sum += white * std::abs(tap);
  const auto peak_of = [&](int shift) { return sum / std::exp2(shift) + 1; };
  while ((peak = peak_of(result.column_shift)) > 32767) ++result.column_shift;
  const bool cuts = std::ranges::any_of(result.column, [&](int tap) { return tap % (1 << result.column_shift) != 0; });
  const double cut = cuts ? 0.5 : 0;

  // From units of the intermediate to code values.
  const double gain = filter.gain, bias = white * filter.bias, per_unit = unit * std::exp2(result.column_shift);
  const double row_total = absolute_total(row) * std::abs(gain);
  for (double& tap : row) tap *= gain * per_unit;
  const auto row_fits = [&](int shift) {
    const double one = std::exp2(shift);
    return largest(row) * one <= largest_tap &&
           (peak + 0.5) * (absolute_total(row) * one + filter.width) + (std::abs(bias) + 1) * one <= largest_sum;
  };
  result.row_shift = 30;
  while (result.row_shift > 1 && !row_fits(result.row_shift)) --result.row_shift;
  if (!row_fits(result.row_shift)) {
    result.row.assign(row.size(), 0);
    result.cost = std::numeric_limits<double>::infinity();
    result.trouble = "Its sums, times the gain, do not fit in 32 bits";
    return result;
  }
  const double one = std::exp2(result.row_shift);
  const double row_error = absolute_total(round_to_scale(row, 1 / one, rounded));
  result.row = rounded.values;
  const int row_sum = std::accumulate(result.row.begin(), result.row.end(), 0);
  result.bias = static_cast<int>(std::rint(bias * one + cut * row_sum));

  // The intermediate and its cut are off by what the taps are, and by half a unit if any is cut; the row's sum by that
  // times its taps, by what those are off times the intermediate, and by the bias. The last term: the doubles of this
  // function.
  result.cost = white * column_error * row_total + cut * per_unit * row_total + peak * row_error + 0.5 / one +
                1.001 * factors.error * std::abs(gain) * white + 1e-9;
  if (!(result.cost <= good_enough))
    result.trouble = "In 16-bit fixed point it could be off by " + std::to_string(result.cost) + " code values";
  return result;
}

// Only for filters of rank 1 without edge magnitude.
inline SeparableInt16 separable_int16(const Filter& filter) {
  const auto factors = factor_rank_one(filter.weights.data(), filter.width, filter.height, rank_one_tolerance);
  double total = 0, smallest = 0;
  for (const float tap : factors->column) {
    const double size = std::abs(static_cast<double>(tap));
    total += size;
    if (size > 0) smallest = smallest > 0 ? std::min(smallest, size) : size;
  }
  if (total == 0) return separable_int16(filter, *factors, 1);
  // Parts of the sum keep taps such as 1/4, 1/2, 1/4 exact and use all bits of the intermediate; parts of the smallest
  // tap keep 1, -3, 1.
  SeparableInt16 of_total = separable_int16(filter, *factors, total);
  SeparableInt16 of_smallest = separable_int16(filter, *factors, smallest);
  return of_total.cost <= of_smallest.cost ? of_total : of_smallest;
}

}  // namespace convoscope
