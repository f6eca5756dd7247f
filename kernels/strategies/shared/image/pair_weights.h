#pragma once
// Weights as 16-bit integers, two to a word, for products of two neighbouring bytes at a time. Host only.
#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "kernels/filter/separability.h"
#include "kernels/text/number_text.h"

namespace convoscope {

// Windows of 2·radius + 1 pixels begin at an even column or at an odd one, and the pairs of pixels always at an even
// one: so each row is there twice, with a zero after it and with one before it, radius + 1 words each.
inline std::vector<unsigned> weight_pairs(std::span<const int> values, int width, int radius) {
  std::vector<unsigned> pairs;
  const int before = radius - width / 2;  // zeros that the filter is padded with
  for (std::size_t row = 0; row < values.size(); row += static_cast<std::size_t>(width))
    for (int odd = 0; odd < 2; ++odd)
      for (int pair = 0; pair <= radius; ++pair) {
        const auto weight = [&](int i) {
          i -= before;
          return i < 0 || i >= width ? 0u : static_cast<unsigned>(values[row + static_cast<std::size_t>(i)]) & 0xFFFFu;
        };
        pairs.push_back(weight(2 * pair - odd) | weight(2 * pair + 1 - odd) << 16);
      }
  return pairs;
}

// As constant memory takes them. Their bits, whatever float these make.
inline std::vector<float> as_floats(std::span<const unsigned> words) {
  std::vector<float> floats;
  for (const unsigned word : words) floats.push_back(std::bit_cast<float>(word));
  return floats;
}

// A separable filter for sums along rows that are integers and sums down columns that are floats. A row's sum is added
// to the bits of 1.5 · 2^23, between which and 2^24 floats are the integers: so its bits are the float base + sum, and
// nothing is converted. What the bases come to at the end is taken off at the start.
struct SeparablePairs {
  static constexpr float base = 12582912;              // 1.5 · 2^23
  static constexpr int of_sums = -40, of_byte = -109;  // exponents: sums are code values · 2^of_sums, and times
                                                       // 2^of_byte the bits of a float are the code value
  std::vector<int> row;                                // 16 bits each
  std::vector<float> column;                           // with the gain
  float start = 0;
  double cost = 0;      // what rounding costs at most, in code values
  std::string trouble;  // why the filter cannot be written so; empty when it can
};

// Only for filters of rank 1 with one set of weights.
inline SeparablePairs separable_pairs(const Filter& filter) {
  constexpr double largest_tap = 32767, largest_sum = 4194303, white = 255;
  const auto factors = factor_rank_one(filter.weights.data(), filter.width, filter.height, rank_one_tolerance);
  const double gain = filter.gain, bias = white * filter.bias;
  double largest = 1e-30, row_total = 1e-30, column_total = 0;
  for (const float tap : factors->row) largest = std::max(largest, std::abs(static_cast<double>(tap)));
  for (const float tap : factors->row) row_total += std::abs(static_cast<double>(tap));
  for (const float tap : factors->column) column_total += std::abs(static_cast<double>(tap));

  SeparablePairs result;
  const double scale = std::min(largest_tap / largest, (largest_sum / white - filter.width) / row_total);
  double row_error = 0;
  for (const float tap : factors->row) {
    result.row.push_back(static_cast<int>(std::rint(tap * scale)));
    row_error += std::abs(tap * scale - result.row.back());
  }
  double bases = 0;
  for (const float tap : factors->column) {
    constexpr double most = 1e37;
    result.column.push_back(
        static_cast<float>(std::clamp(std::ldexp(tap * gain / scale, SeparablePairs::of_sums), -most, most)));
    bases += static_cast<double>(SeparablePairs::base) * result.column.back();
  }
  result.start = static_cast<float>(std::ldexp(bias, SeparablePairs::of_sums) - bases);

  // Rounded taps; then floats: a tap, the start, and an addition for each row, none of which is above twice 2^24 taps.
  const double unit = column_total * std::abs(gain) / scale;
  result.cost = white * row_error * unit + (filter.height + 2) * (2 * unit + 0x1p-24 * std::abs(bias)) +
                1.001 * factors->error * std::abs(gain) * white;
  if (!(result.cost <= 0.25))
    result.trouble = "Rounded to 16 bits, its taps could be off by " + rounded_text(result.cost, 2) + " code values";
  return result;
}

// All rows of a filter, as many as the radius has, for outputs in even columns and in odd ones.
inline std::vector<float> filter_pairs(const Filter& filter, const std::vector<int>& values, int radius) {
  const std::size_t row = 2 * static_cast<std::size_t>(radius + 1);
  std::vector<unsigned> pairs(row * static_cast<std::size_t>(radius - filter.ry()));
  const std::vector<unsigned> middle = weight_pairs(values, filter.width, radius);
  pairs.insert(pairs.end(), middle.begin(), middle.end());
  pairs.resize(row * (2 * static_cast<std::size_t>(radius) + 1));
  return as_floats(pairs);
}

// A row's taps for outputs in even columns and in odd ones, radius + 1 pairs each; then a column's, as floats.
inline std::vector<float> separable_pair_taps(const SeparablePairs& pairs, const Filter& filter, int radius) {
  std::vector<float> all = as_floats(weight_pairs(pairs.row, filter.width, radius));
  all.resize(all.size() + static_cast<std::size_t>(radius - filter.ry()));
  all.insert(all.end(), pairs.column.begin(), pairs.column.end());
  all.resize(4 * static_cast<std::size_t>(radius) + 3);
  return all;
}

}  // namespace convoscope
