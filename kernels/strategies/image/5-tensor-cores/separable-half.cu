// Both passes on the fp16 tensor cores, with float32's accuracy: numbers are split in two parts, of which three
// products are made; low · low is left out. For radii above 8 two warps share the pass down the columns, of which most
// would be for columns that both need.
// Traffic: 1.5 · (1 + 2R/H) loads per output for strips of H rows, R = 8 or 16; L1 serves the repeated ones.
// Limits: gray32f and rank 1; radius 16; one weight set. fp16 ends at 65504: pixels up to 2047 are safe.
#include "kernels/device/one_kernel.cuh"
#include "kernels/device/parts/mma.cuh"
#include "kernels/device/parts/warp.cuh"
#include "kernels/strategies/shared/image/band_fragments.cuh"
#include "kernels/strategies/shared/image/separable_halves.h"
#include "kernels/strategies/shared/split_products.cuh"

namespace convoscope::CONVOSCOPE_TARGET::separable_half {
namespace {

// With a window of four chunks, half of which are not its own, a warp shares their pass down the columns with another:
// each makes three of the six that both need, and they exchange those in the middle.
CONVOSCOPE_HOST_DEVICE constexpr bool in_pairs(int chunks_x) { return chunks_x == 3; }
CONVOSCOPE_HOST_DEVICE constexpr int warps_of(int chunks_x) { return in_pairs(chunks_x) ? 2 : 4; }  // of a block
constexpr int pair_chunks = 3;  // that a warp of a pair makes

// A banded matrix as one lane holds it, in both parts.
template <int Chunks>
struct Band {
  HalfFragment high[Chunks], low[Chunks];
  __device__ void load(const HalfFragment* from) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Chunks; ++i) high[i] = from[i * band_lanes], low[i] = from[(Chunks + i) * band_lanes];
  }
};
// The B matrix of one mma as one lane holds it, in both parts.
struct Inputs {
  unsigned high[2], low[2];
};

// sums = matrix · inputs + start; they may be the same.
__device__ inline void multiply(float (&sums)[4], const HalfFragment& high, const HalfFragment& low,
                                const Inputs& inputs, const float (&start)[4]) {
  mma_m16n8k16(sums, low.a, inputs.high, start);
  mma_m16n8k16(sums, high.a, inputs.low);
  mma_m16n8k16(sums, high.a, inputs.high);
}

template <int ChunksX>
using PixelsOf = StripPixels<in_pairs(ChunksX) ? pair_chunks : band_runs + ChunksX - 1, warps_of(ChunksX)>;

// Where a pair's warps leave the chunk that the other needs of what comes out of their pass down the columns, twice
// eight rows; in two places by turns, so that they meet once a step. Without pairs it takes no room.
template <int ChunksX>
class Exchange {
 public:
  static constexpr int count = in_pairs(ChunksX) ? 2 * 2 * 2 * band_lanes : 0;  // turns, warps, eights of rows
  static constexpr std::size_t bytes = count * sizeof(HalfFragment);

  __device__ Exchange(std::size_t offset, int warp)
      : places_(shared_memory<HalfFragment>(offset, count)), warp_(warp) {}
  // own: of the chunks side by side that the pair needs the first three, or the last; window: the four that the warp's
  // outputs need.
  __device__ void complete(const Inputs (&own)[2][pair_chunks], Inputs (&window)[2][pair_chunks + 1]) {
    const int mine = (2 * turn_ + warp_) * 2 * band_lanes + static_cast<int>(threadIdx.x),
              others = mine ^ 2 * band_lanes;
    turn_ ^= 1;
    const auto choose = [this](const Inputs& left, const Inputs& right) {
      Inputs chosen;
      CONVOSCOPE_UNROLL
      for (int i = 0; i < 2; ++i) {
        chosen.high[i] = warp_ == 0 ? left.high[i] : right.high[i];
        chosen.low[i] = warp_ == 0 ? left.low[i] : right.low[i];
      }
      return chosen;
    };
    CONVOSCOPE_UNROLL
    for (int n = 0; n < 2; ++n) {
      const Inputs shared = choose(own[n][2], own[n][0]);
      places_[mine + n * band_lanes] = {{shared.high[0], shared.high[1], shared.low[0], shared.low[1]}};
    }
    __syncthreads();
    CONVOSCOPE_UNROLL
    for (int n = 0; n < 2; ++n) {
      const HalfFragment got = places_[others + n * band_lanes];
      const Inputs beyond{{got.a[0], got.a[1]}, {got.a[2], got.a[3]}};
      window[n][0] = choose(own[n][0], beyond);
      window[n][1] = choose(own[n][1], own[n][0]);
      window[n][2] = choose(own[n][2], own[n][1]);
      window[n][3] = choose(beyond, own[n][2]);
    }
  }

