#pragma once
// How a thread that owns neighbouring columns adds a row of pixels, times a row of weights, to a row of sums: each
// output with its own products, or two neighbours with shared ones. Of two taps g, h above three pixels a, b, c
//     y0 = g·a + h·b = g·(a − b) + (g + h)·b,   y1 = g·b + h·c = (g + h)·b − h·(b − c)
// take three products, of which the middle one is the same: F(2, 2) of Winograd's (Toom's, Karatsuba's) algorithms, the
// only one that multiplies nothing by more than 1. What only y0, both, and only y1 have is summed apart, in all rows
// and frames, and added up once in the end; the differences serve all rows of the filter.
#include "kernels/contract/tolerance.h"
#include "kernels/device/row_stream.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

// Pairs of taps and the odd one out, which is not shared.
CONVOSCOPE_HOST_DEVICE constexpr int paired_weights(int size) { return size / 2 * 3 + 1; }
constexpr double paired_share(int size) { return (size / 2 * 3 + 2) / (2.0 * size); }

template <class Pixel, int Radius, int Columns>
class OwnProducts {
  static constexpr int channels = channels_of<Pixel>;

 public:
  static constexpr int columns = Columns, size = 2 * Radius + 1, weights = size, sums = channels * Columns;
  // On a multiprocessor, as far as registers go: so many that multiply-adds hide what each of them waits for.
  static constexpr int fewest_warps = channels > 1 ? 10 : Columns == 8 ? 16 : 20;

  template <class Window>
  __device__ explicit OwnProducts(const Window& window) {
    CONVOSCOPE_UNROLL
    for (int c = 0; c < channels; ++c) CONVOSCOPE_UNROLL
    for (int i = 0; i < Columns + 2 * Radius; ++i) x_[c][i] = window.channel(i - Radius, c);
  }
  // weight(k): the row's k-th.
  template <class Weight>
  __device__ void add(float (&to)[sums], Weight weight) const {
    CONVOSCOPE_UNROLL
    for (int k = 0; k < size; ++k) {
      const float w = weight(k);
      CONVOSCOPE_UNROLL
      for (int c = 0; c < channels; ++c) CONVOSCOPE_UNROLL
      for (int i = 0; i < Columns; ++i) to[c * Columns + i] = fmaf(w, x_[c][i + k], to[c * Columns + i]);
    }
  }
  __device__ static float result(const float (&sum)[sums], int c, int i) { return sum[c * Columns + i]; }

 private:
  float x_[channels][Columns + 2 * Radius];
};

template <int Radius, int Columns>
class PairedProducts {
  static constexpr int couples = Columns / 2;

 public:
  static constexpr int columns = Columns, size = 2 * Radius + 1, weights = paired_weights(size), sums = 3 * couples;
  static constexpr int fewest_warps = Radius == 3 ? 12 : 16;

  template <class Window>
  __device__ explicit PairedProducts(const Window& window) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Columns + 2 * Radius; ++i) x_[i] = window.channel(i - Radius, 0);
    CONVOSCOPE_UNROLL
    for (int i = 0; i < differences; ++i) less_next_[i] = x_[i] - x_[i + 1];
  }
  template <class Weight>
  __device__ void add(float (&to)[sums], Weight weight) const {
    const auto times = [&](int k, auto factor, int part) {
      const float w = weight(k);
      CONVOSCOPE_UNROLL
      for (int m = 0; m < couples; ++m) to[part * couples + m] = fmaf(w, factor(2 * m), to[part * couples + m]);
    };
    CONVOSCOPE_UNROLL
    for (int k = 0; k < size / 2; ++k) {
      times(
          3 * k, [&](int i) { return less_next_[i + 2 * k]; }, 0);
      times(
          3 * k + 1, [&](int i) { return x_[i + 2 * k + 1]; }, 1);
      times(
          3 * k + 2, [&](int i) { return less_next_[i + 2 * k + 1]; }, 2);
    }
    times(
        weights - 1, [&](int i) { return x_[i + size - 1]; }, 0);
    times(
        weights - 1, [&](int i) { return x_[i + size]; }, 2);
  }
  __device__ static float result(const float (&sum)[sums], int, int i) {
    return sum[couples + i / 2] + sum[i % 2 * 2 * couples + i / 2];
  }

 private:
  static constexpr int differences = Columns + size - 3;
  float x_[Columns + 2 * Radius], less_next_[differences];
};

// In the order in which add() takes them: g, g + h and −h of each pair, and the odd one.
inline void append_paired(std::span<const float> row, std::vector<float>& to) {
  for (std::size_t k = 0; k + 1 < row.size(); k += 2) to.insert(to.end(), {row[k], row[k] + row[k + 1], -row[k + 1]});
  to.push_back(row.back());
}

// A term passes through as many roundings as there are terms in its sum, at most two for each pair of taps, and three
// more: of its difference or its g + h, of what it is added to in the end, and of the product. A difference of pixels
// is at most white, as a pixel is, so of each pair there are |g| + |g + h| in one output and |g + h| + |h| in the
// other.
inline double paired_bound(const Problem& problem, const std::vector<float>& paired) {
  const int size = 2 * std::max({problem.filter.rx(), problem.filter.ry(), 1}) + 1;
  const auto row = static_cast<std::size_t>(paired_weights(size));
  double bound = 0;
  for (const std::size_t left_out : {2, 0}) {
    Problem one = problem;
    one.filter.weights = paired;
    for (std::size_t i = 0; i < paired.size(); ++i)
      if (i % row + 1 < row && i % row % 3 == left_out) one.filter.weights[i] = 0;
    bound = std::max(bound, float32_sum_bound(one, problem.filter.depth * size * (size / 2 + 1) + 3));
  }
  return bound;
}

}  // namespace convoscope::CONVOSCOPE_TARGET
