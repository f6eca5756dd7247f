#pragma once
// The banded matrices of int8-stream and separable-mma-stream as their lanes hold them. Host only.
#include <vector>

#include "kernels/strategies/shared/image/byte_weights.h"
#include "kernels/strategies/shared/image/half_weights.h"
#include "kernels/strategies/shared/image/run_plan.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

// A lane has of A rows g and g + 8, of each four columns: here an output's high bytes, and its low ones.
inline std::vector<unsigned> byte_run_fragments(const Filter& filter, const FixedPoint& fixed, int radius) {
  std::vector<unsigned> fragments;
  const auto append = [&](auto byte) {
    for (int lane = 0; lane < run_lanes; ++lane)
      for (const bool low : {false, true}) {
        unsigned word = 0;
        for (int i = 0; i < 4; ++i)
          word |= (static_cast<unsigned>(byte(lane / 4, lane % 4 * 4 + i, low)) & 0xffu) << 8 * i;
        fragments.push_back(word);
      }
  };
  for (int row = filter.ry() - radius; row <= filter.ry() + radius; ++row)
    append([&](int m, int k, bool low) {
      const int tap = run_tap(m, k, filter.width);
      if (tap < 0 || row < 0 || row >= filter.height) return 0;
      const int value = fixed.values[static_cast<std::size_t>(row * filter.width + tap)];
      return low ? ByteWeights::low(value) : ByteWeights::high(value);
    });
  append([](int m, int k, bool low) { return low && k == m + run_reach ? 1 : 0; });
  return fragments;
}

// A lane has of A rows g and g + 8: here an output's high parts, and its low ones.
inline std::vector<unsigned> half_run_fragment(const HalfWeights& taps) {
  std::vector<unsigned> fragment;
  const int width = static_cast<int>(taps.high.size());
  for (int lane = 0; lane < run_lanes; ++lane)
    for (const int pair : {0, 2})
      for (const std::vector<float>* part : {&taps.high, &taps.low}) {
        const auto value = [&](int k) {
          const int tap = run_tap(lane / 4, lane % 4 * 4 + k, width);
          return tap < 0 ? 0.0f : (*part)[static_cast<std::size_t>(tap)];
        };
        fragment.push_back(half_pair(value(pair), value(pair + 1)));
      }
  return fragment;
}

}  // namespace convoscope::CONVOSCOPE_TARGET
