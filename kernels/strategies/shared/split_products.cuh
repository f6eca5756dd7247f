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

}  // namespace convoscope::CONVOSCOPE_TARGET
