#pragma once
// Float32 weights as one or two fp16 numbers each, for the tensor cores. Host only.
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "kernels/contract/data/filter.h"

namespace convoscope {

// w ≈ (high + low) / scale; high and low are exactly what fp16 can hold.
struct HalfWeights {
  std::vector<float> high, low;
  double error_high = 0, error_both = 0;  // Σ|w − high/scale| and Σ|w − (high + low)/scale|
};

// Rounds to 11 significant bits, and to multiples of 2^-24 below 2^-14, as fp16 does. |value| < 65504.
inline float round_to_half(float value) {
  const float magnitude = std::abs(value);
  const int exponent = magnitude > 0 ? std::max(std::ilogb(magnitude), -14) : -14;
  const float unit = std::ldexp(1.0f, exponent - 10);
  return std::rint(value / unit) * unit;
}

// A power of two that brings a magnitude to 2^exponent … 2^(exponent + 1).
inline float scale_to(float magnitude, int exponent) {
  return magnitude > 0 ? std::ldexp(1.0f, std::min(exponent - std::ilogb(magnitude), 100)) : 1.0f;
}

inline float largest_magnitude(const std::vector<float>& values) {
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

// Brings the largest weight to 2^10 … 2^11, so that small ones keep clear of fp16's subnormals.
inline float weight_scale(const Filter& filter) {
  return scale_to(std::max(largest_magnitude(filter.weights), largest_magnitude(filter.weights_y)), 10);
}

inline HalfWeights split_weights(const std::vector<float>& weights, float scale) {
  HalfWeights result;
  for (float w : weights) {
    const float high = round_to_half(w * scale), low = round_to_half(w * scale - high);
    result.high.push_back(high);
    result.low.push_back(low);
    result.error_high += std::abs(static_cast<double>(w) * scale - high) / scale;
    result.error_both += std::abs(static_cast<double>(w) * scale - high - low) / scale;
  }
  return result;
}

// What outputs lose when pixels up to 1 are split, too, and the product low · low is left out: a pixel's two halves
// lose 2^-23 of it (and at most 2^-25, fp16's subnormals), and low · low is at most 2^-12 · 2^-11 of pixel · weight.
inline double split_products_error(const std::vector<float>& weights, const HalfWeights& split) {
  double absolute = 0;
  for (const float w : weights) absolute += std::abs(static_cast<double>(w));
  return split.error_both + (0x1p-23 + 0x1p-25 + 0x1p-23) * absolute;
}

// The 16 bits of a value that fp16 holds exactly.
inline unsigned half_bits(float value) {
  const unsigned bits = std::bit_cast<unsigned>(value), sign = bits >> 16 & 0x8000u;
  const int exponent = static_cast<int>(bits >> 23 & 0xff) - 127;
  if (value == 0) return sign;
  if (exponent < -14) return sign | static_cast<unsigned>(std::ldexp(std::abs(value), 24));
  return sign | static_cast<unsigned>(exponent + 15) << 10 | (bits >> 13 & 0x3ffu);
}

// Two of them in one register, the first in the lower half.
inline unsigned half_pair(float low, float high) { return half_bits(low) | half_bits(high) << 16; }

}  // namespace convoscope
