// Any filter on the fp16 tensor cores, with float32's accuracy: three products of parts make up one of numbers, and low
// · low is left out. A warp walks along 128 columns, two rows at a time, which bulk copies bring to a ring of its own.
// Traffic: (1 + R/64)(1 + 2r/H) loads per output for strips of H rows and R = 4, 8 or 16; DRAM sees the image once.
// Limits: gray32f; the sums of 2r + 2 rows in registers: r ≤ 16; fp16 ends at 65504.
#include "kernels/device/parts/mma.cuh"
#include "kernels/strategies/shared/image/toeplitz_weights.h"
#include "kernels/strategies/shared/toeplitz_plan.cuh"

namespace convoscope::CONVOSCOPE_TARGET::tensor_core_half {
namespace {

constexpr int toeplitz_rows = 2;  // of a step: they share the weights' way

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
    // The weights of the slots after these are under way while these are multiplied.
    RowBand<words> next[group];
    CONVOSCOPE_UNROLL
    for (int k = 0; k < group; ++k)
      if (Build::size - 1 - begin - group - k >= 0) next[k] = band(Build::size - 1 - begin - group - k);
    // At a strip's ends a part of the slots is for rows that are others' or beyond the image.
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

  // Weights that fit stay in registers. Otherwise they come from L1 for every step, whose two rows share their way.
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
    ring.wait();                                                // until the oldest step has arrived
    ring.start();                                               // a later one, into the place of the one before
    add_toeplitz_rows<Radius>(sums, ring, band, -at, rows - 1 - at);
    ring.next();
    if (at + toeplitz_rows <= 0) continue;  // the halo above the strip completes nothing
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

constexpr int max_radius = 16;

constexpr int radii[] = {1, 2, 4, 8, 16};

// The radius that the filter is padded to with zeros.
int built_radius(const Filter& filter) {
  for (const int radius : radii)
    if (std::max(filter.rx(), filter.ry()) <= radius) return radius;
  return max_radius;
}
template <class F>
auto with_kernel(const Problem& p, F&& f) {
  return with_number<1, 2, 4, 8, 16>(built_radius(p.filter),
                                     [&]<int Radius>() { return f(filter_toeplitz_stream<Radius>); });
}

ToeplitzBuilt built(const Problem& p) {
  const int radius = built_radius(p.filter);
  return {.kernel = "filter_toeplitz_stream",
          .radius = radius,
          .depth = radius <= 4 ? 3 : 2,
          .warps = 1,
          .strip_rows = toeplitz_rows,
          .fixed_bytes = 16 * ring_barrier_quads,
          .step_bytes = static_cast<std::size_t>(toeplitz_rows * ring_row_bytes(4, toeplitz_reach(radius) / 4)),
          .fragments = [](const Filter& filter, const HalfWeights& weights, int compiled) {
            return row_band_fragments(filter, weights, compiled, toeplitz_words(compiled), toeplitz_reach(compiled));
          }};
}

ToeplitzStrips strips(const Problem& p, const Device& device, const Tuned& tuning) {
  return with_kernel(p, [&](ToeplitzKernel<1> kernel) { return toeplitz_strips(p, device, tuning, kernel, built(p)); });
}

Cost cost(const Problem& p) {
  constexpr double typical_rows = 36, words = 2;  // a lane's registers for eight columns of a row
  const int radius = built_radius(p.filter);
  const double eights = toeplitz_words(radius), repeated = (typical_rows + 2 * radius) / typical_rows;
  return {.flop = 2 * 8 * eights * (2 * radius + 1) * 3 * outputs(p),
          .global_loads_per_output =
              static_cast<double>(toeplitz_columns + 2 * toeplitz_reach(radius)) / toeplitz_columns * repeated,
          .global_stores_per_output = 1,
          .shared_loads_per_output = words * 2 * eights * toeplitz_lanes / toeplitz_columns * repeated,
          .dram_bytes = 2 * frame_bytes(p),
          .on_matrix_units = true};
}

Explanation explain(const Problem& p, const ToeplitzStrips& strips, const OutputIndex& at) {
  KernelStep step = one_thread_per_output("filter_toeplitz_stream", toeplitz_columns, p.height, at.x, at.y);
  const PixelArea strip = place_in_strip(step, strips.all, p.height, toeplitz_rows, at.y);
  const int rows = strip.height, lane = (at.x - strip.x) % 64 / 2;
  const int radius = built_radius(p.filter), reach = toeplitz_reach(radius);
  step.thread = {lane, 0, 0};
  step.block_size = {toeplitz_lanes, 1, 1};
  step.thread_outputs = {{strip.x + 2 * lane, strip.y, 2, rows}, {strip.x + 64 + 2 * lane, strip.y, 2, rows}};
  // The last step may have a row more than is needed, on the side that the warp walks to.
  const int beyond = rows % toeplitz_rows;
  const int right = std::min(strip.x + toeplitz_columns, ceil_div(p.width, 4) * 4) + reach;  // whole quads
  step.tile_in_turns = true;
  step.tile = {{strip.x - reach, strip.y - radius, right - (strip.x - reach), rows + 2 * radius + beyond}};
  if (step.block[1] % 2 == 1) step.tile[0].y -= beyond;
  step.words =
      "A warp walks along its strip, two rows at a time, which bulk copies bring to a ring in shared memory. "
      "Sixteen runs of eight outputs are the rows of a matrix of pixels; each row of the filter is a banded "
      "matrix of " +
      std::to_string(8 * toeplitz_words(radius)) + " × 8. The sums of " + std::to_string(2 * radius + 2) +
      " output rows wait in registers.";
  const int size = 2 * radius + 1;
  std::string words = "Pixels and weights are split in two fp16 numbers each; three products make up one.";
  if (p.filter.width < size || p.filter.height < size)
    words += " The filter is padded with zeros to " + std::to_string(size) + " × " + std::to_string(size) + " weights.";
  return Explanation{.steps = {std::move(step)}, .words = std::move(words)};
}

}  // namespace

extern const Strategy strategy{
    .id = "tensor-core-half",
    .title = "Tensor cores, split fp16",
    .idea =
        "Tensor cores multiply fp16, which has 11 bits where float32 has 24: every pixel and weight becomes the sum of "
        "two fp16 numbers, and three products of these make up one. Each row of the filter is a banded (Toeplitz) "
        "matrix; a row of pixels goes at once into the sums of all output rows that it touches.",
    .reading =
        "PMPP 4th ed., ch. 16.4 and 8.4; PTX ISA, mma.m16n8k16; Ootomo & Yokota, Recovering Single Precision Accuracy "
        "from Tensor Cores, 2022; Fasi et al., Numerical Behavior of NVIDIA Tensor Cores, 2021",
    .backend = target_backend,
    .tunables = toeplitz_tunables,
    .tolerance =
        [](const Problem& p) {
          const int radius = built_radius(p.filter);
          return row_band_bound(p, radius, toeplitz_words(radius));
        },
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      const int radius = std::max(p.filter.rx(), p.filter.ry());
      if (radius > max_radius)
        return "a lane keeps the sums of 2r + 2 rows in registers, which allows a radius of " +
               std::to_string(max_radius) + "; this filter's is " + std::to_string(radius);
      return toeplitz_reason(p, device, t, built(p));
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      return with_kernel(p, [&](ToeplitzKernel<1> kernel) {
        return std::make_unique<ToeplitzPlan<1>>(p, kernel, built(p), strips(p, device, t));
      });
    },
    .costs = [](const Problem& p, const Tuned&) { return cost(p); },
    .explains = [](const Problem& p, const Device& device, const Tuned& t,
                   const OutputIndex& at) { return explain(p, strips(p, device, t), at); },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::tensor_core_half
