#pragma once
// What the edges of the outputs change, of which the averages of a model tell nothing: lines for people.
#include <string>
#include <string_view>

#include "kernels/contract/strategy.h"

namespace convoscope {

std::string ghost_cells_text(const Problem&);
std::string edges_text(std::string_view strategy, const Problem&, const Cost&);

}  // namespace convoscope
