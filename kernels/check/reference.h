#pragma once
// The oracle: the plain definition of filtering, in double precision. Slow, short and obviously right.
#include <vector>

#include "kernels/contract/strategy.h"

namespace convoscope {

// The exact result, before rounding: width × height × channels(format) values, row-major, channels interleaved, after
// gain, bias, absolute; for rgba8 clamped to 0…255. `in` is host memory.
std::vector<double> reference(const Problem&, const Image& in);

struct Difference {
  double max_error = 0;  // how far an output lies from the reference; for rgba8 the half code value that rounding may
                         // take is subtracted, so a correctly rounded output has error 0 and ties need no allowance
  int x = 0, y = 0, channel = 0;  // where; channel 3: alpha was not carried over (error 255)
  double expected = 0, actual = 0;
};
// Compares every pixel of `out` (host memory). A NaN or infinite output has an infinite error.
Difference compare(const Problem&, const std::vector<double>& expected, const Image& in, const Image& out);

// The bound that rounding errors of a float32 sum obey: terms · 2^-24 · Σ|w| · |gain| · white (+ the epilogue's own
// roundings), √(Sx² + Sy²) of the two sets' Σ|w| for edge magnitude. What direct strategies state as their tolerance.
double float32_sum_bound(const Problem&, int terms);

}  // namespace convoscope
