// Both passes while streaming down, the rows on the fp16 tensor cores, with float32's accuracy. Idea: a number is
// nearly the sum of two fp16 numbers, a high and a low part. The row's taps are a banded (Toeplitz) matrix, A, whose
// upper half has their high parts and whose lower half their low ones; B is a row of pixels as it was loaded, once its
// low parts and once its high ones. A warp walks down 64 columns; what the rows make goes, times the column's taps,
// into the sums of all output rows that it touches, as floats: two matrix instructions take the place of 2r + 1
// multiply-adds for each of a lane's outputs, and nothing passes through shared memory. Traffic: 2 (1 + 2r/H) loads per
// output for strips of H rows, half of them in L1; DRAM sees the image once. Limits: gray32f and rank 1; radius 4; one
// weight set. fp16 ends at 65504.
#include <cmath>

#include "kernels/device/parts/mma.cuh"
#include "kernels/filter/separability.h"
#include "kernels/strategies/shared/image/run_plan.cuh"
#include "kernels/strategies/shared/split_products.cuh"

namespace convoscope::CONVOSCOPE_TARGET::separable_mma_stream {
namespace {

// Rows on their way while one is computed; blocks of a multiprocessor that registers are left for: measured.
constexpr int rows_ahead = 8, resident_blocks = 4;
constexpr int radius = run_reach, size = 2 * radius + 1;  // smaller filters are padded with zeros

struct ColumnTaps {
  float taps[size];
};

class HalfSums {
 public:
  // A lane's four pixels: its pairs of the matrix's columns 2t and 2t + 8 are neighbours, since taps lie in this order.
  struct Row {
    unsigned high[2], low[2];
    __device__ explicit Row(const unsigned* pixels) {
      CONVOSCOPE_UNROLL
      for (int i = 0; i < 2; ++i)
        split_half2(__uint_as_float(pixels[2 * i]), __uint_as_float(pixels[2 * i + 1]), high[i], low[i]);
    }
  };

  __device__ HalfSums(const unsigned* fragment, const ColumnTaps& column, const Epilogue& epilogue)
      : column_(column), epilogue_(epilogue) {
    load_vector<4>(fragment + 4 * lane_index(), row_taps_);
  }
  // Slot j holds the sums of the output row that is j rows above complete, for which this row has the tap size − 1 − j.
  __device__ void add(const Row& row) {
    constexpr float none[4] = {};
    // The small products first: what the tensor cores cut off is a part of the largest number at hand.
    float sums[4];
    mma_m16n8k16(sums, row_taps_, row.low, none);
    mma_m16n8k16(sums, row_taps_, row.high);
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 2; ++i) {
      const float sum = sums[i] + sums[2 + i];
      CONVOSCOPE_UNROLL
      for (int j = 0; j < size; ++j)
        sums_[j][i] = fmaf(column_.taps[size - 1 - j], sum, j + 1 < size ? sums_[(j + 1) % size][i] : 0.0f);
    }
  }
  __device__ void outputs(unsigned (&words)[2]) const {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 2; ++i) words[i] = __float_as_uint(apply(epilogue_, sums_[0][i]));
  }

 private:
  unsigned row_taps_[4];
  const ColumnTaps& column_;
  const Epilogue& epilogue_;
  float sums_[size][2] = {};
};

__global__ void __launch_bounds__(run_warps* run_lanes, resident_blocks)
    filter_separable_runs(ImageView<const float> in, ImageView<float> out, const unsigned* fragment, ColumnTaps column,
                          int strip_rows, Border border, Epilogue epilogue, int in_aligned) {
  walk_down_runs<radius, rows_ahead, HalfSums>(in, out, strip_rows, border, in_aligned,
                                               [&] { return HalfSums(fragment, column, epilogue); });
}

struct Taps {
  HalfWeights row;
  float row_scale = 1;
  std::vector<float> row_taps, column_taps;
  double column_total = 0, factors_error = 0;  // Σ|tap|; of weights as products
};

// Only for filters of rank 1.
Taps taps_of(const Filter& filter) {
  const auto factors = factor_rank_one(filter.weights.data(), filter.width, filter.height, rank_one_tolerance);
  Taps result;
  result.row_taps = factors->row, result.column_taps = factors->column;
  result.row_scale = scale_to(largest_magnitude(factors->row), 10);  // clear of fp16's subnormals
  result.row = split_weights(factors->row, result.row_scale);
  for (const float tap : factors->column) result.column_total += std::abs(static_cast<double>(tap));
  result.factors_error = factors->error;
  return result;
}

