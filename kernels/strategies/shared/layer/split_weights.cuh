#pragma once
// The weights of a correlation as two float16 numbers each, for split_sources.cuh's numbers, and what both miss.
#include <cmath>

#include "kernels/contract/data/half.h"
#include "kernels/strategies/shared/image/half_weights.h"
#include "kernels/strategies/shared/layer/split_sources.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

// A power of two for each map, that brings its largest weight to 2^14 … 2^15: fp16 ends at 2^16, and small weights keep
// clear of its subnormals.
inline std::vector<float> split_scales(const Problem& p, const Filter& filter) {
  const CorrelationWeights weights(p, filter);
  const Correlation c = correlation_of(p);
  std::vector<float> scales;
  for (int map = 0; map < c.targets; ++map) {
    float largest = 0;
    for (int source = 0; source < c.sources; ++source)
      for (int tap = 0; tap < c.filter * c.filter; ++tap)
        largest = std::max(largest, std::abs(weights(map, source, tap)));
    scales.push_back(scale_to(largest, 14));
  }
  return scales;
}
inline std::vector<float> inverse(std::vector<float> scales) {
  for (float& scale : scales) scale = 1 / scale;
  return scales;
}

// What a weight is multiplied as: w ≈ (high + low) / scale. The low numbers of the input meet for_low, since they are
// scaled by 2^11 themselves, or what they make with high is scaled back, as scaled_low is then.
struct SplitWeight {
  Half high, low, for_low, scaled_low;
};
inline SplitWeight split_weight(float weight, float scale) {
  const float scaled = weight * scale;
  const Half high = to_half(scaled);
  const float left = scaled - from_half(high);
  return {high, to_half(left), to_half(from_half(high) / low_scale), to_half(left * low_scale)};
}

// For inputs up to 1: what the halves of the inputs and of the weights miss, and the products low · low.
inline double split_bound(const Problem& p) {
  const Correlation c = correlation_of(p);
  const CorrelationWeights weights(p, p.filter);
  const std::vector<float> scales = split_scales(p, p.filter);
  double largest = 0;
  for (int map = 0; map < c.targets; ++map) {
    const float scale = scales[static_cast<std::size_t>(map)];
    double error = 0;
    for (int source = 0; source < c.sources; ++source)
      for (int tap = 0; tap < c.filter * c.filter; ++tap) {
        const double weight = weights(map, source, tap);
        const SplitWeight split = split_weight(weights(map, source, tap), scale);
        const double high = from_half(split.high), low = from_half(split.low), for_low = from_half(split.for_low);
        error += (split_missed + split_least) * std::abs(weight) + std::abs(weight - (high + low) / scale) +
                 split_low * (std::abs(low) + std::abs(high - low_scale * for_low)) / scale;
      }
    largest = std::max(largest, error);
  }
  return 1.001 * largest;
}

// Of gradients to the weights: what the halves of X and of dY miss, and the products low · low.
inline double split_sums_bound(const Problem& p) {
  return 1.001 * (2 * (split_missed + split_least) + split_low * split_low) * layer_absolute_sum(p);
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
