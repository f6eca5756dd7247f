#pragma once
// For kernels that stream along all frames of a volume with their loops unrolled, down and up in turns: the weights in
// constant memory, in the order in which a row of pixels meets them.
#include <algorithm>
#include <string>
#include <vector>

#include "kernels/contract/data/filter.h"
#include "kernels/device/device.cuh"

namespace convoscope::CONVOSCOPE_TARGET::volume {

inline constexpr int most_radius = 3, most_frames = 7, most_side = 2 * most_radius + 1;

// What one load brings.
struct alignas(8) WeightPair {
  float first, second;
};
CONVOSCOPE_HOST_DEVICE constexpr int pairs_of(int count) { return (count + 1) / 2; }
inline constexpr int most_weight_pairs = 2 * pairs_of(most_frames * most_side * most_side);  // both ways

// The radius that each frame's weights are padded to with zeros.
inline int built_radius(const Filter& filter) { return std::max({filter.rx(), filter.ry(), 1}); }

// Why no loops are built for the filter, empty when some are.
inline std::string unrolled_reason(const Filter& filter) {
  if (built_radius(filter) <= most_radius && filter.depth <= most_frames) return {};
  return "Its loops are unrolled for filters up to 7 × 7 over 7 frames; this one is " + std::to_string(filter.width) +
         " × " + std::to_string(filter.height) + " over " + std::to_string(filter.depth);
}

// In whole pairs, with the filter's first row first, and once more for strips that are walked upwards with its last row
// first.
inline std::vector<float> padded_weights(const Filter& filter) {
  const int radius = built_radius(filter), size = 2 * radius + 1, count = 2 * pairs_of(filter.depth * size * size);
  std::vector<float> padded(2 * static_cast<std::size_t>(count));
  const float* weight = filter.weights.data();
  for (int t = 0; t < filter.depth; ++t)
    for (int dy = -filter.ry(); dy <= filter.ry(); ++dy)
      for (int dx = -filter.rx(); dx <= filter.rx(); ++dx, ++weight) {
        const auto place = [&](int row) { return static_cast<std::size_t>((t * size + row) * size + radius + dx); };
        padded[place(radius + dy)] = *weight;
        padded[static_cast<std::size_t>(count) + place(radius - dy)] = *weight;
      }
  return padded;
}

}  // namespace convoscope::CONVOSCOPE_TARGET::volume
