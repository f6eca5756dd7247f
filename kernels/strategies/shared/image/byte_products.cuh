#pragma once
// Sums of products on the integer tensor cores: for 32 rows of 8 outputs of a channel, the columns of a filter times
// columns of pixels. Weights are 16-bit integers, two signed bytes; what the bytes' products add up to is exact.
#include "kernels/device/parts/mma_int8.cuh"
#include "kernels/strategies/shared/image/byte_ring.cuh"
#include "kernels/strategies/shared/image/byte_weights.h"

namespace convoscope::CONVOSCOPE_TARGET {

constexpr int lanes = 32;
constexpr int tile_columns = 8;  // N of an mma

// Filter columns are taken by twos: side by side, a chunk of 16 rows of both fills the depth of an mma. A filter column
// reaches into one chunk above 8 outputs (up to 9 rows high), or into two or three above 16.
CONVOSCOPE_HOST_DEVICE constexpr int column_pairs(int filter_width) { return (filter_width + 1) / 2; }
CONVOSCOPE_HOST_DEVICE constexpr int fragments_of(int pairs, int chunks) { return pairs * chunks * 2; }  // A matrices

// Sums of one tile and channel: [16 rows][matrix][fragment]. The two matrices are the upper and lower eight rows when
// both bytes of the weights stand in one A (one chunk), else the weights' high and low bytes.
using TileSums = int[2][2][4];

// Row 16v + 8h + g of the slot, column 2t + i of the tile.
template <int Chunks>
__device__ inline int combined(const TileSums& sums, int v, int h, int i) {
  const unsigned high = Chunks == 1 ? sums[v][h][i] : sums[v][0][2 * h + i];
  const unsigned low = Chunks == 1 ? sums[v][h][2 + i] : sums[v][1][2 * h + i];
  return static_cast<int>(high * 256u + low);
}

// Where the warp's lanes find the matrices of a load: of two chunks, each first for a filter column, then for the next.
// first, second: in the slots of the 32 output rows and of those below, of which mostly one chunk is needed.
struct MatrixPlaces {
  int first, second;
};
template <int Chunks>
__device__ inline MatrixPlaces matrix_places(int upper_slot, int lower_slot, int column, int columns) {
  const int lane = lane_index(), chunk = lane / 16 * columns, place = column + lane % 8 + lane / 8 % 2;
  return {upper_slot + place + chunk, lower_slot + place + (Chunks == 3 ? chunk : 0)};
}

// The products of all filter columns for Tiles × Channels, added to `offset`. weight(i): fragment i of this lane.
template <int Chunks, int Taps, int Tiles, int Channels, class Weight>
__device__ inline void multiply(TileSums (&sums)[Tiles][Channels], int offset, const Shared<ByteColumn>& ring,
                                MatrixPlaces places, int channel_step, int pairs, Weight weight) {
  const bool from_next_chunk = threadIdx.x % 4 < 2;
  const int start[4] = {0, 0, offset, offset};  // of the low bytes, with one chunk
  const auto add_pair = [&](int pair) {
    ByteFragment a[Chunks][2];
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 2 * Chunks; ++i) a[i / 2][i % 2] = weight(pair * 2 * Chunks + i);
    CONVOSCOPE_UNROLL
    for (int tile = 0; tile < Tiles * Channels; ++tile) {
      const int shift = tile / Channels * tile_columns + tile % Channels * channel_step + 2 * pair;
      // [chunk · 2 + filter column]: the two registers of a B lie together, as the instruction wants them.
      unsigned upper[4], lower[Chunks == 3 ? 4 : 2];
      load_matrices(upper, ring, places.first + shift);
      load_matrices(lower, ring, places.second + shift);
      const auto b = [&](int chunk, int column) {
        return chunk < 2 ? upper[2 * chunk + column] : lower[2 * (chunk - 2) + column];
      };
      TileSums& sum = sums[tile / Channels][tile % Channels];
      const auto add = [&](int v, int matrix, int chunk, unsigned b0, unsigned b1) {
        if (Taps > 0 && pair == 0 && chunk == 0)
          mma_m16n8k32(sum[v][matrix], a[chunk][matrix], b0, b1, start);
        else
          mma_m16n8k32(sum[v][matrix], a[chunk][matrix], b0, b1);
      };
      CONVOSCOPE_UNROLL
      for (int i = 0; i < 2 * Chunks; ++i) {
        const int chunk = i / 2, v = i % 2;
        add(v, 0, chunk, b(v + chunk, 0), b(v + chunk, 1));
        if constexpr (Chunks == 1)  // eight rows further down, in the order that needs no exchange between lanes
          add(v, 1, chunk, from_next_chunk ? b(v + 1, 0) : b(v, 0), from_next_chunk ? b(v + 1, 1) : b(v, 1));
        else
          add(v, 1, chunk, b(v + chunk, 0), b(v + chunk, 1));
      }
    }
  };
  if constexpr (Taps > 0) {
    CONVOSCOPE_UNROLL
    for (int pair = 0; pair < column_pairs(Taps); ++pair) add_pair(pair);
  } else {
    CONVOSCOPE_UNROLL
    for (int k = 0; k < Tiles * Channels * 16; ++k)
      sums[k / 16 / Channels][k / 16 % Channels][k / 8 % 2][k / 4 % 2][k % 4] =
          Chunks == 1 ? start[k % 4] : (k / 4 % 2 == 1 ? offset : 0);
    CONVOSCOPE_KEEP_LOOP
    for (int pair = 0; pair < pairs; ++pair) add_pair(pair);
  }
}

// The fragments of a filter's 16-bit weights, width × height of them, for all lanes, in the order that multiply() takes
// them; host only.
inline void append_fragments(std::vector<ByteFragment>& to, const std::vector<int>& values, int width, int height,
                             int chunks) {
  // The byte in row m and depth k of a filter column's half of the depth.
  const auto byte = [&](int column, int chunk, int matrix, int m, int k) -> unsigned {
    const bool low = chunks == 1 ? m >= 8 : matrix == 1;
    const int dy = chunks == 1 ? (k + 8 * matrix) % 16 - m % 8 : 16 * chunk + k - m;
    if (column >= width || dy < 0 || dy >= height) return 0;
    const int value = values[dy * width + column];
    return static_cast<unsigned>(low ? ByteWeights::low(value) : ByteWeights::high(value)) & 0xffu;
  };
  for (int pair = 0; pair < column_pairs(width); ++pair)
    for (int chunk = 0; chunk < chunks; ++chunk)
      for (int matrix = 0; matrix < 2; ++matrix)
        for (int lane = 0; lane < lanes; ++lane) {
          ByteFragment fragment{};
          for (int i = 0; i < 16; ++i) {
            const int word = i / 4, m = lane / 4 + 8 * (word % 2), k = lane % 4 * 4 + i % 4;
            fragment.a[word] |= byte(2 * pair + word / 2, chunk, matrix, m, k) << 8 * (i % 4);
          }
          to.push_back(fragment);
        }
}

// Of the weights of the plain kernel, if they are for it, then of each set and round.
inline std::vector<ByteFragment> all_fragments(const ByteFilter& filter, int width, int height, int chunks) {
  std::vector<ByteFragment> fragments;
  if (filter.plain) append_fragments(fragments, filter.fixed.values, width, height, chunks);
  for (const auto& set : filter.sets)
    for (int round = 0; round < filter.rounds; ++round)
      append_fragments(fragments, (round == 0 ? set.first : set.second).values, width, height, chunks);
  return fragments;
}

}  // namespace convoscope::CONVOSCOPE_TARGET
