#pragma once
// Small data that nobody would type: as large as one says, all ones or counted from 1.
#include <optional>
#include <string>

#include "kernels/text/number_grid.h"

namespace convoscope {

// "ones:16x16", "ramp:3072", "ramp:16x16x3": columns, rows and planes, of which the last may be left out. Nothing for
// any other text. Throws Error naming the text where it is too large or has no size.
std::optional<NumberGrid> made_grid(const std::string& text);

}  // namespace convoscope
