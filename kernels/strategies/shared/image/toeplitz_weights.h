#pragma once
// A filter as tensor-core and tensor-core-half have it: which radius is compiled for it, whether a weight takes one
// fp16 number or two, what that costs, and its banded matrices as lanes hold them. Host only.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/contract/theory/tolerance.h"
#include "kernels/strategies/shared/image/half_weights.h"

namespace convoscope {

// The radii that are compiled; a filter takes the next larger one, with zeros around it.
inline constexpr int toeplitz_radii[] = {1, 2, 4, 8, 16};
inline constexpr int max_toeplitz_radius = 16;
inline constexpr int max_toeplitz_radius_magnitude = 8;  // two sets of sums

inline int compiled_radius(const Filter& filter) {
  const int radius = std::max(filter.rx(), filter.ry());
  for (int compiled : toeplitz_radii)
    if (radius <= compiled) return compiled;
  return max_toeplitz_radius;
}

// One half of the weights is enough for rgba8 when what it loses stays below an eighth of a code value. An edge
// magnitude is compiled for both halves only.
inline bool needs_both_halves(const Filter& filter) {
  if (filter.is_magnitude()) return true;
  const double error = split_weights(filter.weights, weight_scale(filter)).error_high;
  return error * std::abs(filter.gain) * 255 > 0.125;
}

inline double toeplitz_bound(const Problem& p) {
  const bool gray = p.format == PixelFormat::gray32f, both = gray || needs_both_halves(p.filter);
  const float scale = weight_scale(p.filter);
  const int taps = p.filter.width * p.filter.height;
  double squares = 0;
  for (const std::vector<float>* weights : {&p.filter.weights, &p.filter.weights_y}) {
    if (weights->empty()) continue;
    const HalfWeights s = split_weights(*weights, scale);
    const double bound = gray ? split_products_error(*weights, s) : both ? s.error_both : s.error_high;
    squares += bound * bound;  // |Δ sqrt(x² + y²)| ≤ sqrt(Δx² + Δy²)
  }
  // Tensor cores add exact products but truncate sums: 2^-23 for each term instead of 2^-24; gray32f has three of each.
  return float32_sum_bound(p, (gray   ? 6
                               : both ? 4
                                      : 2) *
                                      taps +
                                  3) +
         std::sqrt(squares) * std::abs(p.filter.gain) * white_level(p.format);
}

// The B matrix of one mma as its 32 lanes hold it.
struct alignas(8) ToeplitzFragment {
  unsigned pair[2];
};

// Of both halves of the weights. B[k][n] of chunk c and sums' row j: the tap of row dy = radius − j from column 16c + k
// − radius to column n.
inline std::vector<ToeplitzFragment> toeplitz_fragments(const Filter& filter, int radius, int chunks) {
  const int rx = filter.rx(), ry = filter.ry();
  constexpr int lanes = 32;
  std::vector<ToeplitzFragment> fragments;
  std::vector<HalfWeights> sets{split_weights(filter.weights, weight_scale(filter))};
  if (filter.is_magnitude()) sets.push_back(split_weights(filter.weights_y, weight_scale(filter)));
  for (int half = 0; half < 2; ++half)
    for (const HalfWeights& set : sets)
      for (int c = 0; c < chunks; ++c)
        for (int j = 0; j < 2 * radius + 1; ++j) {
          const auto tap = [&](int k, int n) {
            const int dx = 16 * c + k - radius - n, dy = radius - j;
            if (std::abs(dx) > rx || std::abs(dy) > ry) return 0.0f;
            return (half == 0 ? set.high : set.low)[(dy + ry) * filter.width + dx + rx];
          };
          for (int lane = 0; lane < lanes; ++lane) {
            const int n = lane / 4, k = lane % 4 * 2;
            fragments.push_back({{half_pair(tap(k, n), tap(k + 1, n)), half_pair(tap(k + 8, n), tap(k + 9, n))}});
          }
        }
  return fragments;
}

// What tensor-core-half reads, for weights in the order of filter.h. radius: the one that it is built for; words,
// reach: of its products. The rows of the filter, and once more with the last one first.
inline std::vector<unsigned> row_band_fragments(const Filter& filter, const HalfWeights& weights, int radius, int words,
                                                int reach) {
  const int rx = filter.rx(), ry = filter.ry();
  constexpr int lanes = 32;
  std::vector<unsigned> fragments;
  for (const int down : {1, -1})
    for (int row = -radius; row <= radius; ++row) {
      const auto pair = [&](const std::vector<float>& part, int word, int lane) {
        const auto tap = [&](int k) {
          const int dx = k - reach - lane / 4, dy = down * row;
          if (std::abs(dx) > rx || std::abs(dy) > ry) return 0.0f;
          return part[static_cast<std::size_t>((dy + ry) * filter.width + dx + rx)];
        };
        return half_pair(tap(8 * word + lane % 4 * 2), tap(8 * word + lane % 4 * 2 + 1));
      };
      for (int word = 0; word < words; word += 2)
        for (int lane = 0; lane < lanes; ++lane)
          for (const std::vector<float>* part : {&weights.high, &weights.low})
            for (int w = word; w < std::min(word + 2, words); ++w) fragments.push_back(pair(*part, w, lane));
    }
  return fragments;
}

}  // namespace convoscope
