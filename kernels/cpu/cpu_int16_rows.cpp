#include "kernels/cpu/cpu_int16_rows.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "kernels/cpu/highway_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/cpu_int16_rows.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convoscope::int16_rows {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // processors before SSE4: plain loops, and numbers in the order of the pixels

HWY_INLINE int dot(const std::int16_t* pair, std::int32_t taps) {
  return pair[0] * static_cast<std::int16_t>(taps) + pair[1] * (taps >> 16);
}

void PairLines(const std::uint8_t* upper, const std::uint8_t* lower, std::int16_t* pair, int pixels) {
  for (int i = 0; i < 4 * pixels; ++i) pair[2 * i] = upper[i], pair[2 * i + 1] = lower[i];
}

// Where channel c of pixel x lies in a line of pairs.
HWY_INLINE int place(int x, int c) { return x / 2 * 2 * line_of_pairs + 2 * c + x % 2; }

void FilterColumns(const std::int16_t* const* pairs, const TapPairs& taps, int shift, std::int16_t* const* out,
                   int pixels) {
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < 4 * pixels; ++i) {
      int sum = 0;
      for (std::size_t t = 0; t < taps.first.size(); ++t)
        sum += dot(pairs[t] + 2 * i, k == 0 ? taps.first[t] : taps.second[t]);
      out[k][place(i / 4, i % 4)] = static_cast<std::int16_t>(sum >> shift);
    }
}

void FilterRow(const std::int16_t* line, const TapPairs& taps, const Finish& finish, const std::uint8_t* in,
               std::uint8_t* out, int pixels) {
  for (int i = 0; i < 4 * pixels; ++i) {
    const int x = i / 4, c = i % 4;
    int sum = finish.bias;
    for (std::size_t t = 0; t < taps.first.size(); ++t)
      sum += dot(line + place(x / 2 * 2 + 2 * static_cast<int>(t), c), x % 2 == 0 ? taps.first[t] : taps.second[t]);
    const int value = ((finish.absolute ? std::abs(sum) : sum) + (1 << (finish.shift - 1))) >> finish.shift;
    out[i] = c == 3 ? in[i] : static_cast<std::uint8_t>(std::clamp(value, 0, 255));
  }
}

#else

namespace hn = hwy::HWY_NAMESPACE;

using Shorts = hn::CappedTag<std::int16_t, 32>;
using Words = hn::RepartitionToWide<Shorts>;
using Bytes = hn::Rebind<std::uint8_t, Shorts>;  // half a vector
using ShortVector = hn::Vec<Shorts>;
using WordVector = hn::Vec<Words>;
constexpr int lanes = static_cast<int>(hn::MaxLanes(Shorts()));
constexpr int vector_pixels = lanes / 4;
constexpr int vectors = 4;  // of inputs at a time: with two outputs, eight sums hide the latency of a multiply-add

void PairLines(const std::uint8_t* upper, const std::uint8_t* lower, std::int16_t* pair, int pixels) {
  constexpr Shorts d;
  constexpr Bytes bytes;
  for (int at = 0; at < pixels; at += vector_pixels, pair += 2 * lanes) {
    const ShortVector a = hn::PromoteTo(d, hn::LoadU(bytes, upper + 4 * at));
    const ShortVector b = hn::PromoteTo(d, hn::LoadU(bytes, lower + 4 * at));
    // Interleaves blocks of 128 bits, two pixels: the even pixels of all blocks, then the odd ones.
    hn::Store(hn::InterleaveLower(d, a, b), d, pair);
    hn::Store(hn::InterleaveUpper(d, a, b), d, pair + lanes);
  }
}

// Where the inputs of tap pair t are.
struct PairsOfLines {
  const std::int16_t* const* pairs;
  HWY_INLINE const std::int16_t* at(int t) const { return pairs[t]; }
};
struct PairsOfPixels {
  const std::int16_t* line;
  HWY_INLINE const std::int16_t* at(int t) const { return line + 2 * line_of_pairs * t; }
};

using Sums = WordVector[2][vectors];

HWY_INLINE void add_products(const std::int16_t* x, std::int32_t first, std::int32_t second, Sums& sums, Sums& more) {
  constexpr Shorts d;
  constexpr Words words;
  const ShortVector w0 = hn::BitCast(d, hn::Set(words, first)), w1 = hn::BitCast(d, hn::Set(words, second));
  for (int v = 0; v < vectors; ++v) {
    const ShortVector loaded = hn::LoadU(d, x + v * lanes);
    sums[0][v] = hn::ReorderWidenMulAccumulate(words, loaded, w0, sums[0][v], more[0][v]);
    sums[1][v] = hn::ReorderWidenMulAccumulate(words, loaded, w1, sums[1][v], more[1][v]);
  }
}

struct Taps {
  explicit Taps(const TapPairs& pairs)
      : first(pairs.first.data()), second(pairs.second.data()), count(static_cast<int>(pairs.first.size())) {}
  const std::int32_t *first, *second;
  int count;
};

template <class Inputs>
HWY_INLINE void multiply(Inputs inputs, int offset, Taps taps, Sums& sums) {
  Sums more;  // unused but on NEON, which makes the sums of the upper halves there
  for (int k = 0; k < 2; ++k)
    for (int v = 0; v < vectors; ++v) sums[k][v] = more[k][v] = hn::Zero(Words());
  add_products(inputs.at(0) + offset, taps.first[0], taps.second[0], sums, more);  // not in the loop: nothing to add to
  for (int t = 1; t < taps.count; ++t) add_products(inputs.at(t) + offset, taps.first[t], taps.second[t], sums, more);
  for (int k = 0; k < 2; ++k)
    for (int v = 0; v < vectors; ++v) sums[k][v] = hn::RearrangeToOddPlusEven(sums[k][v], more[k][v]);
}