 private:
  Shared<HalfFragment> places_;
  int warp_, turn_ = 0;
};

// Larger bands mean fewer warps in any case, so few that the next rows also have room in their registers. With the
// smaller ones more warps are better, and the next rows are only brought to L2 meanwhile.
CONVOSCOPE_HOST_DEVICE constexpr bool loads_ahead(int chunks_y, int chunks_x) { return chunks_y + chunks_x > 4; }
CONVOSCOPE_HOST_DEVICE constexpr int resident_blocks(int chunks_y, int chunks_x) {  // of a multiprocessor
  return loads_ahead(chunks_y, chunks_x) ? 8 / warps_of(chunks_x) : 4;
}

// bands: of the column taps, then of the row taps.
template <int ChunksY, int ChunksX>
__global__ void __launch_bounds__(warps_of(ChunksX) * band_lanes, resident_blocks(ChunksY, ChunksX))
    filter_separable_halves(ImageView<const unsigned> in, ImageView<float> out, const HalfFragment* bands,
                            EvenStrips strips, Border border, bool in_aligned, bool out_aligned, Epilogue epilogue) {
  let_next_kernel_begin();
  // A warp's window is as wide as its outputs' columns and what the row's taps reach beyond them.
  constexpr bool pairs = in_pairs(ChunksX);
  constexpr int warps = warps_of(ChunksX), window_chunks = band_runs + ChunksX - 1;
  constexpr int column_chunks = pairs ? pair_chunks : window_chunks, tiles = 2 * column_chunks;
  constexpr bool ahead = loads_ahead(ChunksY, ChunksX);
  const int lane = threadIdx.x;
  const BlockPlace place = edges_first();
  const int warp = warp_in_block(), left = (place.x * warps + warp) * band_columns;
  const auto [top, rows] = strips.at(place.y, out.height, band_step);
  using Pixels = PixelsOf<ChunksX>;
  const int before = pairs ? band_reach(ChunksX) - warp * (Pixels::columns - band_columns) : band_reach(ChunksX);
  const Pixels strip(in, left, left - before, border, in_aligned);
  if (!pairs && left >= out.width) return;
  [[maybe_unused]] Exchange<ChunksX> exchange(Pixels::table_bytes, warp);

  // Both banded matrices stay in registers, as A; pixels are B, and so are the sums of the first pass for the second.
  Band<ChunksY> down;
  Band<ChunksX> along;
  down.load(bands + lane);
  along.load(bands + 2 * ChunksY * band_lanes + lane);

  CONVOSCOPE_UNROLL
  for (int step = 0; step < (ahead ? 3 : 1); ++step) strip.prefetch_rows(top - band_reach(ChunksY) + step * band_step);
  wait_until_kernel_before_is_done();

  const float none[4] = {};
  // Of the sums down the columns that later rows complete: [which 16 rows][tile].
  float carried[ChunksY - 1][tiles][4] = {};
  // The completed ones in parts, as the product along the rows wants them: [eight rows][chunk of 16 columns].
  Inputs middle[2][column_chunks];

  const int end = top + rows;
  unsigned pixels[tiles][4];
  if (ahead) strip.load(pixels, top - band_reach(ChunksY));
  // Takes the rows from y + reach on in, which complete the outputs from y on.
  const auto pass_down = [&](auto completes, int y) {
    const int first_row = y + band_reach(ChunksY);
    if (!ahead) strip.load(pixels, first_row);
    // A float is nearly the sum of two fp16 numbers.
    Inputs inputs[tiles];
    CONVOSCOPE_UNROLL
    for (int tile = 0; tile < tiles; ++tile) CONVOSCOPE_UNROLL
    for (int i = 0; i < 2; ++i)
      split_half2(__uint_as_float(pixels[tile][2 * i]), __uint_as_float(pixels[tile][2 * i + 1]), inputs[tile].high[i],
                  inputs[tile].low[i]);
    if (ahead && y + band_step < end) {
      strip.load(pixels, first_row + band_step);
      strip.prefetch_rows(first_row + 2 * band_step);
    }
    CONVOSCOPE_UNROLL
    for (int c = 0; c < column_chunks; ++c) {
      if constexpr (completes) {
        float sums[2][4];
        CONVOSCOPE_UNROLL
        for (int h = 0; h < 2; ++h)
          multiply(sums[h], down.high[ChunksY - 1], down.low[ChunksY - 1], inputs[2 * c + h], carried[0][2 * c + h]);
        // D of this product lies in the lanes as B of the next one is wanted: nothing has to move.
        CONVOSCOPE_UNROLL
        for (int n = 0; n < 2; ++n) CONVOSCOPE_UNROLL
        for (int h = 0; h < 2; ++h)
          split_half2(sums[h][2 * n], sums[h][2 * n + 1], middle[n][c].high[h], middle[n][c].low[h]);
      }
      CONVOSCOPE_UNROLL
      for (int tile = 2 * c; tile < 2 * c + 2; ++tile) {
        CONVOSCOPE_UNROLL
        for (int k = 0; k + 2 < ChunksY; ++k)
          multiply(carried[k][tile], down.high[ChunksY - 2 - k], down.low[ChunksY - 2 - k], inputs[tile],
                   carried[k + 1][tile]);
        multiply(carried[ChunksY - 2][tile], down.high[0], down.low[0], inputs[tile], none);
      }
    }
    if (!ahead && y + band_step < end) strip.prefetch_rows(first_row + band_step);
  };

  CONVOSCOPE_KEEP_LOOP
  for (int y = top - 2 * band_reach(ChunksY); y < top; y += band_step) pass_down(std::false_type{}, y);
  CONVOSCOPE_KEEP_LOOP
  for (int y = top; y < end; y += band_step) {
    pass_down(std::true_type{}, y);
    Inputs window[2][window_chunks];
    if constexpr (pairs) {
      exchange.complete(middle, window);
    } else {
      CONVOSCOPE_UNROLL
      for (int n = 0; n < 2; ++n) CONVOSCOPE_UNROLL
      for (int c = 0; c < window_chunks; ++c) window[n][c] = middle[n][c];
    }

    // The small products first: what the tensor cores cut off is a part of the largest number at hand.
    float sums[band_runs][2][4];
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 3 * ChunksX; ++i) {
      const int kind = i / ChunksX, k = i % ChunksX;  // low · high, high · low, high · high
      CONVOSCOPE_UNROLL
      for (int m = 0; m < band_runs; ++m) CONVOSCOPE_UNROLL
      for (int n = 0; n < 2; ++n) {
        const Inputs& inputs = window[n][m + k];
        const unsigned(&matrix)[4] = kind == 0 ? along.low[k].a : along.high[k].a;
        const unsigned(&part)[2] = kind == 1 ? inputs.low : inputs.high;
        if (i == 0)
          mma_m16n8k16(sums[m][n], matrix, part, none);
        else
          mma_m16n8k16(sums[m][n], matrix, part);
      }
    }
    unsigned words[band_runs][2][4];
    const auto each = [&](auto finish) {
      CONVOSCOPE_UNROLL
      for (int m = 0; m < band_runs; ++m) CONVOSCOPE_UNROLL
      for (int n = 0; n < 2; ++n) CONVOSCOPE_UNROLL
      for (int i = 0; i < 4; ++i) finish(words[m][n][i], sums[m][n][i]);
    };
    each([&](unsigned& word, float sum) { word = __float_as_uint(fmaf(epilogue.gain, sum, epilogue.bias)); });
    // One branch for all: with apply()'s after each sum, products would wait for each other.
    if (epilogue.absolute) each([](unsigned& word, float) { word &= 0x7fffffffu; });
    store_strip<ChunksX>(out, left, y, out_aligned, words);
  }
}

