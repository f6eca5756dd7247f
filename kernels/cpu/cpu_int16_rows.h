#pragma once
// The inner loops of a separable filter of rgba8 in 16-bit fixed point, vectorised with Highway. Processors multiply
// two neighbouring 16-bit numbers by two others and add both products to a 32-bit sum, in one step. So what a filter
// adds up is stored in pairs, (0, 1), (2, 3), …, which serve two outputs with two sets of taps:
//   output 0 = (in 0, in 1) · (tap 0, tap 1) + (in 2, in 3) · (tap 2, 0)
//   output 1 = (in 0, in 1) · (0, tap 0)     + (in 2, in 3) · (tap 1, tap 2)      for three taps.
// Down the columns the pairs are of two lines, along the rows of two neighbouring pixels.
#include <cstdint>
#include <vector>

namespace convoscope::int16_rows {

// Lines are readable and writable this many pixels behind their end, since loops work in whole vectors. Those of 16-bit
// numbers are aligned to 64 bytes.
inline constexpr int slack = 32;
inline constexpr int pair_of_lines = 8, line_of_pairs = 4;  // 16-bit numbers for each pixel

// An odd number of taps as the words that the loops want, the lower half for the first of a pair.
struct TapPairs {
  TapPairs() = default;
  explicit TapPairs(const std::vector<int>& taps);
  std::vector<std::int32_t> first, second;  // for output 0 and for output 1; (taps + 1) / 2 each
};

// Two lines of `pixels` code values × 4 as one pair of lines, pair_of_lines × pixels. The order within is the
// processor's affair.
void pair_lines(const std::uint8_t* upper, const std::uint8_t* lower, std::int16_t* pair, int pixels);

// Two output lines, of (Σ tap · code value) >> shift, which must fit in 16 bits, from one pair of lines for each pair
// of taps. Each output is a line of pairs of pixels, line_of_pairs × pixels.
void filter_columns(const std::int16_t* const* pairs, const TapPairs&, int shift, std::int16_t* const* out, int pixels);

// What happens to the sum of a row: (sum + bias + half) >> shift, or (|sum + bias| + half) >> shift, where half is
// 1 << (shift − 1). Clamped to 0 … 255 afterwards.
struct Finish {
  int bias = 0, shift = 1;
  bool absolute = false;
};

// Outputs from a line of pairs that begins at the first tap of the first output. `out` is written up to `pixels` and no
// further; its alpha comes from `in`, of which no more is read.
void filter_row(const std::int16_t* line, const TapPairs&, const Finish&, const std::uint8_t* in, std::uint8_t* out,
                int pixels);

}  // namespace convoscope::int16_rows
