#pragma once
// How many blocks read from one block's region of the picture: what 2010 counted as "each region is read nine times".
#include <optional>

#include "kernels/contract/strategy.h"

namespace convoscope {

// Of the region in the middle of the picture that one block's outputs lie in, for each kernel of the strategy, summed:
// blocks that load some of it into their tile or read it where they need it. Counted from what the strategy says of
// itself, which tests hold against what its kernels are seen to touch. None: it has no blocks, does not say, or takes
// no such problem. `device` may be the emulated one. Plain arithmetic.
std::optional<int> region_reads(const Strategy&, const Problem&, const Device&, const Tuning&);

}  // namespace convoscope
