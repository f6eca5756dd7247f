#pragma once
// The oracle for a part of an image: what the background check of a large picture can afford.
#include "kernels/check/reference.h"
#include "kernels/contract/explain.h"

namespace convoscope {

// As reference(), for the outputs of `part` alone, which lies within the image; in the calling thread.
std::vector<double> reference(const Problem&, const Image& in, const PixelArea& part);

}  // namespace convoscope
