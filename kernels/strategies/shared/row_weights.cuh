#pragma once
// For kernels that stream along all frames of a volume with their loops unrolled, up and down in turns: the weights in
// constant memory, in the order in which a row of pixels meets them.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "kernels/device/device.cuh"
#include "kernels/filter/filter.h"

namespace convoscope::CONVOSCOPE_TARGET::volume {

inline constexpr int most_radius = 3, most_frames = 7, most_side = 2 * most_radius + 1;

// What one load brings.
struct alignas(8) WeightPair {
  float first, second;
};
CONVOSCOPE_HOST_DEVICE constexpr int pairs_of(int count) { return (count + 1) / 2; }

// The radius that each frame's weights are padded to with zeros.
inline int built_radius(const Filter& filter) { return std::max({filter.rx(), filter.ry(), 1}); }

// Why no loops are built for the filter, empty when some are.
inline std::string unrolled_reason(const Filter& filter) {
  if (built_radius(filter) <= most_radius && filter.depth <= most_frames) return {};
  return "Its loops are unrolled for filters up to 7 × 7 over 7 frames; this one is " + std::to_string(filter.width) +
         " × " + std::to_string(filter.height) + " over " + std::to_string(filter.depth);
}

// How a kernel wants a row of weights.
using AppendRow = void (*)(std::span<const float> row, std::vector<float>& to);
inline void append_row(std::span<const float> row, std::vector<float>& to) {
  to.insert(to.end(), row.begin(), row.end());
}

// With the filter's first row first, or with its last.
inline std::vector<float> rows_of_weights(const Filter& filter, AppendRow append, bool up) {
  const int radius = built_radius(filter);
  std::vector<float> rows;
  for (int t = 0; t < filter.depth; ++t)
    for (int y = -radius; y <= radius; ++y) {
      std::array<float, most_side> row{};
      const int dy = up ? -y : y;
      if (std::abs(dy) <= filter.ry())
        std::copy_n(filter.weights.begin() + (t * filter.height + filter.ry() + dy) * filter.width, filter.width,
                    row.begin() + radius - filter.rx());
      append(std::span<const float>(row).first(static_cast<std::size_t>(2 * radius + 1)), rows);
    }
  return rows;
}
// For strips that are walked downwards, and then for those that are walked upwards; both begin with a pair.
inline std::vector<float> rows_of_both_ways(const Filter& filter, AppendRow append) {
  std::vector<float> both = rows_of_weights(filter, append, false), up = rows_of_weights(filter, append, true);
  both.resize(static_cast<std::size_t>(2 * pairs_of(static_cast<int>(both.size()))));
  up.resize(both.size());
  both.insert(both.end(), up.begin(), up.end());
  return both;
}

}  // namespace convoscope::CONVOSCOPE_TARGET::volume
