#pragma once
// The banded matrices of separable-int8 and separable-half as their lanes hold them. Host only.
#include <vector>

#include "kernels/strategies/shared/image/banded_strips.cuh"
#include "kernels/strategies/shared/image/byte_weights.h"
#include "kernels/strategies/shared/image/half_weights.h"

namespace convoscope::CONVOSCOPE_TARGET {

// Registers of all lanes for the bytes of taps: [byte][chunk][row g or g + 8][lane].
inline void append_band(std::vector<unsigned>& to, const std::vector<int>& taps, bool along_row) {
  const int radius = static_cast<int>(taps.size()) / 2;
  for (const bool high : {true, false})
    for (int word = 0; word < 2 * band_chunks(radius); ++word)
      for (int lane = 0; lane < band_lanes; ++lane) {
        unsigned bytes = 0;
        for (int i = 0; i < 4; ++i) {
          const int tap = band_tap(along_row, word / 2, band_input(lane % 4, i), lane / 4 + word % 2 * 8, radius);
          if (tap < 0) continue;
          const int byte = high ? ByteWeights::high(taps[tap]) : ByteWeights::low(taps[tap]);
          bytes |= (static_cast<unsigned>(byte) & 0xFFu) << 8 * i;
        }
        to.push_back(bytes);
      }
}

// The A matrix of one mma as one lane holds it.
struct alignas(16) HalfFragment {
  unsigned a[4];
};
// Fragments of all lanes: [part][chunk][lane].
inline void append_band(std::vector<HalfFragment>& to, const HalfWeights& taps, bool along_row) {
  const int radius = static_cast<int>(taps.high.size()) / 2;
  for (const std::vector<float>* part : {&taps.high, &taps.low})
    for (int chunk = 0; chunk < band_chunks(radius); ++chunk)
      for (int lane = 0; lane < band_lanes; ++lane) {
        HalfFragment fragment{};
        for (int i = 0; i < 4; ++i) {
          const auto value = [&](int k) {
            const int tap = band_tap(along_row, chunk, k, lane / 4 + i % 2 * 8, radius);
            return tap < 0 ? 0.0f : (*part)[static_cast<std::size_t>(tap)];
          };
          const int k = band_input(lane % 4, i / 2 * 2);
          fragment.a[i] = half_pair(value(k), value(k + 1));
        }
        to.push_back(fragment);
      }
}

}  // namespace convoscope::CONVOSCOPE_TARGET
