#pragma once
// How far rounding may take a float32 result from the exact one.
#include "kernels/contract/strategy.h"

namespace convoscope {

// The bound that rounding errors of a float32 sum obey: terms · 2^-24 · Σ|w| · |gain| · white (+ the epilogue's own
// roundings), √(Sx² + Sy²) of the two sets' Σ|w| for edge magnitude. What direct strategies state as their tolerance.
// `terms`: how many roundings a product passes through on its way into the sum, so fewer where parts are summed first.
// Of a layer: Σ|w| of the worst map or channel, or of the other input, which is N·Hₒ·Wₒ for inputs up to 1; and the
// rounding of float16 results.
double float32_sum_bound(const Problem&, int terms);

// Why a tolerance says nothing about the outputs, with the numbers; empty when it does: bytes are at most 255 apart, so
// where rounding may take them further, whatever comes out would be right.
std::string undecided_reason(const Problem&, double tolerance);

}  // namespace convoscope
