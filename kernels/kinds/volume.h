#pragma once
#include "kernels/contract/kind.h"

namespace convoscope {

extern const Kind volume_kind;

// A filter for pictures in each of 2·rt + 1 frames, which are averaged. An edge magnitude stays as it is, for a single
// image, which Kind::invalid says.
Filter over_time(const Filter&, int rt);

// Of kernels that read the same of every frame.
Explanation in_all_frames(const Problem&, Explanation);

}  // namespace convoscope
