#pragma once
// Which outputs of a frame are compared with the reference: a bounded number, so that the slow definition is done soon.
#include <vector>

#include "kernels/contract/kind.h"

namespace convoscope {

// What is copied for them together with what they are made from: elements of four bytes.
inline constexpr double most_checked_elements = 2e6;

// Whole planes when they are small enough; else the four corners of a plane, a place on each edge, places anywhere, and
// for small filters whole rows and columns. Other places for another seed; planes take turns, so that each place is
// looked at in every one of them. About `products` multiplications in all. None: see Kind::sources.
std::vector<PlaneArea> check_samples(const Problem&, unsigned seed, double products = 2e7);

}  // namespace convoscope
