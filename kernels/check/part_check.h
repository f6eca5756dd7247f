#pragma once
// Whether a part of what a strategy has made is right, for those who look at a running picture and have no time for all
// of it.
#include <span>

#include "kernels/contract/kind.h"

namespace convoscope {

// How a part of an output compares with the reference: its worst error and the place of that in the whole output.
// `sources`: a plane for each of Kind::sources(); `out`: the part. Host memory, any thread.
Difference compare_part(const Problem&, const PlaneArea& part, std::span<const Tensor> sources, const Tensor& out);

}  // namespace convoscope
