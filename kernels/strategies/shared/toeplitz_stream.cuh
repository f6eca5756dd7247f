#pragma once
// The kernel of the pictures' tensor-core-half: a warp walks along a strip of 128 columns and keeps in registers the
// sums of all output rows that an input row adds to. Sixteen runs of eight outputs are the rows of a matrix of pixels,
// A; a row of the filter is a banded (Toeplitz) matrix, B. Both are split in two fp16 numbers.
#include <array>
#include <vector>

#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/cuda_raii.h"
#include "kernels/device/parts/even_strips.cuh"
#include "kernels/device/parts/mma.cuh"
#include "kernels/device/parts/row_ring.cuh"
#include "kernels/strategies/shared/image/half_weights.h"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr int toeplitz_lanes = 32, toeplitz_columns = 128;  // of a warp: 16 runs of 8
inline constexpr int toeplitz_rows = 2;                            // of a step: they share the weights' way

// Columns that a product takes on both sides of a run: whole quads, so that rows come by bulk copies.
CONVOSCOPE_HOST_DEVICE constexpr int toeplitz_reach(int radius) { return radius <= 4 ? 4 : radius <= 8 ? 8 : 16; }
// Registers of a lane for one part of a row of the filter: the depth of its product, eight columns at a time.
CONVOSCOPE_HOST_DEVICE constexpr int toeplitz_words(int radius) { return 1 + toeplitz_reach(radius) / 4; }

// One row of the filter as one lane holds it, in both parts.
template <int Words>
struct RowBand {
  unsigned high[Words], low[Words];

  // The row's numbers are `offset` from where the lane's quads begin, and its pairs: for each 16 columns of depth the
  // lanes' quads (high, high, low, low), then the lanes' pairs of the eight columns that are left.
  __device__ void load(const unsigned* quads, const unsigned* pairs, int offset) {
    CONVOSCOPE_UNROLL
    for (int w = 0; w + 1 < Words; w += 2) {
      unsigned quad[4];
      load_vector<4>(quads + offset + w * 2 * toeplitz_lanes, quad);
      high[w] = quad[0], high[w + 1] = quad[1], low[w] = quad[2], low[w + 1] = quad[3];
    }
    if constexpr (Words % 2 == 1) {
      unsigned pair[2];
      load_vector<2>(pairs + offset + (Words - 1) * 2 * toeplitz_lanes, pair);
      high[Words - 1] = pair[0], low[Words - 1] = pair[1];
    }
  }
};

// One row of pixels as one lane holds it, in both parts: of each eight columns of depth a pair of runs 0 to 7 and one
// of runs 8 to 15.
template <int Words>
struct RowRuns {
  unsigned high[2 * Words], low[2 * Words];
};

// sums += the product of parts, in one piece from the deepest columns on.
template <int Words>
__device__ inline void add_parts(float (&sums)[4], const unsigned (&runs)[2 * Words], const unsigned (&band)[Words]) {
  CONVOSCOPE_UNROLL
  for (int w = 0; w + 1 < Words; w += 2) {
    const unsigned a[4] = {runs[2 * w], runs[2 * w + 1], runs[2 * w + 2], runs[2 * w + 3]},
                   b[2] = {band[w], band[w + 1]};
    mma_m16n8k16(sums, a, b);
  }
  if constexpr (Words % 2 == 1) {
    const unsigned a[2] = {runs[2 * Words - 2], runs[2 * Words - 1]};
    mma_m16n8k8(sums, a, band[Words - 1]);
  }
}

// What the kernel is built as. group: slots between two looks at whether they are needed. chains: sums that a slot's
// products make before they are added, so that matrix instructions need not wait for one another. blocks (warps): of a
// multiprocessor, as far as registers go.
template <int Radius>
struct ToeplitzBuild {
  static constexpr int size = 2 * Radius + 1, slots = size + toeplitz_rows - 1, words = toeplitz_words(Radius);
  static constexpr bool in_registers = size * words * 2 <= 36;
  static constexpr int group = Radius <= 8 ? 4 : 2;
  static constexpr int chains = Radius <= 8 ? 1 : 2;
  static constexpr int blocks = Radius > 8 ? 8 : Radius > 4 ? 12 : 16;
};

