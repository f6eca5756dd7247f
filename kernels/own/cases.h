#pragma once
// What a kernel file is asked.
#include <vector>

#include "kernels/own/trial.h"

namespace convoscope::own {

// The kind's own cases, the larger ones first; every value of every tunable; then `secret` ones that follow from the
// seed: sizes, filters, borders, formats, tunables and pitches. Each has an input of its own.
std::vector<Asked> cases_for(const KernelFile&, unsigned seed, int secret);

// "37 × 23 rgba8, box:rx=2,ry=1, border zero, block_width=16".
std::string case_in_words(const Asked&);

}  // namespace convoscope::own
