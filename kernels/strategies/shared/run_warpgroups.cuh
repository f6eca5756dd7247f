#pragma once
// What the kernels of wgmma-stream are made of: warpgroups whose warps walk along strips of 128 columns in all frames,
// downwards or upwards, so that neighbours meet where they read the same rows. Of a row a warp has 16 runs of eight
// outputs, each of which sees a window of 16, 32 or 48 columns: the windows are the rows of a matrix A, which goes from
// the memory through the lanes' registers to the instruction, split in two fp16 numbers on the way. The filter's rows
// are banded matrices of eight columns each, side by side in a wide B in shared memory: one instruction adds a row of
// pixels to the sums of all 2r + 1 rows of outputs that it touches, and the warps go on meanwhile.
#include <algorithm>
#include <vector>

#include "kernels/device/parts/run_stream.cuh"
#include "kernels/device/parts/wgmma.cuh"
#include "kernels/strategies/shared/image/half_weights.h"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr int group_warps = 4, group_threads = 32 * group_warps;
inline constexpr int group_runs = 16, group_columns = group_runs * run_outputs;  // of a warp

// What a kernel for a radius and a number of frames is made of.
struct GroupShape {
  int radius, frames;

  // That share one wait for their products; and of a multiprocessor, that registers are left for. Both measured.
  CONVOSCOPE_HOST_DEVICE constexpr int rows_at_once() const {
    if (frames > 1) return frames == 3 ? 2 : 1;
    return radius <= 4 ? 4 : radius <= 12 ? 2 : 1;
  }
  CONVOSCOPE_HOST_DEVICE constexpr int resident_blocks() const {
    if (frames > 1) return frames == 5 || (frames == 3 && radius == 1) ? 4 : 3;
    return radius <= 4 ? 4 : radius <= 8 ? 3 : 2;
  }
  // Windows are so many times 16 columns wide, the depth of an instruction.
  CONVOSCOPE_HOST_DEVICE constexpr int chunks() const { return radius <= 4 ? 1 : radius <= 12 ? 2 : 3; }
  CONVOSCOPE_HOST_DEVICE constexpr int reach() const { return 8 * chunks() - run_outputs / 2; }
  // Rows of outputs that wait for more; an even number from eight on, since instructions are not written down for
  // others.
  CONVOSCOPE_HOST_DEVICE constexpr int slots() const {
    const int rows = 2 * radius + rows_at_once();
    return rows < 8 ? rows : (rows + 1) / 2 * 2;
  }
  // Eights of columns of B: row k of those at once finds its own k eights before those of the first.
  CONVOSCOPE_HOST_DEVICE constexpr int eights() const { return slots() + rows_at_once() - 1; }
  CONVOSCOPE_HOST_DEVICE constexpr int matrix_chunks() const { return 2 * run_outputs * eights(); }  // of 16 bytes
  CONVOSCOPE_HOST_DEVICE constexpr int all_chunks() const { return 2 * frames * chunks() * matrix_chunks(); }
};

// Strips of one height, those with even numbers first, whose warps walk downwards, then the others, upwards. Blocks
// have one direction each.
struct GroupStrips {
  int rows = 0, count = 0, across = 0;  // across: warps side by side

  CONVOSCOPE_HOST_DEVICE int warps(bool up) const { return (count + (up ? 0 : 1)) / 2 * across; }
  CONVOSCOPE_HOST_DEVICE int blocks(bool up) const { return (warps(up) + group_warps - 1) / group_warps; }
  int blocks() const { return blocks(false) + blocks(true); }
};
struct GroupPlace {
  bool up, has_outputs;
  int left, top;
};
// A direction's warps at the left and right edge of the image come first, those of a strip one after the other, since
// they take longer, and so do all four of a block where one does. Warps that are left over do what the last one does,
// without outputs.
CONVOSCOPE_HOST_DEVICE inline GroupPlace group_place(const GroupStrips& strips, int block, int warp) {
  const int down = strips.blocks(false);
  const bool up = block >= down;
  const int number = (up ? block - down : block) * group_warps + warp, last = strips.warps(up) - 1;
  const int of_direction = number < last ? number : last, edges = strips.across < 3 ? strips.across : 2;
  const int all_edges = edges * (strips.warps(up) / strips.across), inner = strips.across - edges;
  const bool edge = of_direction < all_edges;
  const int from = edge ? of_direction : of_direction - all_edges, beside = edge ? edges : inner;
  const int strip = from / beside, place = from % beside;
  const int column = !edge ? 1 + place : place == 0 ? 0 : strips.across - 1;
  return {up, number <= last, column * group_columns, (2 * strip + (up ? 1 : 0)) * strips.rows};
}
// Its inverse, for explain(): which warp of all makes the outputs of that strip and those columns.
inline int group_number(const GroupStrips& strips, int strip, int column) {
  const bool up = strip % 2 == 1, edge = column == 0 || column == strips.across - 1;
  const int edges = std::min(strips.across, 2), inner = strips.across - edges, of_direction = strip / 2;
  const int number = edge ? of_direction * edges + (column == 0 ? 0 : edges - 1)
                          : edges * (strips.warps(up) / strips.across) + of_direction * inner + column - 1;
  return (up ? strips.blocks(false) * group_warps : 0) + number;
}

