// Both passes on the fp16 tensor cores, with float32's accuracy. Idea: a number is nearly the sum of two fp16 numbers,
// a high and a low part, and three products of parts make up one of numbers; the fourth, low · low, is left out. A warp
// walks down 32 columns, 16 rows at a time, with two banded (Toeplitz) matrices as in separable-int8: the sums of the
// pass down the columns, split again, lie in the registers of the lanes that multiply them along the rows.
// For radii above 8 two warps share the pass down the columns, of which most would be for columns that both need.
// Traffic: 1.5 · (1 + 2R/H) loads per output for strips of H rows, R = 8 or 16; L1 serves the repeated ones.
// Limits: gray32f and rank 1; radius 16; one weight set. fp16 ends at 65504: pixels up to 2047 are safe.
#include <cmath>

#include "kernels/contract/image_plan.h"
#include "kernels/device/global_weights.cuh"
#include "kernels/strategies/shared/image/half_bands.cuh"
#include "kernels/strategies/shared/split_products.cuh"

namespace convoscope::CONVOSCOPE_TARGET::separable_half {
namespace {

// Larger bands mean fewer warps in any case, so few that the next rows also have room in their registers. With the
// smaller ones more warps are better, and the next rows are only brought to L2 meanwhile.
CONVOSCOPE_HOST_DEVICE constexpr bool loads_ahead(int chunks_y, int chunks_x) { return chunks_y + chunks_x > 4; }
CONVOSCOPE_HOST_DEVICE constexpr int resident_blocks(int chunks_y, int chunks_x) {  // of a multiprocessor
  return loads_ahead(chunks_y, chunks_x) ? 8 / warps_of(chunks_x) : 4;
}

// bands: of the column taps, then of the row taps.
template <int ChunksY, int ChunksX>
__global__ void __launch_bounds__(warps_of(ChunksX) * band_lanes, resident_blocks(ChunksY, ChunksX))
    filter_separable_halves(ImageView<const unsigned> in, ImageView<float> out, const Fragment* bands,
                            EvenStrips strips, Border border, bool in_aligned, bool out_aligned, Epilogue epilogue) {
  let_next_kernel_begin();
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

// What both passes multiply by, on the host.
struct SeparableHalves {
  HalfWeights column, row;
  float column_scale = 1, row_scale = 1;
  double column_total = 0, row_total = 0;  // Σ|tap|
  double factors_error = 0;
};

// Sums down a column are at most 2^5 times the largest pixel: they and the pixels share fp16's range.
constexpr int column_exponent = 4;
constexpr int largest_pixel = 65504 >> (column_exponent + 1);
static_assert(largest_pixel == 2047);

// Only for filters of rank 1.
SeparableHalves separable_halves(const Filter& filter) {
  const auto factors = factor_rank_one(filter.weights.data(), filter.width, filter.height, rank_one_tolerance);
  const auto total = [](const std::vector<float>& taps) {
    double sum = 0;
    for (const float tap : taps) sum += std::abs(static_cast<double>(tap));
    return sum;
  };
  SeparableHalves result;
  result.column_total = total(factors->column), result.row_total = total(factors->row);
  result.column_scale = scale_to(static_cast<float>(result.column_total), column_exponent);
  result.row_scale = scale_to(largest_magnitude(factors->row), 10);
  result.column = split_weights(factors->column, result.column_scale);
  result.row = split_weights(factors->row, result.row_scale);
  result.factors_error = factors->error;
  return result;
}

// For pixels up to white. A number's parts, each rounded to 11 bits, miss 2^-23 of it at most, and where low is a
// subnormal of fp16, 2^-25; low is 2^-11 of the number at most, which bounds the products low · low. What taps miss is
// known. Then there is what the tensor cores' sums lose, see below.
double split_bound(const Problem& p) {
  constexpr double missed = 0x1p-23, smallest = 0x1p-25, low_part = 0x1p-11;
  const SeparableHalves h = separable_halves(p.filter);
  const auto low_taps = [](const HalfWeights& taps, float scale) {
    double sum = 0;
    for (const float low : taps.low) sum += std::abs(low);
    return sum / scale;
  };
  const double column_error =
      h.column.error_both + (missed + smallest) * h.column_total + low_part * low_taps(h.column, h.column_scale);
  const double row_error =
      (h.row.error_both + missed * h.row_total + low_part * low_taps(h.row, h.row_scale)) * h.column_total +
      smallest / h.column_scale * h.row_total;
  return 1.001 * (column_error * h.row_total + row_error + h.factors_error) * std::abs(p.filter.gain) *
         white_level(p.format);
}

// Tensor cores multiply exactly, but align the products of a block and the sum so far to the largest of them, cut them
// off there and cut the result off: each loses at most 2^-23 = 2u of Σ|w·x| (Fasi et al., 2021). Blocks are 4 deep at
// least. Down a column of T taps there are 3T products, and T/4 + 3/2 blocks of each of the three kinds lose twice:
// 6T + 12(T/4 + 3/2) = 9T + 18. Along a row the small products come first, whose sums are a thousandth of Σ|w·x|, so
// that all they lose is less than u; in even and odd columns there are T/4 + 13/4 blocks: 2T + 4(T/4 + 13/4) = 3T + 13.
double bound(const Problem& p) {
  return float32_sum_bound(p, 9 * p.filter.height + 18 + 3 * p.filter.width + 13 + 1) + split_bound(p);
}

// Fragments of all lanes: [part][chunk][lane].
void append_band(std::vector<Fragment>& to, const HalfWeights& taps, bool along_row) {
  const int radius = static_cast<int>(taps.high.size()) / 2;
  for (const std::vector<float>* part : {&taps.high, &taps.low})
    for (int chunk = 0; chunk < band_chunks(radius); ++chunk)
      for (int lane = 0; lane < band_lanes; ++lane) {
        Fragment fragment{};
        for (int i = 0; i < 4; ++i) {
          const auto value = [&](int k) {
            const int tap = band_tap(along_row, chunk, k, lane / 4 + i % 2 * 8, radius);
            return tap < 0 ? 0.0f : (*part)[static_cast<std::size_t>(tap)];
          };
          const int k = band_input(lane % 4, i / 2 * 2);
          fragment.a[i] = half_pair(value(k), value(k + 1));
        }
        to.push_back(fragment);
      }
}

int warps_for(const Problem& p) { return warps_of(band_chunks(p.filter.rx())); }

EvenStrips strips(const Problem& p, const Tuned& tuning, int multiprocessors) {
  const int chunks_y = band_chunks(p.filter.ry()), chunks_x = band_chunks(p.filter.rx());
  const int turns = loads_ahead(chunks_y, chunks_x) && !in_pairs(chunks_x) ? 2 : 1;  // where a device holds few at once
  return band_strips(p, tuning["strip_rows"], warps_for(p),
                     turns * multiprocessors * resident_blocks(chunks_y, chunks_x), LongerStrips::at_top);
}

class SeparableHalfPlan final : public ImagePlan {
 public:
  SeparableHalfPlan(const Problem& problem, const EvenStrips& strips)
      : problem_(problem),
        strips_(strips),
        block_(band_lanes, warps_for(problem)),
        grid_(band_grid(problem, warps_for(problem), strips)),
        bands_(static_cast<std::size_t>(2 * band_lanes) *
               (band_chunks(problem.filter.ry()) + band_chunks(problem.filter.rx()))) {
    with_kernel([&](auto kernel, std::size_t) { early_ = starts_early(kernel); });
    SeparableHalfPlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    const SeparableHalves halves = separable_halves(filter);
    epilogue_ = make_epilogue(filter, problem_.format);
    epilogue_.gain = epilogue_.gain / halves.column_scale / halves.row_scale;  // powers of two: exact
    std::vector<Fragment> bands;
    append_band(bands, halves.column, false);
    append_band(bands, halves.row, true);
    bands_.set(std::move(bands));
  }
  void prepare(Stream stream) override { bands_.send(stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    with_kernel([&](auto kernel, std::size_t shared_bytes) {
      launch(early_, kernel, grid_, block_, shared_bytes, stream, in.view<const unsigned>(), out.view<float>(),
             bands_.data(), strips_, problem_.border, rows_aligned(in, 2), rows_aligned(out, 2), epilogue_);
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    with_kernel([&](auto kernel, std::size_t shared_bytes) {
      infos = {describe("filter_separable_halves", kernel, grid_, block_, shared_bytes)};
    });
    return infos;
  }
  std::string note() const override {
    return "pixels, taps and the intermediate in two fp16 numbers each: three products; pixels up to " +
           std::to_string(largest_pixel) + " do not overflow";
  }

 private:
  template <class F>
  void with_kernel(F&& f) const {
    with_band_chunks(problem_.filter, [&]<int ChunksY, int ChunksX>() {
      f(filter_separable_halves<ChunksY, ChunksX>, PixelsOf<ChunksX>::table_bytes + Exchange<ChunksX>::bytes);
    });
  }

  Problem problem_;
  EvenStrips strips_;
  dim3 block_, grid_;
  Epilogue epilogue_;
  GlobalValues<Fragment> bands_;
  bool early_ = false;
};

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
    .tolerance = bound,
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (std::string why = split_products_reason(p, "matrices"); !why.empty()) return why;
      return band_reason(p, device, t["strip_rows"]);
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<SeparableHalfPlan>(p, strips(p, t, device.multiprocessors));
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const int chunks = band_chunks(p.filter.rx());
      const double overlap = in_pairs(chunks) ? pair_chunks * 16.0 / band_columns : band_overlap(chunks);
      return band_cost(p, strips(p, t, typical_multiprocessors), 3, 3, overlap, in_pairs(chunks) ? 0.5 : 0);
    },
    .explains =
        [](const Problem& p, const Device& device, const Tuned& t, const OutputIndex& at) {
          const EvenStrips all = strips(p, t, device.multiprocessors);
          KernelStep step = explain_bands("filter_separable_halves", p, warps_for(p), all, at.x, at.y);
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
