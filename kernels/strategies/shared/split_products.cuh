#pragma once
// What strategies say and do alike that take every number apart into two fp16 numbers, and sum three products of parts
// on the matrix units. Host only.
#include <cmath>
#include <string>

#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/pixel.cuh"
#include "kernels/strategies/shared/image/half_weights.h"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr const char* split_products_note =
    "pixels and weights in two fp16 numbers each: three products; pixels up to 65504 do not overflow";

// Why they do not take such pixels or such a filter, empty when they do. held: what there is room for once.
inline std::string split_products_reason(const Problem& p, const char* held = "sums") {
  if (p.format != PixelFormat::gray32f)
    return "the matrices take floating-point pixels, gray32f; this image is " + std::string(to_string(p.format));
  if (p.filter.is_magnitude())
    return "an edge magnitude has 2 weight sets, and the registers of a lane hold the " + std::string(held) + " of 1";
  return {};
}

inline HalfWeights split_filter(const Filter& filter) { return split_weights(filter.weights, weight_scale(filter)); }

// For sums of products with split_filter().
inline Epilogue split_epilogue(const Filter& filter, PixelFormat format) {
  Epilogue epilogue = make_epilogue(filter, format);
  epilogue.gain /= weight_scale(filter);  // a power of two: exact
  return epilogue;
}

// Σ|error| of the weights and of what pixels up to white lose: what splitting costs, and the sums' own roundings.
inline double split_products_bound(const Problem& p, int roundings) {
  return float32_sum_bound(p, roundings) + split_products_error(p.filter.weights, split_filter(p.filter)) *
                                               std::abs(p.filter.gain) * white_level(p.format);
}

// Of tensor-core-half, which adds up the rows of a filter one or two at a time; words: eights of a product's depth.
// Tensor cores multiply exactly, but align the products of a block and the sum so far to the largest of them, cut them
// off there and cut the result off: each loses at most 2^-23 = 2u of Σ|w·x| (Fasi et al., 2021). Blocks are 4 deep at
// least, so products of a depth D are D/4 of them: of two rows D/2, of which each loses twice: 2·D·u of what is summed
// in one piece, and these pieces share the output's products among them. The small products come first and are a
// thousandth of the others: all that they lose is less than u. The pieces of 2r + 1 rows are added in float32, r + 1 of
// them, or twice as many.
inline double row_band_bound(const Problem& p, int radius, int words) {
  const int depth = 8 * words, pieces = 2 * (radius + 1);
  return split_products_bound(p, 2 * depth + 1 + pieces);
}

}  // namespace convoscope::CONVOSCOPE_TARGET
