#pragma once
// Is a filter over frames the product of three: one over time, a column and a row? Found from the weights. Host only;
// safe from any thread.
#include <optional>
#include <string>
#include <vector>

#include "kernels/contract/strategy.h"

namespace convoscope {

// weights[(t · height + y) · width + x] ≈ frames[t] · column[y] · row[x]
struct VolumeFactors {
  std::vector<float> frames, column, row;
  double error = 0;  // Σ|w − frames·column·row| as the float32 factors have it: times white, a bound on the output
};

// The factors, or nothing when a product of two is further off than rank_one_tolerance · Σ|w|.
std::optional<VolumeFactors> factor_volume(const Filter&);

// For unsupported(): empty when there are factors, else a sentence with the ranks.
std::string separable_volume_reason(const Filter&);

// What three passes in float32 stay within: each term passes through depth + height + width roundings, and the factors
// differ from the weights by `error`. Only for problems where separable_volume_reason() is empty.
double separable_volume_sum_bound(const Problem&);

}  // namespace convoscope
