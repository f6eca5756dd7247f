#pragma once
// Whether float32 holds what a problem's sums may become.
#include <string>

#include "kernels/contract/strategy.h"

namespace convoscope {

// Why it does not, with the numbers; empty where it does. `growth`: how many times the largest sum of weights and
// inputs, Σ|w| · white, a strategy's intermediate values may reach.
std::string overflow_reason(const Problem&, double growth = 1);

}  // namespace convoscope
