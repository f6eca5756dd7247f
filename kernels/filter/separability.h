#pragma once
// Is a filter an outer product, or a short sum of them? Found from the singular values of the weights, never from the
// filter's name. Host only; safe from any thread.
#include <optional>
#include <string>
#include <vector>

#include "kernels/contract/strategy.h"

namespace convoscope {

// Weights come as float32, so an exact outer product is already off by 2^-24 of each weight, and rounding its two
// factors to float32 costs about as much twice more. 1e-6 lets those pass and nothing that a person would call another
// filter: on rgba8 it is at most 255 · 1e-6 · Σ|w|, a 4000th of a code value.
inline constexpr double rank_one_tolerance = 1e-6;

// weights[y · width + x] ≈ column[y] · row[x]
struct SeparableFactors {
  std::vector<float> row, column;  // width and height values
  double error = 0;  // Σ|w − column·row| as the float32 factors have it: times white, a bound on the output
};

// The factors, or nothing when the error is above tolerance · Σ|w|. Remembers recent answers, so it is cheap enough to
// be asked every frame.
std::optional<SeparableFactors> factor_rank_one(const float* weights, int width, int height, double tolerance);

// weights[y · width + x] ≈ Σ_k columns[k · height + y] · rows[k · width + x]
struct LowRankFactors {
  int rank = 0;
  std::vector<float> rows, columns;     // rank × width, rank × height
  std::vector<double> singular_values;  // all of them, descending
  double error = 0;                     // Σ|w − Σ_k column_k·row_k|, as above
};

// The fewest terms, but at least one and at most max_rank, whose error is within tolerance · Σ|w|. The caller looks at
// `error` when max_rank may have cut it short.
LowRankFactors low_rank_factors(const float* weights, int width, int height, double tolerance, int max_rank = 1 << 20);

// How many terms the filter needs for rank_one_tolerance; remembers recent answers as factor_rank_one does.
int filter_rank(const float* weights, int width, int height);

// For unsupported(): empty when every weight set of the filter is an outer product, else a sentence with its rank.
std::string separable_reason(const Filter&);

// What a row pass and a column pass in float32 stay within: each term passes through width + height roundings, and the
// factors differ from the weights by `error`. Only for problems where separable_reason() is empty.
double separable_sum_bound(const Problem&);

}  // namespace convoscope
