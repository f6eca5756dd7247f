#pragma once
// Whether float32 holds what a problem's sums may become, or float16 the outputs of a layer.
#include <string>

#include "kernels/contract/strategy.h"

namespace convoscope {

// Why it does not, with the numbers; empty where it does. `growth`: how many times the largest sum of weights and
// inputs, Σ|w| · white, a strategy's intermediate values may reach.
std::string overflow_reason(const Problem&, double growth = 1);
// The same of a layer whose outputs are float16, for inputs up to 1; empty for other layers.
std::string half_overflow_reason(const Problem&);

}  // namespace convoscope
