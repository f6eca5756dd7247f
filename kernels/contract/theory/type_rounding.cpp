#include "kernels/contract/theory/type_rounding.h"

namespace convoscope {

// Inputs and weights are rounded to 11 significant bits, so each is off by u = 2^-11 of itself, or by 2^-25 below the
// smallest normal float16. A product x·w is then off by (2u + u²)·|x·w| and, with x ≤ 1, by 2^-25·(1 + |w| + 2^-25) at
// most. A bias stays float32, and ReLU moves nothing apart. What rounds a float16 result is in the tolerance.
double type_rounding(const Problem& problem) {
  if (problem.layer.precision == Precision::f32 || !problem.filter.is_bank()) return 0;
  constexpr double u = 0x1p-11, least = 0x1p-25;
  const double sum = layer_absolute_sum(problem), terms = layer_terms(problem);
  return (2 * u + u * u) * sum + least * (terms + sum + least * terms);
}

}  // namespace convoscope
