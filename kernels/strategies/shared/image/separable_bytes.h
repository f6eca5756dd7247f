#pragma once
// A separable filter as 16-bit integers for two passes on the integer tensor cores. Host only.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/filter/separability.h"
#include "kernels/strategies/shared/image/byte_weights.h"

namespace convoscope {

// Down a column, sums of `column` times code values, plus `centre`, are 24 bits wide; the upper 16 are the
// intermediate, 256 · h + l with l from 0 to 255. Along a row, for taps 256 · H + L:
// output = (Σ (256 · H · h + H · l + L · h) + offset) >> shift, gain and bias included. The products L · l are left
// out; offset has what they are on average.
struct SeparableBytes {
  std::vector<int> column, row;  // 16 bits each
  int centre = 0, offset = 0, shift = 0;
  double cost = 0;      // what the rounding costs at most, in code values
  std::string trouble;  // why the filter cannot be written so; empty when it can
};

// Only for filters of rank 1.
inline SeparableBytes separable_bytes(const Filter& filter) {
  constexpr double largest_tap = 127 * 256 + 127, largest_sum = 8388608 - 512, white = 255;
  const auto factors = factor_rank_one(filter.weights.data(), filter.width, filter.height, rank_one_tolerance);
  const double gain = filter.gain, bias = white * filter.bias;
  const auto quantise = [](const std::vector<float>& taps, double scale, std::vector<int>& values) {
    double error = 0;
    for (const float tap : taps) {
      values.push_back(static_cast<int>(std::rint(tap * scale)));
      error += std::abs(tap * scale - values.back());
    }
    return error;
  };
  const auto largest = [](const std::vector<float>& taps) {
    double result = 1e-30;
    for (const float tap : taps) result = std::max(result, std::abs(static_cast<double>(tap)));
    return result;
  };
  const auto total = [](const std::vector<float>& taps) {
    double result = 0;
    for (const float tap : taps) result += std::abs(static_cast<double>(tap));
    return result;
  };

  SeparableBytes result;
  // Sums span 255 · Σ|tap|, and lie around zero once their centre is taken away.
  const double column_scale = std::min(largest_tap / largest(factors->column),
                                       (2 * largest_sum - white * filter.height) / (white * total(factors->column)));
  const double column_error = quantise(factors->column, column_scale, result.column);
  const int sum = std::accumulate(result.column.begin(), result.column.end(), 0);
  const int middle = static_cast<int>(std::rint(white / 2 * sum / 256));
  result.centre = 128 - 256 * middle;

  // A code value is 2^shift at the end, 256 times that with the bytes left out, and column_scale / 256 in between.
  const double per_unit = gain * 256 / column_scale, row_total = total(factors->row);
  const double sums = white * std::abs(gain) * total(factors->column) * row_total + std::abs(bias) + 1;
  const double slack = 512.0 * filter.width;  // of the rounded taps and of the intermediate
  const auto fits = [&] {
    const double one = std::exp2(result.shift);
    return largest(factors->row) * std::abs(per_unit) * 256 * one <= largest_tap && sums * one + slack < 2147483647.0;
  };
  result.shift = 22;
  while (result.shift > 0 && !fits()) --result.shift;
  const double one = std::exp2(result.shift), row_scale = per_unit * 256 * one;
  const double row_error = quantise(factors->row, row_scale, result.row);
  double row_sum = 0, low = 0, low_magnitudes = 0;
  for (const float tap : factors->row) row_sum += tap * row_scale;
  for (const int tap : result.row) low += ByteWeights::low(tap), low_magnitudes += std::abs(ByteWeights::low(tap));
  const double offset = (row_sum * middle + 127.5 * low) / 256 + bias * one + one / 2;
  result.offset = static_cast<int>(std::rint(std::clamp(offset, -2147483000.0, 2147483000.0)));

  result.cost = white * column_error / column_scale * row_total * std::abs(gain) +
                0.51 * std::abs(per_unit) * row_total + (128 * row_error + low_magnitudes / 2 + 0.5) / one +
                1.001 * factors->error * std::abs(gain) * white;
  if (!fits())
    result.trouble = "Its sums, times the gain, do not fit in 32 bits";
  else if (!(result.cost <= 0.25))
    result.trouble = "Rounded to 16 bits, its taps could be off by " + std::to_string(result.cost) + " code values";
  return result;
}

}  // namespace convoscope
