#pragma once
// A filter as a sum of columns times rows, as many of them as it takes (strategy low-rank). Host only.
#include <cmath>

#include "kernels/contract/theory/tolerance.h"
#include "kernels/filter/separability.h"

namespace convoscope {

struct LowRankTerms {
  LowRankFactors x, y;  // y: of an edge magnitude's second filter, else of rank 0
  int total() const { return x.rank + y.rank; }
  double error() const { return x.error + y.error; }
};

// What the left-out terms may add to an output: a quarter of a code value for rgba8, and for gray32f as much as
// rounding one input to 16 bits would.
inline double permitted_error(const Filter& filter, PixelFormat format) {
  double largest = 0;
  for (const std::vector<float>* weights : {&filter.weights, &filter.weights_y}) {
    double sum = 0;
    for (float w : *weights) sum += std::abs(w);
    largest = std::max(largest, sum);
  }
  const double scale = std::abs(filter.gain) * largest;
  return format == PixelFormat::rgba8 ? 0.25 / std::max(255 * scale, 0.25) : 0x1p-16;  // relative to Σ|w|
}

// The newest answer is remembered: this is asked for every frame.
inline const LowRankTerms& low_rank_terms(const Problem& p) {
  struct Memory {
    std::vector<float> weights, weights_y;
    int width = 0;
    double permitted = 0;
    LowRankTerms terms;
  };
  thread_local Memory memory;
  const double permitted = permitted_error(p.filter, p.format);
  if (memory.width != p.filter.width || memory.permitted != permitted || memory.weights != p.filter.weights ||
      memory.weights_y != p.filter.weights_y) {
    const int w = p.filter.width, h = p.filter.height;
    memory = {p.filter.weights, p.filter.weights_y, w, permitted, {}};
    memory.terms.x = low_rank_factors(p.filter.weights.data(), w, h, permitted);
    if (p.filter.is_magnitude()) memory.terms.y = low_rank_factors(p.filter.weights_y.data(), w, h, permitted);
  }
  return memory.terms;
}

// What the terms left out can add, and the roundings of k passes of width + height terms each. The passes' own Σ|w| is
// that of the factors, Σₖ Σ|rowₖ| Σ|columnₖ|, which can exceed the filter's.
inline double low_rank_bound(const Problem& p) {
  constexpr double unit_roundoff = 0x1p-24;
  const LowRankTerms& terms = low_rank_terms(p);
  double squares = 0;
  for (const LowRankFactors* factors : {&terms.x, &terms.y}) {
    double absolute = 0;
    for (int k = 0; k < factors->rank; ++k) {
      double row = 0, column = 0;
      for (int i = 0; i < p.filter.width; ++i) row += std::abs(factors->rows[k * p.filter.width + i]);
      for (int i = 0; i < p.filter.height; ++i) column += std::abs(factors->columns[k * p.filter.height + i]);
      absolute += row * column;
    }
    const double roundings = p.filter.width + static_cast<double>(factors->rank) * p.filter.height;
    const double bound = factors->error + roundings * unit_roundoff * absolute;
    squares += bound * bound;  // |Δ sqrt(x² + y²)| ≤ sqrt(Δx² + Δy²)
  }
  return float32_sum_bound(p, 1) + std::sqrt(squares) * std::abs(p.filter.gain) * white_level(p.format);
}

// "rank 3 of 9, the weights are off by 0.2 %".
inline std::string ranks_text(const Filter& filter, const LowRankTerms& terms) {
  double sum = 0;
  for (const std::vector<float>* weights : {&filter.weights, &filter.weights_y})
    for (float w : *weights) sum += std::abs(w);
  char error[32];
  std::snprintf(error, sizeof error, "%.2g", sum > 0 ? 100 * terms.error() / sum : 0.0);
  const std::string ranks = filter.is_magnitude()
                                ? "ranks " + std::to_string(terms.x.rank) + " and " + std::to_string(terms.y.rank)
                                : "rank " + std::to_string(terms.x.rank);
  return ranks + " of " + std::to_string(std::min(filter.width, filter.height)) + ", the weights are off by " + error +
         " %";
}

// Of each filter, for each term: row taps, then column taps.
inline std::vector<float> taps_of_terms(const LowRankTerms& terms, int width, int height) {
  std::vector<float> values;
  for (const LowRankFactors* factors : {&terms.x, &terms.y})
    for (int k = 0; k < factors->rank; ++k) {
      const auto row = factors->rows.begin() + k * width, column = factors->columns.begin() + k * height;
      values.insert(values.end(), row, row + width);
      values.insert(values.end(), column, column + height);
    }
  return values;
}

}  // namespace convoscope