// Of runs g and g + 8 four pixels each in every chunk of their windows.
template <int Chunks>
struct GroupQuads {
  static constexpr int count = 2 * Chunks, reach = 8 * Chunks - run_outputs / 2;
  CONVOSCOPE_HOST_DEVICE static constexpr int beside(int i) { return i / 2 * 16 + i % 2 * (group_columns / 2); }
};

// A, split, as mma.cuh has it. Its columns 2t and 2t + 8 are neighbours, since those of B lie in this order, too.
struct GroupWindows {
  unsigned high[4], low[4];
  // From the quads of both runs.
  __device__ void take(const unsigned (&upper)[5], const unsigned (&lower)[5]) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 4; ++i) {
      const unsigned* const pixels = (i % 2 ? lower : upper) + i / 2 * 2;
      split_half2(__uint_as_float(pixels[0]), __uint_as_float(pixels[1]), high[i], low[i]);
    }
  }
};

#if defined(CONVOSCOPE_WGMMA)

// An instruction has at most 32 eights of columns.
template <int Slots>
__device__ inline void multiply_runs(float (&sums)[4 * Slots], const unsigned (&windows)[4],
                                     const Shared<ByteColumn>& matrices, int first) {
  if constexpr (Slots <= 32) {
    multiply_warpgroup<8 * Slots>(sums, windows, matrices, PlainColumns{first});
  } else {
    constexpr int left = 18, right = Slots - left;
    auto& left_sums = reinterpret_cast<float(&)[4 * left]>(sums);
    auto& right_sums = reinterpret_cast<float(&)[4 * right]>(sums[4 * left]);
    multiply_warpgroup<8 * left>(left_sums, windows, matrices, PlainColumns{first});
    multiply_warpgroup<8 * right>(right_sums, windows, matrices, PlainColumns{first + 2 * run_outputs * left});
  }
}

// Brings the filter's matrices into shared memory. Of the ways through their strips that the four warps could go each
// by itself, all take the slowest, since they have to be at the same instruction: it is returned.
__device__ inline RunWay load_group_weights(const Shared<ByteColumn>& weights, const ByteColumn* from, int count,
                                            int lane, int warp, RunWay own, int out_aligned) {
  const auto ways = shared_memory<RunWay>(sizeof(ByteColumn) * count, group_warps);
  for (int i = 32 * warp + lane; i < count; i += group_threads) weights[i] = from[i];
  if (lane == 0) ways[warp] = !out_aligned && own < RunWay::near_edge ? RunWay::near_edge : own;
  shared_writes_before_copies_and_products();
  __syncthreads();
  RunWay slowest = ways[0];
  for (int other = 1; other < group_warps; ++other) slowest = ways[other] > slowest ? ways[other] : slowest;
  return slowest;
}

// A lane's four outputs of a row, two in each half of the columns. in_pairs: both of two are in the image, and aligned.
__device__ inline void store_group_row(float* to, const unsigned (&words)[4], bool complete, bool in_pairs, int x,
                                       int width) {
  CONVOSCOPE_UNROLL
  for (int half = 0; half < 2; ++half) {
    const int further = half * (group_columns / 2);
    if (in_pairs) {
      if (complete) store_vector<2>(to + further, words + 2 * half);
    } else {
      if (complete && x + further < width) store_vector<1>(to + further, words + 2 * half);
      if (complete && x + further + 1 < width) store_vector<1>(to + further + 1, words + 2 * half + 1);
    }
  }
}

#endif

// What the kernels read, for weights in the order of filter.h. Eight e of a matrix has the filter's row that slot
// e − rows_at_once + 1 of the sums has for the first row at once: slot j is for the row of outputs that is j rows from
// complete then.
inline std::vector<ByteColumn> group_matrices(const Filter& filter, const HalfWeights& weights, GroupShape shape) {
  std::vector<ByteColumn> matrices;
  matrices.reserve(static_cast<std::size_t>(2 * shape.all_chunks()));
  for (const int down : {1, -1})
    for (int t = 0; t < shape.frames; ++t)
      for (int c = 0; c < shape.chunks(); ++c)
        for (const std::vector<float>* part : {&weights.high, &weights.low})
          for (int eight = 0; eight < shape.eights(); ++eight)
            for (const int half : {0, 1})
              for (int output = 0; output < run_outputs; ++output) {
                const int dy = down * (shape.radius - (eight - shape.rows_at_once() + 1));
                const auto tap = [&](int depth) {  // of a column of A
                  const int pixel = 16 * c + 4 * (depth % 8 / 2) + 2 * (depth / 8) + depth % 2;
                  const int dx = pixel - shape.reach() - output;
                  if (std::abs(dx) > filter.rx() || std::abs(dy) > filter.ry()) return 0.0f;
                  return (*part)[static_cast<std::size_t>((t * filter.height + dy + filter.ry()) * filter.width + dx +
                                                          filter.rx())];
                };
                ByteColumn column;
                for (int i = 0; i < 4; ++i)
                  column.rows[i] = half_pair(tap(8 * half + 2 * i), tap(8 * half + 2 * i + 1));
                matrices.push_back(column);
              }
  return matrices;
}

}  // namespace convoscope::CONVOSCOPE_TARGET
