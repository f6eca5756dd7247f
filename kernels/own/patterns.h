#pragma once
// Where wrong outputs lie: in each tile, at the edges of the image, everywhere.
#include <string>

#include "kernels/own/trial.h"

namespace convoscope::own {

std::string story_of_unwritten(const Problem&, const Outputs&);                  // empty: all are written
std::string story_of_places(const KernelFile&, const Problem&, const Outputs&);  // empty: no pattern is seen

}  // namespace convoscope::own
