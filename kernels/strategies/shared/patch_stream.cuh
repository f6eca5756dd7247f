#pragma once
// The kernel of the volumes' tensor-core-half: a warp walks along a strip of 128 columns in all frames, two rows at a
// time. What one product makes are patches of eight outputs, 4 × 2 or 2 × 4: as wide as leaves a window of eight
// columns, with the filter's reach on both sides, so that two rows of it are the depth of a matrix instruction. Sixteen
// windows are the rows of a matrix A; for each pair of rows of a window the filter is a matrix B. Both are split in two
// fp16 numbers: pixels once, on their way from the ring to where the matrices are read from.
#include <cmath>
#include <vector>

#include "kernels/device/parts/even_strips.cuh"
#include "kernels/device/parts/mma.cuh"
#include "kernels/device/parts/row_ring.cuh"
#include "kernels/strategies/shared/image/half_weights.h"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr int patch_columns = 128;  // of a warp
inline constexpr int patch_rows = 2;       // of a step

template <int Radius>
struct Patch {
  static_assert(Radius == 2 || Radius == 3, "4 × 2 or 2 × 4 outputs");
  static constexpr int width = 8 - 2 * Radius, height = 8 / width;
  static constexpr int row_pairs = (height + 2 * Radius) / 2;      // of its window
  static constexpr int apart = height / 2;                         // row pairs from a patch to the one below it
  static constexpr int tiles = patch_columns / width / 16;         // products of 16 patches, side by side
  static constexpr int units = patch_columns / 4 - width / 2 + 4;  // see SplitRows
};

// What the kernel is built as. in_registers: the weights; else each of `together` tiles shares their way from memory.
// in_turn: large products follow on the small ones in one sum, which with fewer bands was slower than two.
// warps: of a block, which share a ring; wider rows have less beside them. multiprocessor_warps: as far as registers
// go.
template <int Radius, int Count>
struct PatchBuild {
  static constexpr int bands = Patch<Radius>::row_pairs * Count;
  static constexpr bool in_registers = bands <= 15, in_turn = in_registers && bands > 9;
  static constexpr int together = in_registers ? 1 : 2;
  static constexpr int warps = Radius == 2 ? 3 : 1;
  static constexpr int multiprocessor_warps = 12;
};

// Two rows of all frames in shared memory, split, as products read them. A unit is what one lane of a matrix A holds:
// of both rows two neighbouring columns, and two 64 columns further on; so one access brings all of it.
struct alignas(16) PatchUnit {
  unsigned words[4];
};
template <int Radius, int Count>
class SplitRows {
 public:
  static constexpr int units = Patch<Radius>::units, quads = 2 * Count * units;

  // place: the quad where they begin; left: the warp's first column in the ring's rows.
  __device__ SplitRows(int place, int left)
      : lane_(static_cast<int>(threadIdx.x) % 32),
        left_(left),
        units_(shared_memory<PatchUnit>(16 * static_cast<std::size_t>(place), quads)) {}

  // From the ring's oldest step.
  template <class Ring>
  __device__ void take(const Ring& ring) const {
    constexpr int others = units - 32;  // of a frame, when each lane has had one
    CONVOSCOPE_UNROLL
    for (int t = 0; t < Count; ++t) split(ring, t, lane_);
    if (lane_ < others * Count) split(ring, lane_ / others, 32 + lane_ % others);
  }
  // Of tile `tile` in frame t.
  __device__ void load(int t, int tile, PatchUnit& high, PatchUnit& low) const {
    const int unit = t * units + (8 * tile + lane_ / 4) * (Patch<Radius>::width / 2) + lane_ % 4;
    high = units_[unit];
    low = units_[unit + Count * units];
  }

