#pragma once
// Why outputs are wrong, in a sentence: what else would come out if the kernel had this fault or that one, and where
// the wrong ones lie.
#include <string>

#include "kernels/own/trial.h"

namespace convoscope::own {

// Of wrong outputs. Empty: they are right, or nothing better can be said than where the first one is.
std::string story_of_outputs(const KernelFile&, const Asked&, const Outcome&);

// Of something that was seen while it ran, with its line where it is known.
std::string story_of_fault(const Fault&);

// "at (3, 4), channel 0, 17 is expected and 12 comes out".
std::string worst_in_words(const Difference&);

}  // namespace convoscope::own
