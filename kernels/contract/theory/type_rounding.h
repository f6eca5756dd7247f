#pragma once
// How far the type of a layer's numbers takes its outputs.
#include "kernels/contract/strategy.h"

namespace convoscope {

// The most by which an exact output of these numbers differs from that of float32 ones, for inputs up to 1: what panes
// of different types may differ by, beside what each one's strategy may round. 0 for float32.
double type_rounding(const Problem&);

}  // namespace convoscope
