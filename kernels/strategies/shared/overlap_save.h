#pragma once
// Overlap-save: a signal's outputs in blocks, each from one transform that is longer than the block by what the taps
// reach beyond it. Host only.
#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/overflow.h"
#include "kernels/contract/theory/tolerance.h"

namespace convoscope {

inline constexpr int transform_sizes[] = {0, 512, 1024, 2048, 4096, 8192, 16384, 32768};
inline constexpr int largest_transform = 32768;
inline constexpr Tunable transform_size_tunable{
    "transform_size", "Transform",
    "Samples of a transform. A longer one spends less on the overlap of the blocks and more on each sample. 0: at "
    "least four times the taps",
    transform_sizes, 0};

struct OverlapSave {
  int size = 0;   // samples of a transform
  int block = 0;  // outputs taken from it: in the others, the sum goes round from its end to its beginning
};

// `chosen` 0: a power of two for the taps, no longer than a short signal needs.
inline OverlapSave overlap_save(const Problem& p, int chosen) {
  constexpr int shortest = 512;
  int size = chosen;
  if (size == 0) {
    const long wanted = std::min(std::max(4L * (p.filter.width - 1), long{shortest}), long{p.width} + p.filter.width);
    for (size = 2; size < wanted;) size *= 2;
  }
  const int block = size - p.filter.width + 1;
  constexpr int aligned = 32;  // samples, so that the blocks of a channel begin where a warp likes to read
  return {size, block > 2 * aligned ? block / aligned * aligned : block};
}

// A product of spectra reaches √N times the largest sum (Cauchy and Schwarz), twice that between its four products.
inline std::string overlap_save_reason(const Problem& p, int chosen) {
  if (chosen == 0 || chosen > p.filter.width) return overflow_reason(p, 2 * std::sqrt(overlap_save(p, chosen).size));
  return "A transform of " + std::to_string(chosen) + " samples has no output that all of the " +
         std::to_string(p.filter.width) + " taps reach; choose a longer one";
}

// Of a block's two transforms of real numbers, 2.5 N log2 N each, and the product between them.
inline double flop_of_block(const OverlapSave& layout) {
  return 2 * 2.5 * layout.size * std::log2(layout.size) + 6.0 * (layout.size / 2 + 1);
}

// Rounding in an FFT of N points has a root mean square of at most unit · log2(N) of the data's (Gentleman & Sande,
// 1966); three transforms and a product follow each other, on data of at most white and a filter spectrum of at most
// Σ|w|. The largest of N such errors stays below peak times their root mean square: for independent errors that fails
// with probability under 1e-9 even for a day of samples.
inline double overlap_save_bound(const Problem& p) {
  constexpr double unit_roundoff = 0x1p-24, peak = 8;
  double sum = 0;
  for (const float w : p.filter.weights) sum += std::abs(w);
  return float32_sum_bound(p, 1) + peak * unit_roundoff * (3 * std::log2(largest_transform) + 2) * sum *
                                       std::abs(p.filter.gain) * white_level(p.format);
}

}  // namespace convoscope