 private:
  template <class Ring>
  __device__ void split(const Ring& ring, int t, int unit) const {
    PatchUnit high, low;
    CONVOSCOPE_UNROLL
    for (int r = 0; r < 2; ++r) CONVOSCOPE_UNROLL
    for (int half = 0; half < 2; ++half) {
      const int column = left_ - Radius + 2 * unit + 64 * half;
      float2 pixels;
      if constexpr (Radius % 2 == 0)
        pixels = ring.pair(r, t, column / 2);
      else
        pixels = {ring.number(r, t, column), ring.number(r, t, column + 1)};
      split_half2(pixels.x, pixels.y, high.words[2 * r + half], low.words[2 * r + half]);
    }
    units_[t * units + unit] = high;
    units_[t * units + unit + Count * units] = low;
  }

  int lane_, left_;
  Shared<PatchUnit> units_;
};

// One row pair of the filter's window as one lane holds it, in both parts.
struct PatchBand {
  unsigned high[2], low[2];
};

// sums[i][s]: of tile `tile` + i the products with row pair first + s · apart of the window. Small products come first,
// while their sum is small: what these cut off is a part of the largest number at hand. The large ones go on from
// there. All pixels and weights are in registers.
template <int Radius, int Count, int Tiles, int Slots, int First, class Band>
__device__ inline void multiply_in_turn(float (&sums)[Tiles][Slots][4], const SplitRows<Radius, Count>& rows,
                                        const Band& band, int tile) {
  constexpr float none[4] = {};
  PatchUnit high[Count][Tiles];
  CONVOSCOPE_UNROLL
  for (int t = 0; t < Count; ++t) {
    PatchUnit low[Tiles];
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Tiles; ++i) rows.load(t, tile + i, high[t][i], low[i]);
    CONVOSCOPE_UNROLL
    for (int part = 0; part < 2; ++part) CONVOSCOPE_UNROLL
    for (int i = 0; i < Tiles; ++i) CONVOSCOPE_UNROLL
    for (int s = 0; s < Slots; ++s) {
      const PatchBand weights = band(t, First + s * Patch<Radius>::apart);
      if (part == 1)
        mma_m16n8k16(sums[i][s], high[t][i].words, weights.low);
      else if (t == 0)
        mma_m16n8k16(sums[i][s], low[i].words, weights.high, none);
      else
        mma_m16n8k16(sums[i][s], low[i].words, weights.high);
    }
  }
  CONVOSCOPE_UNROLL
  for (int t = 0; t < Count; ++t) CONVOSCOPE_UNROLL
  for (int i = 0; i < Tiles; ++i) CONVOSCOPE_UNROLL
  for (int s = 0; s < Slots; ++s)
    mma_m16n8k16(sums[i][s], high[t][i].words, band(t, First + s * Patch<Radius>::apart).high);
}

// The same where a frame's pixels and weights come and go: small products have sums of their own.
template <int Radius, int Count, int Tiles, int Slots, int First, class Band>
__device__ inline void multiply_by_frames(float (&sums)[Tiles][Slots][4], const SplitRows<Radius, Count>& rows,
                                          const Band& band, int tile) {
  float large[Tiles][Slots][4], small[Tiles][Slots][4];
  constexpr float none[4] = {};
  CONVOSCOPE_UNROLL
  for (int t = 0; t < Count; ++t) {
    PatchUnit high[Tiles], low[Tiles];
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Tiles; ++i) rows.load(t, tile + i, high[i], low[i]);
    PatchBand weights[Slots];
    CONVOSCOPE_UNROLL
    for (int s = 0; s < Slots; ++s) weights[s] = band(t, First + s * Patch<Radius>::apart);
    CONVOSCOPE_UNROLL
    for (int part = 0; part < 3; ++part) CONVOSCOPE_UNROLL
    for (int i = 0; i < Tiles; ++i) CONVOSCOPE_UNROLL
    for (int s = 0; s < Slots; ++s) {
      float(&sum)[4] = part == 1 ? large[i][s] : small[i][s];
      const PatchUnit& pixels = part == 0 ? low[i] : high[i];
      const unsigned(&weight)[2] = part == 2 ? weights[s].low : weights[s].high;
      if (t == 0 && part < 2)
        mma_m16n8k16(sum, pixels.words, weight, none);
      else
        mma_m16n8k16(sum, pixels.words, weight);
    }
  }
  CONVOSCOPE_UNROLL
  for (int i = 0; i < Tiles; ++i) CONVOSCOPE_UNROLL
  for (int s = 0; s < Slots; ++s) CONVOSCOPE_UNROLL
  for (int k = 0; k < 4; ++k) sums[i][s][k] = large[i][s][k] + small[i][s][k];
}

