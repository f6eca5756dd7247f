#pragma once
// How far the type of a layer's numbers takes its outputs.
#include "kernels/contract/strategy.h"

namespace convoscope {

// The most by which an exact output of these numbers differs from that of float32 ones, for inputs up to 1: what panes
// of different types may differ by, beside what each one's strategy may round. 0 for float32.
double type_rounding(const Problem&);

// As float32_sum_bound(), of what rounds its factors as the reference does: to the problem's type. Where the type is
// float32 or float16 they are the same; of tf32 float32_sum_bound() is for what multiplies whole float32 numbers.
double rounded_factors_bound(const Problem&, int terms);

}  // namespace convoscope
