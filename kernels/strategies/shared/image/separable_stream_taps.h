#pragma once
// The taps of a separable filter as separable-stream has them. Host only.
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/strategies/shared/image/separable_taps.h"
#include "kernels/strategies/shared/image/subnormal_bytes.h"

namespace convoscope {

// For each set the taps of a row and those of a column, with zeros around up to `radius`, and the power of two that is
// left for the gain. for_bytes: a row's are scaled for bytes that are not converted, once for each channel.
struct StreamTaps {
  std::vector<float> taps;
  int gain_exponent = 0;
};
inline StreamTaps stream_taps(const Filter& filter, int radius, bool for_bytes) {
  const std::vector<float> all = separable_taps(filter);
  const auto padded = [&](auto from, int length) {
    std::vector<float> line(2 * static_cast<std::size_t>(radius) + 1);
    std::copy_n(from, length, line.begin() + (radius - length / 2));
    return line;
  };
  std::vector<std::pair<std::vector<float>, std::vector<float>>> sets;
  for (auto at = all.begin(); at != all.end(); at += filter.width + filter.height)
    sets.emplace_back(padded(at, filter.width), padded(at + filter.width, filter.height));
  int exponent = std::numeric_limits<int>::max();  // of a row and its column together, the same for both sets
  for (const auto& [row, column] : sets)
    exponent = std::min(exponent, exponent_for_bytes(row) + exponent_to(0, column));

  StreamTaps result;
  const auto append = [&](const std::vector<float>& line) {
    result.taps.insert(result.taps.end(), line.begin(), line.end());
  };
  for (const auto& [row, column] : sets) {
    const int of_row = exponent_for_bytes(row);
    append(for_bytes ? scaled_for_bytes(row, of_row) : row);
    append(for_bytes ? scaled(column, exponent - of_row) : column);
  }
  if (for_bytes) result.gain_exponent = exponent_of_gain(exponent);
  return result;
}

}  // namespace convoscope