void FilterColumns(const std::int16_t* const* pairs, const TapPairs& tap_pairs, int shift, std::int16_t* const* out,
                   int pixels) {
  constexpr Shorts d;
  const Taps taps(tap_pairs);
  constexpr int step = vectors / 2 * vector_pixels;
  static_assert(step <= slack);
  for (int at = 0; at < pixels; at += step) {
    Sums sums;
    multiply(PairsOfLines{pairs}, at * pair_of_lines, taps, sums);
    for (int k = 0; k < 2; ++k)
      for (int v = 0; v < vectors; v += 2) {
        const WordVector even = hn::ShiftRightSame(sums[k][v], shift);
        const WordVector odd = hn::ShiftRightSame(sums[k][v + 1], shift);
        const ShortVector both = hn::OddEven(hn::BitCast(d, hn::ShiftLeft<16>(odd)), hn::BitCast(d, even));
        hn::Store(both, d, out[k] + at * line_of_pairs + v / 2 * lanes);
      }
  }
}

template <bool Absolute>
HWY_INLINE WordVector finished(WordVector sum, WordVector bias, WordVector half, int shift) {
  sum = hn::Add(sum, bias);
  if constexpr (Absolute) sum = hn::Add(hn::Abs(sum), half);
  return hn::ShiftRightSame(sum, shift);
}

constexpr int row_step = vectors * vector_pixels;

// By values, not references: for all the compiler knows, bytes that are stored might change what is behind those.
template <bool Absolute>
HWY_INLINE void filter_block(PairsOfPixels inputs, int at, Taps taps, Finish finish, const std::uint8_t* in,
                             std::uint8_t* out) {
  constexpr Shorts d;
  constexpr Words words;
  constexpr Bytes bytes;
  const auto alpha = hn::BitCast(bytes, hn::Set(hn::Repartition<std::uint32_t, Bytes>(), 0xFF000000u));
  const int half_code = 1 << (finish.shift - 1);
  const WordVector bias = hn::Set(words, Absolute ? finish.bias : finish.bias + half_code);
  const WordVector half = hn::Set(words, half_code);
  Sums sums;
  multiply(inputs, at * line_of_pairs, taps, sums);
  for (int v = 0; v < vectors; ++v) {
    // One pixel of each in turn: block for block on every target that is compiled.
    const ShortVector codes = hn::ReorderDemote2To(d, finished<Absolute>(sums[0][v], bias, half, finish.shift),
                                                   finished<Absolute>(sums[1][v], bias, half, finish.shift));
    const auto output = hn::IfVecThenElse(alpha, hn::LoadU(bytes, in + v * lanes), hn::DemoteTo(bytes, codes));
    hn::StoreU(output, bytes, out + v * lanes);
  }
}

template <bool Absolute>
void filter_pixels(const std::int16_t* line, const TapPairs& tap_pairs, const Finish& finish, const std::uint8_t* in,
                   std::uint8_t* out, int pixels) {
  static_assert(row_step <= slack);
  const PairsOfPixels inputs{line};
  const Taps taps(tap_pairs);
  int at = 0;
  for (; at + row_step <= pixels; at += row_step)
    filter_block<Absolute>(inputs, at, taps, finish, in + 4 * at, out + 4 * at);
  if (at == pixels) return;
  const std::size_t rest = 4 * static_cast<std::size_t>(pixels - at);
  std::uint8_t last_in[4 * row_step] = {}, last_out[4 * row_step];
  std::memcpy(last_in, in + 4 * at, rest);
  filter_block<Absolute>(inputs, at, taps, finish, last_in, last_out);
  std::memcpy(out + 4 * at, last_out, rest);
}

void FilterRow(const std::int16_t* line, const TapPairs& taps, const Finish& finish, const std::uint8_t* in,
               std::uint8_t* out, int pixels) {
  if (finish.absolute)
    filter_pixels<true>(line, taps, finish, in, out, pixels);
  else
    filter_pixels<false>(line, taps, finish, in, out, pixels);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace convoscope::int16_rows
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoscope::int16_rows {

HWY_EXPORT(PairLines);
HWY_EXPORT(FilterColumns);
HWY_EXPORT(FilterRow);

TapPairs::TapPairs(const std::vector<int>& taps) {
  const auto pair = [&](std::size_t i, std::size_t j) {  // a tap that is not there is 0; −1 is one of those
    const auto half = [&](std::size_t at) { return at < taps.size() ? static_cast<std::uint32_t>(taps[at]) : 0u; };
    return static_cast<std::int32_t>((half(i) & 0xFFFFu) | half(j) << 16);
  };
  for (std::size_t i = 0; i <= taps.size(); i += 2) {
    first.push_back(pair(i, i + 1));
    second.push_back(pair(i - 1, i));
  }
}

void pair_lines(const std::uint8_t* upper, const std::uint8_t* lower, std::int16_t* pair, int pixels) {
  HWY_DYNAMIC_DISPATCH(PairLines)(upper, lower, pair, pixels);
}

void filter_columns(const std::int16_t* const* pairs, const TapPairs& taps, int shift, std::int16_t* const* out,
                    int pixels) {
  HWY_DYNAMIC_DISPATCH(FilterColumns)(pairs, taps, shift, out, pixels);
}

void filter_row(const std::int16_t* line, const TapPairs& taps, const Finish& finish, const std::uint8_t* in,
                std::uint8_t* out, int pixels) {
  HWY_DYNAMIC_DISPATCH(FilterRow)(line, taps, finish, in, out, pixels);
}

}  // namespace convoscope::int16_rows
#endif