template <int Radius, int Count, int Tiles, int Slots, int First, class Band>
__device__ inline void multiply_patches(float (&sums)[Tiles][Slots][4], const SplitRows<Radius, Count>& rows,
                                        const Band& band, int tile) {
  if constexpr (PatchBuild<Radius, Count>::in_turn)
    multiply_in_turn<Radius, Count, Tiles, Slots, First>(sums, rows, band, tile);
  else
    multiply_by_frames<Radius, Count, Tiles, Slots, First>(sums, rows, band, tile);
}

// fragments: for each way, frame and row pair the lanes' bands.
template <int Radius, int Count>
__global__ void __launch_bounds__(32 * PatchBuild<Radius, Count>::warps,
                                  (PatchBuild<Radius, Count>::multiprocessor_warps / PatchBuild<Radius, Count>::warps))
    filter_patch_stream(FewFrames<Count> in, ImageView<float> out, const unsigned* fragments, EvenStrips strips,
                        int depth, Border border, Epilogue epilogue, bool in_aligned, bool out_aligned) {
  let_next_kernel_begin();
  using Shape = Patch<Radius>;
  using Build = PatchBuild<Radius, Count>;
  constexpr int row_pairs = Shape::row_pairs, tiles = Shape::tiles, together = Build::together;
  const int thread = threadIdx.x, lane = thread % 32, warp = Build::warps == 1 ? 0 : thread / 32;
  const int block_left = static_cast<int>(blockIdx.x) * Build::warps * patch_columns;
  const int left = block_left + warp * patch_columns;
  const auto [top, rows] = strips.at(static_cast<int>(blockIdx.y), out.height, Shape::height);
  const int patches = (rows + Shape::height - 1) / Shape::height;
  // Neighbours walk towards and away from each other, so that the rows that both need are in L2 for the second.
  const bool up = blockIdx.y % 2 == 1;
  const int start = up ? top + rows - 1 : top, direction = up ? -1 : 1;
  using Ring = RowRing<float, Count, 4, patch_rows, 1, FewFrames<Count>, Build::warps, true>;
  Ring ring(in, 0, depth, block_left, start - direction * Radius, direction, (patches - 1) * Shape::apart + row_pairs,
            border, in_aligned);
  const int ring_quads = depth * patch_rows * Count * ring_row_quads(4 * Build::warps);
  const SplitRows<Radius, Count> split(ring_barrier_quads + ring_quads + warp * SplitRows<Radius, Count>::quads,
                                       4 + warp * patch_columns);

  const unsigned* const mine = fragments + (up ? Count * row_pairs * 4 * 32 : 0) + 4 * lane;
  const auto fetch = [&](int t, int pair) {
    unsigned quad[4];
    load_vector<4>(mine + (t * row_pairs + pair) * 4 * 32, quad);
    return PatchBand{{quad[0], quad[1]}, {quad[2], quad[3]}};
  };
  PatchBand kept[Build::in_registers ? Count * row_pairs : 1];
  if constexpr (Build::in_registers) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Count * row_pairs; ++i) kept[i] = fetch(i / row_pairs, i % row_pairs);
  }
  const auto band = [&](int t, int pair) {
    if constexpr (Build::in_registers)
      return kept[t * row_pairs + pair];
    else
      return fetch(t, pair);
  };
  wait_until_kernel_before_is_done();
  for (int ahead = 0; ahead < depth; ++ahead) ring.start();
  const auto take = [&] {
    ring.wait(depth - 1);
    split.take(ring);
    ring.leave();
    ring.next();
    ring.start();
  };

  const bool whole = out_aligned && left + patch_columns <= out.width;
  const int dx = lane % 4 * 2 % Shape::width, dy = lane % 4 * 2 / Shape::width;  // in its patches
  const int x = left + lane / 4 * Shape::width + dx;
  char* to = reinterpret_cast<char*>(pixel_address(out, x, start + direction * dy));
  const std::ptrdiff_t below = direction * Shape::height * static_cast<std::ptrdiff_t>(out.pitch);
  float upper[tiles][4] = {}, lower[tiles][4] = {};  // of patches that are not complete yet
  CONVOSCOPE_KEEP_LOOP
  for (int n = -2; n < patches; ++n) {  // the patches that become complete
    take();
    const bool stores = n >= 0 && n * Shape::height + dy < rows;
    CONVOSCOPE_UNROLL
    for (int tile = 0; tile < tiles; tile += together) {
      float sums[together][3][4];
      multiply_patches<Radius, Count, together, 3, 0>(sums, split, band, tile);
      CONVOSCOPE_UNROLL
      for (int i = 0; i < together; ++i) {
        unsigned words[4];
        CONVOSCOPE_UNROLL
        for (int k = 0; k < 4; ++k) {
          words[k] = __float_as_uint(apply(epilogue, upper[tile + i][k] + sums[i][2][k]));
          upper[tile + i][k] = lower[tile + i][k] + sums[i][1][k];
          lower[tile + i][k] = sums[i][0][k];
        }
        if (!stores) continue;
        CONVOSCOPE_UNROLL
        for (int half = 0; half < 2; ++half) {
          const int further = 8 * Shape::width * (tile + i) + 64 * half;
          auto* const pixels = reinterpret_cast<float*>(to) + further;
          const unsigned pair[2] = {words[2 * half], words[2 * half + 1]};
          if (whole) {
            store_vector<2>(pixels, pair);
          } else {
            if (x + further < out.width) store_vector<1>(pixels, pair);
            if (x + further + 1 < out.width) store_vector<1>(pixels + 1, pair + 1);
          }
        }
      }
    }
    if (n >= 0) to += below;
    if constexpr (Shape::apart == 2) {
      if (n + 1 == patches) break;
      take();
      CONVOSCOPE_UNROLL
      for (int tile = 0; tile < tiles; tile += together) {
        float sums[together][2][4];
        multiply_patches<Radius, Count, together, 2, 1>(sums, split, band, tile);
        CONVOSCOPE_UNROLL
        for (int i = 0; i < together; ++i) CONVOSCOPE_UNROLL
        for (int k = 0; k < 4; ++k) {
          upper[tile + i][k] += sums[i][1][k];
          lower[tile + i][k] += sums[i][0][k];
        }
      }
    }
  }
}

