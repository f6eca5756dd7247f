#pragma once
// A separable filter in two fp16 numbers for each tap, or for each of a row, and what that costs. Host only.
#include <cmath>
#include <vector>

#include "kernels/contract/theory/tolerance.h"
#include "kernels/filter/separability.h"
#include "kernels/strategies/shared/image/half_weights.h"

namespace convoscope {

// What both passes multiply by, on the host.
struct SeparableHalves {
  HalfWeights column, row;
  float column_scale = 1, row_scale = 1;
  double column_total = 0, row_total = 0;  // Σ|tap|
  double factors_error = 0;
};

// Sums down a column are at most 2^5 times the largest pixel: they and the pixels share fp16's range.
inline constexpr int column_exponent = 4;
inline constexpr int largest_split_pixel = 65504 >> (column_exponent + 1);
static_assert(largest_split_pixel == 2047);

// Only for filters of rank 1.
inline SeparableHalves separable_halves(const Filter& filter) {
  const auto factors = factor_rank_one(filter.weights.data(), filter.width, filter.height, rank_one_tolerance);
  const auto total = [](const std::vector<float>& taps) {
    double sum = 0;
    for (const float tap : taps) sum += std::abs(static_cast<double>(tap));
    return sum;
  };
  SeparableHalves result;
  result.column_total = total(factors->column), result.row_total = total(factors->row);
  result.column_scale = scale_to(static_cast<float>(result.column_total), column_exponent);
  result.row_scale = scale_to(largest_magnitude(factors->row), 10);
  result.column = split_weights(factors->column, result.column_scale);
  result.row = split_weights(factors->row, result.row_scale);
  result.factors_error = factors->error;
  return result;
}

// For pixels up to white. A number's parts, each rounded to 11 bits, miss 2^-23 of it at most, and where low is a
// subnormal of fp16, 2^-25; low is 2^-11 of the number at most, which bounds the products low · low. What taps miss is
// known. Then there is what the tensor cores' sums lose, see below.
inline double separable_split_bound(const Problem& p) {
  constexpr double missed = 0x1p-23, smallest = 0x1p-25, low_part = 0x1p-11;
  const SeparableHalves h = separable_halves(p.filter);
  const auto low_taps = [](const HalfWeights& taps, float scale) {
    double sum = 0;
    for (const float low : taps.low) sum += std::abs(low);
    return sum / scale;
  };
  const double column_error =
      h.column.error_both + (missed + smallest) * h.column_total + low_part * low_taps(h.column, h.column_scale);
  const double row_error =
      (h.row.error_both + missed * h.row_total + low_part * low_taps(h.row, h.row_scale)) * h.column_total +
      smallest / h.column_scale * h.row_total;
  return 1.001 * (column_error * h.row_total + row_error + h.factors_error) * std::abs(p.filter.gain) *
         white_level(p.format);
}

// Tensor cores multiply exactly, but align the products of a block and the sum so far to the largest of them, cut them
// off there and cut the result off: each loses at most 2^-23 = 2u of Σ|w·x| (Fasi et al., 2021). Blocks are 4 deep at
// least. Down a column of T taps there are 3T products, and T/4 + 3/2 blocks of each of the three kinds lose twice:
// 6T + 12(T/4 + 3/2) = 9T + 18. Along a row the small products come first, whose sums are a thousandth of Σ|w·x|, so
// that all they lose is less than u; in even and odd columns there are T/4 + 13/4 blocks: 2T + 4(T/4 + 13/4) = 3T + 13.
inline double separable_halves_bound(const Problem& p) {
  return float32_sum_bound(p, 9 * p.filter.height + 18 + 3 * p.filter.width + 13 + 1) + separable_split_bound(p);
}

// A row's taps in two fp16 numbers each, a column's in float32.
struct SplitRowTaps {
  HalfWeights row;
  float row_scale = 1;
  std::vector<float> row_taps, column_taps;
  double column_total = 0, factors_error = 0;  // Σ|tap|; of weights as products
};

// Only for filters of rank 1.
inline SplitRowTaps split_row_taps(const Filter& filter) {
  const auto factors = factor_rank_one(filter.weights.data(), filter.width, filter.height, rank_one_tolerance);
  SplitRowTaps result;
  result.row_taps = factors->row, result.column_taps = factors->column;
  result.row_scale = scale_to(largest_magnitude(factors->row), 10);  // clear of fp16's subnormals
  result.row = split_weights(factors->row, result.row_scale);
  for (const float tap : factors->column) result.column_total += std::abs(static_cast<double>(tap));
  result.factors_error = factors->error;
  return result;
}

// Tensor cores multiply exactly, but align the products of a block and the sum so far to the largest of them, cut them
// off there and cut the result off: each loses at most 2^-23 = 2u of Σ|w·x| (Fasi et al., 2021). Blocks are 4 deep at
// least, so the 16 products of high parts of pixels lose 16u at most; those of low parts come first and are a
// thousandth of them: less than u. One addition of halves; then
// `size` roundings down the column.
inline double split_row_bound(const Problem& p, int size) {
  const SplitRowTaps taps = split_row_taps(p.filter);
  const double split = split_products_error(taps.row_taps, taps.row) * taps.column_total + taps.factors_error;
  return float32_sum_bound(p, 16 + 1 + 1 + size) +
         1.001 * split * std::abs(static_cast<double>(p.filter.gain)) * white_level(p.format);
}

}  // namespace convoscope