// The products of the ring's next two rows. Slot j holds the sums of an output row to which row r of the step is row
// 2·Radius − j + r of the filter; all of them move up by the rows of a step first. Slots before `first` and after
// `last` belong to no row of the strip.
template <int Radius, class Ring, class Band>
__device__ inline void add_toeplitz_rows(float (&sums)[2 * Radius + toeplitz_rows][4], const Ring& ring,
                                         const Band& band, int first, int last) {
  using Build = ToeplitzBuild<Radius>;
  constexpr int slots = Build::slots, words = Build::words, group = Build::group, chains = Build::chains;
  const int lane = threadIdx.x;
  // The sums of one or two rows by themselves, and the small products first: what the tensor cores cut off is a part of
  // the largest number at hand.
  float products[slots][chains][4] = {};
  RowRuns<words> runs[toeplitz_rows];
  CONVOSCOPE_UNROLL
  for (int r = 0; r < toeplitz_rows; ++r) CONVOSCOPE_UNROLL
  for (int i = 0; i < 2 * words; ++i) {
    const float2 pixels = ring.pair(r, 0, lane + i / 2 * 4 + i % 2 * 32);
    split_half2(pixels.x, pixels.y, runs[r].high[i], runs[r].low[i]);
  }
  RowBand<words> bands[group + 1];  // of the rows 2·Radius − begin + 1 … 2·Radius − begin − group + 1 of the filter
  CONVOSCOPE_UNROLL
  for (int k = 1; k <= group && k <= Build::size; ++k) bands[k] = band(Build::size - k);
  CONVOSCOPE_UNROLL
  for (int begin = 0; begin < slots; begin += group) {
    RowBand<words> next[group];
    CONVOSCOPE_UNROLL
    for (int k = 0; k < group; ++k)
      if (Build::size - 1 - begin - group - k >= 0) next[k] = band(Build::size - 1 - begin - group - k);
    const bool needed = begin + group > first && begin <= last;
    if (needed) {
      CONVOSCOPE_UNROLL
      for (int part = 0; part < 3; ++part) CONVOSCOPE_UNROLL
      for (int r = 0; r < toeplitz_rows; ++r) CONVOSCOPE_UNROLL
      for (int k = 0; k < group; ++k) {
        const int row = Build::size - 1 - begin - k + r;
        if (row < 0 || row >= Build::size || begin + k >= slots) continue;
        const RowBand<words>& weights = bands[k + 1 - r];
        add_parts<words>(products[begin + k][r % chains], part == 0 ? runs[r].low : runs[r].high,
                         part == 1 ? weights.low : weights.high);
      }
    }
    // Now, so that the sums can be had while the next products are made.
    CONVOSCOPE_UNROLL
    for (int j = begin; j < begin + group && j < slots; ++j) CONVOSCOPE_UNROLL
    for (int i = 0; i < 4; ++i) {
      float sum = products[j][0][i];
      CONVOSCOPE_UNROLL
      for (int c = 1; c < chains; ++c) sum += products[j][c][i];
      sums[j][i] = j + toeplitz_rows < slots ? sums[(j + toeplitz_rows) % slots][i] + sum : sum;
    }
    bands[0] = bands[group];
    CONVOSCOPE_UNROLL
    for (int k = 0; k < group; ++k) bands[k + 1] = next[k];
  }
}

