#pragma once
// Winograd's transforms for tiles of Tile × Tile outputs of a 3×3 filter: Y = Aᵀ[(G g Gᵀ) ∘ (Bᵀ d B)]A.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/parts/wide_pixel.cuh"

namespace convoscope::CONVOSCOPE_TARGET::winograd_tiles {

// The matrices of Lavin & Gray for F(Tile×Tile, 3×3). Functions, because device code cannot read constexpr arrays.
template <int Tile>
struct Winograd;

template <>
struct Winograd<2> {
  CONVOSCOPE_HOST_DEVICE static constexpr float bt(int i, int j) {
    constexpr float m[4][4] = {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
    return m[i][j];
  }
  CONVOSCOPE_HOST_DEVICE static constexpr float at(int i, int j) {
    constexpr float m[2][4] = {{1, 1, 1, 0}, {0, 1, -1, -1}};
    return m[i][j];
  }
  static constexpr double g(int i, int j) {
    constexpr double m[4][3] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
    return m[i][j];
  }
};

template <>
struct Winograd<4> {
  CONVOSCOPE_HOST_DEVICE static constexpr float bt(int i, int j) {
    constexpr float m[6][6] = {{4, 0, -5, 0, 1, 0},  {0, -4, -4, 1, 1, 0}, {0, 4, -4, -1, 1, 0},
                               {0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}};
    return m[i][j];
  }
  CONVOSCOPE_HOST_DEVICE static constexpr float at(int i, int j) {
    constexpr float m[4][6] = {{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}};
    return m[i][j];
  }
  static constexpr double g(int i, int j) {
    constexpr double m[6][3] = {{1.0 / 4, 0, 0},
                                {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                {1.0 / 24, 1.0 / 12, 1.0 / 6},
                                {1.0 / 24, -1.0 / 12, 1.0 / 6},
                                {0, 0, 1}};
    return m[i][j];
  }
};

// Σ_k coefficient(k) · value(k), leaving out the zero coefficients, which the compiler knows once the loop is unrolled.
template <int N, class Coefficient, class Value>
__device__ inline float combine(Coefficient coefficient, Value value) {
  float sum = 0;
  CONVOSCOPE_UNROLL
  for (int k = 0; k < N; ++k)
    if (coefficient(k) != 0) sum = fmaf(coefficient(k), value(k), sum);
  return sum;
}

// Calls f(i, j) for every element of a matrix, unrolled.
template <int Rows, int Columns, class F>
__device__ inline void each(F f) {
  CONVOSCOPE_UNROLL
  for (int k = 0; k < Rows * Columns; ++k) f(k / Columns, k % Columns);
}

// G g Gᵀ in double, row-major (Tile+2)².
template <int Tile>
std::vector<double> transform_weights(const std::vector<float>& weights) {
  constexpr int n = Tile + 2;
  std::vector<double> result(n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
          result[i * n + j] += Winograd<Tile>::g(i, k) * weights[k * 3 + l] * Winograd<Tile>::g(j, l);
  return result;
}

// Of transformed weights U: max over the tile's outputs of |Aᵀ| (|U| ∘ (|Bᵀ| 1 |B|)) |A|: what Σ|w| is to the direct
// sum, every path counted with its absolute coefficients.
template <int Tile>
double path_weight(const std::vector<double>& u) {
  using W = Winograd<Tile>;
  constexpr int n = Tile + 2;
  double row_sum[n] = {};
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) row_sum[i] += std::abs(W::bt(i, k));
  double largest = 0;
  for (int i = 0; i < Tile; ++i)
    for (int j = 0; j < Tile; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k)
        for (int l = 0; l < n; ++l)
          sum += std::abs(W::at(i, k)) * std::abs(u[k * n + l]) * row_sum[k] * row_sum[l] * std::abs(W::at(j, l));
      largest = std::max(largest, sum);
    }
  return largest;
}

template <int Tile>
constexpr int longest_row(bool data) {
  int longest = 0;
  for (int i = 0; i < (data ? Tile + 2 : Tile); ++i) {
    int terms = 0;
    for (int k = 0; k < Tile + 2; ++k) terms += (data ? Winograd<Tile>::bt(i, k) : Winograd<Tile>::at(i, k)) != 0;
    longest = terms > longest ? terms : longest;
  }
  return longest;
}

// Operations of one tile's transforms, a multiply-add for each coefficient that is not zero: of a channel's inputs, of
// a sum's outputs.
template <int Tile>
double data_flop() {
  int terms = 0;
  for (int i = 0; i < Tile + 2; ++i)
    for (int k = 0; k < Tile + 2; ++k) terms += Winograd<Tile>::bt(i, k) != 0;
  return 2.0 * terms * 2 * (Tile + 2);
}
template <int Tile>
double output_flop() {
  int terms = 0;
  for (int i = 0; i < Tile; ++i)
    for (int k = 0; k < Tile + 2; ++k) terms += Winograd<Tile>::at(i, k) != 0;
  return 2.0 * terms * (2 * Tile + 2);
}

template <int Tile>
double tile_flop() {  // of one channel of one tile, a multiply-add for each non-zero coefficient
  return data_flop<Tile>() + (Tile + 2) * (Tile + 2) + output_flop<Tile>();
}

// For a filter of a picture. Each path from an input to an output passes this many roundings: one per term of two data
// and two output transforms, one for the product, one for the float32 form of U. The plan's tile is not known here, so
// the larger one is assumed.
inline double winograd_bound(const Problem& problem) {
  constexpr double unit_roundoff = 0x1p-24;
  constexpr int roundings = 2 * longest_row<4>(true) + 2 * longest_row<4>(false) + 2;
  double squares = 0;
  for (const std::vector<float>* weights : {&problem.filter.weights, &problem.filter.weights_y}) {
    if (weights->size() != 9) continue;
    const double bound =
        roundings * unit_roundoff *
        std::max(path_weight<2>(transform_weights<2>(*weights)), path_weight<4>(transform_weights<4>(*weights)));
    squares += bound * bound;  // |Δ sqrt(x² + y²)| ≤ sqrt(Δx² + Δy²)
  }
  return float32_sum_bound(problem, 1) +
         std::sqrt(squares) * std::abs(problem.filter.gain) * white_level(problem.format);
}

}  // namespace convoscope::CONVOSCOPE_TARGET::winograd_tiles
