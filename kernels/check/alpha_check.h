#pragma once
// A strategy with the step around it that pictures with alpha take (convert/alpha_step.h), against a reference of its
// own in double precision.
#include <span>
#include <vector>

#include "kernels/check/verify.h"

namespace convoscope {

// Red, green, blue and alpha of every pixel, row by row, clamped to 0…255 and not rounded. `in`: rgba8, host memory.
std::vector<double> reference_with_alpha(const Problem&, const Image& in);

// One rgba8 problem with a random picture of every alpha, from transparent to opaque. What the row says of an error is
// in code values; of a colour it counts as much as its alpha lets it be seen.
VerifyRow verify_with_alpha(Compute&, const Strategy&, const Problem&, unsigned seed);

// What of it is worth checking, for the image kind: both ways that alpha goes into a filter, what follows the sums, and
// every border. `filters`: instead of its own.
std::vector<Problem> alpha_cases(std::span<const Filter> filters);

}  // namespace convoscope