// Tensor cores multiply exactly, but align the products of a block and the sum so far to the largest of them, cut them
// off there and cut the result off: each loses at most 2^-23 = 2u of Σ|w·x| (Fasi et al., 2021). Blocks are 4 deep at
// least, so the 16 products of high parts of pixels lose 16u at most; those of low parts come first and are a
// thousandth of them: less than u. One addition of halves; then 2r + 1 roundings down the column.
double bound(const Problem& p) {
  const Taps taps = taps_of(p.filter);
  const double split = split_products_error(taps.row_taps, taps.row) * taps.column_total + taps.factors_error;
  return float32_sum_bound(p, 16 + 1 + 1 + size) +
         1.001 * split * std::abs(static_cast<double>(p.filter.gain)) * white_level(p.format);
}

// A lane has of A rows g and g + 8: here an output's high parts, and its low ones.
std::vector<unsigned> kernel_fragment(const HalfWeights& taps) {
  std::vector<unsigned> fragment;
  const int width = static_cast<int>(taps.high.size());
  for (int lane = 0; lane < run_lanes; ++lane)
    for (const int pair : {0, 2})
      for (const std::vector<float>* part : {&taps.high, &taps.low}) {
        const auto value = [&](int k) {
          const int tap = run_tap(lane / 4, lane % 4 * 4 + k, width);
          return tap < 0 ? 0.0f : (*part)[static_cast<std::size_t>(tap)];
        };
        fragment.push_back(half_pair(value(pair), value(pair + 1)));
      }
  return fragment;
}

struct OfSeparableRuns {
  using Pixel = float;
  static constexpr const char* name = "filter_separable_runs";
  static int built_radius(const Filter&) { return radius; }
  template <class F>
  static void with_kernel(int, F&& f) {
    f(filter_separable_runs);
  }
  struct Numbers {
    ColumnTaps column;
    Epilogue epilogue;
  };
  static auto arguments(const unsigned* fragment, int strip_rows, Border border, const Numbers& numbers) {
    return std::tuple(fragment, numbers.column, strip_rows, border, numbers.epilogue);
  }
  static RunFilter<Numbers> filter(const Filter& filter, PixelFormat format) {
    const Taps taps = taps_of(filter);
    Epilogue epilogue = make_epilogue(filter, format);
    epilogue.gain /= taps.row_scale;  // a power of two: exact
    ColumnTaps column{};
    std::ranges::copy(taps.column_taps, column.taps + radius - filter.ry());
    return {kernel_fragment(taps.row),
            {column, epilogue},
            "pixels and the row's taps in two fp16 numbers each; pixels up to 65504 do not overflow"};
  }
};

RunStrips strips(const Problem& p, const Device& device, const Tuned& tuning) {
  return lay_out_runs(p, device, filter_separable_runs, radius, rows_ahead, tuning["strip_rows"]);
}

}  // namespace

extern const Strategy strategy{
    .id = "separable-mma-stream",
    .title = "Separable, rows on tensor cores, streaming",
    .idea =
        "A warp walks down 64 columns and filters each new row along x by two matrix instructions, with pixels as they "
        "were loaded: every pixel and tap becomes the sum of two fp16 numbers, and the products of their parts make up "
        "those of float32. The result, times the column's taps, goes at once into the sums of the outputs below.",
    .reading =
        "PTX ISA, mma.m16n8k16; Ootomo & Yokota, Recovering Single Precision Accuracy from Tensor Cores, 2022; Fasi "
        "et al., Numerical Behavior of NVIDIA Tensor Cores, 2021; PMPP 4th ed., ch. 8.5 (stencils: register tiling)",
    .backend = target_backend,
    .tunables = run_tunables,
    .tolerance = bound,
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (std::string why = split_products_reason(p); !why.empty()) return why;
      if (std::string why = run_reason(p, device, t["strip_rows"]); !why.empty()) return why;
      return separable_reason(p.filter);
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<RunPlan<OfSeparableRuns>>(p, strips(p, device, t));
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost { return run_cost(p, radius, t["strip_rows"], 2, 2 * size); },
    .explains =
        [](const Problem& p, const Device& device, const Tuned& t, const OutputIndex& at) {
          const std::string rows = std::to_string(size);
          const bool padded = p.filter.width < size || p.filter.height < size;
          return explain_runs(
              p, strips(p, device, t), radius, OfSeparableRuns::name, at,
              "A warp walks down its 64 columns. Of a row it has eight windows of 16 pixels, four in each of four "
              "lanes, "
              "which the matrix of the row's taps turns into eight sums each; they go, times the column's taps, into "
              "the " +
                  rows + " output rows that the row touches. The thread that is named here stores this output.",
              "Pixels and the row's taps are split in two fp16 numbers each." +
                  (padded ? " The filter is padded with zeros to " + rows + " × " + rows + " weights." : ""));
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::separable_mma_stream