int warps_for(const Problem& p) { return warps_of(band_chunks(p.filter.rx())); }

EvenStrips strips(const Problem& p, const Tuned& tuning, int multiprocessors) {
  const int chunks_y = band_chunks(p.filter.ry()), chunks_x = band_chunks(p.filter.rx());
  const int turns = loads_ahead(chunks_y, chunks_x) && !in_pairs(chunks_x) ? 2 : 1;  // where a device holds few at once
  return band_strips(p, tuning["strip_rows"], warps_for(p),
                     turns * multiprocessors * resident_blocks(chunks_y, chunks_x), LongerStrips::at_top);
}

struct SeparableHalf : OneKernel<GlobalFilter<HalfFragment>> {
  EvenStrips strips;
  float column_scale = 1, row_scale = 1;

  static constexpr const char* name = "filter_separable_halves";
  static constexpr bool begins_early = true;
  void take_filter() {
    const SeparableHalves halves = separable_halves(problem.filter);
    column_scale = halves.column_scale, row_scale = halves.row_scale;
    std::vector<HalfFragment> bands;
    append_band(bands, halves.column, false);
    append_band(bands, halves.row, true);
    memory.set(std::move(bands));
  }
  template <class F>
  void with_kernel(F&& f) const {
    with_band_chunks(problem.filter, [&]<int ChunksY, int ChunksX>() { f(filter_separable_halves<ChunksY, ChunksX>); });
  }
  auto arguments(const Image& in, const Image& out) const {
    Epilogue scaled_back = epilogue();
    scaled_back.gain = scaled_back.gain / column_scale / row_scale;  // powers of two: exact
    return std::tuple(memory.data(), strips, problem.border, rows_aligned(in, 2), rows_aligned(out, 2), scaled_back);
  }
  std::string note() const {
    return "pixels, taps and the intermediate in two fp16 numbers each: three products; pixels up to " +
           std::to_string(largest_split_pixel) + " do not overflow";
  }
};

