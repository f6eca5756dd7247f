#pragma once
// The plan of `auto`, of whatever kind: runs one of the candidates, tries the others beside it and stays with the
// fastest. How is said in strategies/shared/auto.cpp.in.
#include <memory>

#include "kernels/contract/strategy.h"

namespace convoscope {

// Throws Error when none of the candidates has the resources it needs.
std::unique_ptr<Plan> make_auto_plan(const Problem&, const Device&);

}  // namespace convoscope
