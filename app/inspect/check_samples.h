#pragma once
// Which pixels of a frame are compared with the reference: a bounded number, so that the slow definition is done soon.
#include <vector>

#include "kernels/contract/strategy.h"

namespace convoscope {

// The whole image when it is small enough; else its four corners, a place on each edge, places anywhere, and for small
// filters whole rows and columns. Other places for another seed. About `products` multiplications in all.
std::vector<PixelArea> check_samples(const Problem&, unsigned seed, double products = 2e7);

// How one such part compares. `in`: the inputs of the part and of a filter's radius around it, where the border has put
// what it puts outside of the image; `out`: the part. Host memory, any thread.
struct Difference;
Difference compare_part(const Problem&, const Image& in, const Image& out);

}  // namespace convoscope
