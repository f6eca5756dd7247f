#pragma once
// Weights for code values that are not converted: where byte c of a word lies, its bits are a subnormal float, 2^(8c −
// 149) times the code value. Multiply-adds take them at full speed, and times a weight that has been scaled up as far
// they are what the converted ones would be, to the last bit: powers of two round nothing. The gain takes back the
// rest.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace convoscope {

// weight · 2^exponent, or the largest float of its sign if that is none.
inline float scaled(float weight, int exponent) {
  constexpr double most = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(std::ldexp(static_cast<double>(weight), exponent), -most, most));
}
inline std::vector<float> scaled(std::span<const float> weights, int exponent) {
  std::vector<float> all;
  for (const float weight : weights) all.push_back(scaled(weight, exponent));
  return all;
}

// The exponent that scales the largest to 2^to.
inline int exponent_to(int to, std::span<const float> weights) {
  float largest = 0;
  for (const float weight : weights) largest = std::max(largest, std::abs(weight));
  return largest > 0 ? to - std::ilogb(largest) : to;
}

// For byte 0, which is the smallest float: sums of products with it stay far from both ends.
inline int exponent_for_bytes(std::span<const float> weights) { return exponent_to(120, weights); }
// For the gain: sums of products are still too small by so many powers of two.
constexpr int exponent_of_gain(int exponent_of_weights) { return 149 - exponent_of_weights; }

// The weights for red, then those for green, then those for blue.
inline std::vector<float> scaled_for_bytes(std::span<const float> weights, int exponent) {
  std::vector<float> all;
  for (int c = 0; c < 3; ++c) {
    const std::vector<float> some = scaled(weights, exponent - 8 * c);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace convoscope
