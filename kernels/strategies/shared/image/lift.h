#pragma once
// Weights for code values that are not converted: where byte c of a word lies, its bits are a denormal float, 2^(8c −
// 149) times the code value. Multiply-adds take them at full speed, and times a weight that has been lifted as far they
// are what the converted ones would be, to the last bit: powers of two round nothing. What is left is for the gain.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace convoscope {

// weight · 2^exponent, or the largest float of its sign if that is none.
inline float lifted(float weight, int exponent) {
  constexpr double most = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(std::ldexp(static_cast<double>(weight), exponent), -most, most));
}
inline std::vector<float> lifted(std::span<const float> weights, int exponent) {
  std::vector<float> all;
  for (const float weight : weights) all.push_back(lifted(weight, exponent));
  return all;
}

// The exponent that lifts the largest to 2^to.
inline int lift_to(int to, std::span<const float> weights) {
  float largest = 0;
  for (const float weight : weights) largest = std::max(largest, std::abs(weight));
  return largest > 0 ? to - std::ilogb(largest) : to;
}

// For byte 0, whose multiples of the smallest float need most; sums of products with it stay far from both ends.
inline int lift_for_bytes(std::span<const float> weights) { return lift_to(120, weights); }
// How far sums of products are then still below.
constexpr int below(int lift) { return 149 - lift; }

// The weights for red, then those for green, then those for blue.
inline std::vector<float> lifted_for_bytes(std::span<const float> weights, int lift) {
  std::vector<float> all;
  for (int c = 0; c < 3; ++c) {
    const std::vector<float> some = lifted(weights, lift - 8 * c);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace convoscope
