#pragma once
// Before a plan is checked.
#include <span>

#include "kernels/contract/strategy.h"

namespace convoscope {

// A plan whose kernel is still being compiled lets another one run meanwhile, which is not what is to be verified.
// Waits, 30 seconds at most; throws Error where another one runs even so. `in`: as of Plan::explore().
void wait_for_own_code(Plan&, std::span<const Tensor> in, Stream);

}  // namespace convoscope