std::size_t shared_bytes(const Filter& filter) {
  std::size_t bytes = 0;
  with_band_chunks(
      filter, [&]<int ChunksY, int ChunksX>() { bytes = PixelsOf<ChunksX>::table_bytes + Exchange<ChunksX>::bytes; });
  return bytes;
}

}  // namespace

extern const Strategy strategy{
    .id = "separable-half",
    .title = "Separable on tensor cores, split fp16",
    .idea =
        "Tensor cores multiply fp16, which has 11 bits where float32 has 24: every pixel and tap becomes the sum of "
        "two fp16 numbers, and three products of these make up one. Two banded (Toeplitz) matrices do the passes; "
        "the sums of the first are where the second needs them: the intermediate stays in registers.",
    .reading =
        "PTX ISA, mma.m16n8k16; Ootomo & Yokota, Recovering Single Precision Accuracy from Tensor Cores, 2022; Fasi "
        "et al., Numerical Behavior of NVIDIA Tensor Cores, 2021",
    .backend = target_backend,
    .tunables = band_tunables,
    .tolerance = separable_halves_bound,
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (std::string why = split_products_reason(p, "matrices"); !why.empty()) return why;
      return band_reason(p, device, t["strip_rows"]);
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      const EvenStrips all = strips(p, t, device.multiprocessors);
      const dim3 block(band_lanes, warps_for(p));
      return one_kernel_plan<SeparableHalf>(p, {band_grid(p, warps_for(p), all), block, shared_bytes(p.filter)}, all);
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const int chunks = band_chunks(p.filter.rx());
      const double overlap = in_pairs(chunks) ? pair_chunks * 16.0 / band_columns : band_overlap(chunks);
      return band_cost(p, strips(p, t, typical_multiprocessors), 3, 3, overlap, in_pairs(chunks) ? 0.5 : 0);
    },
    .explains =
        [](const Problem& p, const Device& device, const Tuned& t, const OutputIndex& at) {
          const EvenStrips all = strips(p, t, device.multiprocessors);
          KernelStep step = explain_bands(SeparableHalf::name, p, warps_for(p), all, at.x, at.y);
          step.words =
              "Each warp walks down 32 columns, 16 rows at a time. A banded matrix of the column taps multiplies "
              "columns of pixels; its sums stay in registers, are split in two fp16 numbers as the pixels were, and "
              "are multiplied by one of the row taps.";
          if (in_pairs(band_chunks(p.filter.rx())))
            step.words +=
                " Two warps side by side need 96 columns: each makes half of these, and they exchange 16 of them.";
          number_edges_first(step, band_grid(p, warps_for(p), all));
          return Explanation{.steps = {std::move(step)},
                             .words =
                                 "The weights are a column times a row. Pixels, taps and the sums in between are "
                                 "two fp16 numbers each; three products make up one."};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::separable_half