// What the kernel reads, for weights in the order of filter.h; radius: the one that it is built for.
inline std::vector<unsigned> patch_fragments(const Filter& filter, const HalfWeights& weights, int radius) {
  const int width = 8 - 2 * radius, height = 8 / width, rx = filter.rx(), ry = filter.ry();
  std::vector<unsigned> fragments;
  for (const int down : {1, -1})
    for (int t = 0; t < filter.depth; ++t)
      for (int row = 0; row < height + 2 * radius; row += 2)
        for (int lane = 0; lane < 32; ++lane) {
          const int x = lane / 4 % width, y = lane / 4 / width;  // the output in its patch
          for (const std::vector<float>* part : {&weights.high, &weights.low})
            for (const int r : {0, 1}) {
              const auto tap = [&](int column) {
                const int dx = column - radius - x, dy = down * (row + r - radius - y);
                if (std::abs(dx) > rx || std::abs(dy) > ry) return 0.0f;
                return (*part)[static_cast<std::size_t>((t * filter.height + dy + ry) * filter.width + dx + rx)];
              };
              fragments.push_back(half_pair(tap(lane % 4 * 2), tap(lane % 4 * 2 + 1)));
            }
        }
  return fragments;
}

}  // namespace convoscope::CONVOSCOPE_TARGET