// fragments: of the filter's rows, and once more with its last row first.
template <int Radius>
__global__ void __launch_bounds__(toeplitz_lanes, ToeplitzBuild<Radius>::blocks)
    filter_toeplitz_stream(FewFrames<1> in, ImageView<float> out, const unsigned* fragments, EvenStrips strips,
                           int depth, Border border, Epilogue epilogue, bool in_aligned, bool out_aligned) {
  wait_for_kernel_before();
  using Build = ToeplitzBuild<Radius>;
  constexpr int row_words = 2 * Build::words * toeplitz_lanes;
  const int lane = threadIdx.x, left = static_cast<int>(blockIdx.x) * toeplitz_columns;
  const auto [top, rows] = strips.at(static_cast<int>(blockIdx.y), out.height, toeplitz_rows);
  const int steps = (rows + 2 * Radius + toeplitz_rows - 1) / toeplitz_rows;
  // Neighbours walk towards and away from each other, so that the rows that both need are in L2 for the second.
  const bool up = blockIdx.y % 2 == 1;
  const int start = up ? top + rows - 1 : top, direction = up ? -1 : 1;
  RowRing<float, 1, 4, toeplitz_rows, toeplitz_reach(Radius) / 4, FewFrames<1>> ring(
      in, 0, depth, left, start - direction * Radius, direction, steps, border, in_aligned);
  for (int ahead = 1; ahead < depth; ++ahead) ring.start();

  const unsigned* const mine = fragments + (up ? Build::size * row_words : 0);
  const unsigned *const quads = mine + 4 * lane, *const pairs = mine + 2 * lane;
  const auto fetch = [&](int row) {
    RowBand<Build::words> band;
    band.load(quads, pairs, row * row_words);
    return band;
  };
  RowBand<Build::words> kept[Build::in_registers ? Build::size : 1];
  if constexpr (Build::in_registers) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Build::size; ++i) kept[i] = fetch(i);
  }
  const auto band = [&](int row) {
    if constexpr (Build::in_registers)
      return kept[row];
    else
      return fetch(row);
  };

  const bool whole = out_aligned && left + toeplitz_columns <= out.width;
  const int x = left + 2 * lane;
  char* to = reinterpret_cast<char*>(pixel_address(out, x, start));  // slot 0's row, once there is one
  const std::ptrdiff_t below = direction * static_cast<std::ptrdiff_t>(out.pitch);
  float sums[Build::slots][4] = {};
  CONVOSCOPE_KEEP_LOOP
  for (int at = -2 * Radius; at < rows; at += toeplitz_rows) {  // the row of the strip that slot 0 is for
    ring.wait();
    ring.start();
    add_toeplitz_rows<Radius>(sums, ring, band, -at, rows - 1 - at);
    ring.next();
    if (at + toeplitz_rows <= 0) continue;
    CONVOSCOPE_UNROLL
    for (int r = 0; r < toeplitz_rows; ++r) {
      if (at + r < 0 || at + r >= rows) continue;
      unsigned words[4];
      CONVOSCOPE_UNROLL
      for (int i = 0; i < 4; ++i) words[i] = __float_as_uint(apply(epilogue, sums[r][i]));
      CONVOSCOPE_UNROLL
      for (int half = 0; half < 2; ++half) {
        auto* const pixels = reinterpret_cast<float*>(to) + 64 * half;
        const unsigned pair[2] = {words[2 * half], words[2 * half + 1]};
        if (whole) {
          store_vector<2>(pixels, pair);
        } else {
          if (x + 64 * half < out.width) store_vector<1>(pixels, pair);
          if (x + 64 * half + 1 < out.width) store_vector<1>(pixels + 1, pair + 1);
        }
      }
      to += below;
    }
  }
}

// What the kernel reads, for weights in the order of filter.h; radius: the one that it is built for.
inline std::vector<unsigned> toeplitz_fragments(const Filter& filter, const HalfWeights& weights, int radius) {
  const int words = toeplitz_words(radius), reach = toeplitz_reach(radius), rx = filter.rx(), ry = filter.ry();
  std::vector<unsigned> fragments;
  for (const int down : {1, -1})
    for (int row = -radius; row <= radius; ++row) {
      const auto pair = [&](const std::vector<float>& part, int word, int lane) {
        const auto tap = [&](int k) {
          const int dx = k - reach - lane / 4, dy = down * row;
          if (std::abs(dx) > rx || std::abs(dy) > ry) return 0.0f;
          return part[static_cast<std::size_t>((dy + ry) * filter.width + dx + rx)];
        };
        return half_pair(tap(8 * word + lane % 4 * 2), tap(8 * word + lane % 4 * 2 + 1));
      };
      for (int word = 0; word < words; word += 2)
        for (int lane = 0; lane < toeplitz_lanes; ++lane)
          for (const std::vector<float>* part : {&weights.high, &weights.low})
            for (int w = word; w < std::min(word + 2, words); ++w) fragments.push_back(pair(*part, w, lane));
    }
  return fragments;
}

}  // namespace convoscope::CONVOSCOPE_TARGET
