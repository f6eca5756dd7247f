#pragma once
// The oracle of the kinds that slide one filter over frames: the plain definition, in double precision. Slow, short and
// obviously right.
#include <span>
#include <vector>

#include "kernels/contract/explain.h"
#include "kernels/contract/kind.h"

namespace convoscope {

// The exact result, before rounding: width × height × channels(format) values, row-major, channels interleaved, after
// gain, bias, absolute; for rgba8 clamped to 0…255. `in` is host memory: filter.depth frames.
std::vector<double> reference(const Problem&, std::span<const Image> in);
std::vector<double> reference(const Problem&, const Image& in);
// For the outputs of `part` alone, which lies within the image; in the calling thread.
std::vector<double> reference(const Problem&, std::span<const Image> in, const PixelArea& part);

// Compares every pixel of `out` (host memory). A NaN or infinite output has an infinite error. `in`: whose alpha `out`
// carries.
Difference compare(const Problem&, const std::vector<double>& expected, const Image& in, const Image& out);

}  // namespace convoscope
