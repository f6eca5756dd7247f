#pragma once
// Faults that can be imitated: the outputs are compared with what the reference gives with such a fault.
#include <string>

#include "kernels/own/trial.h"

namespace convoscope::own {

// Empty: none of them explains all outputs.
std::string story_of_hypotheses(const Asked&, const Outputs&);

}  // namespace convoscope::own
