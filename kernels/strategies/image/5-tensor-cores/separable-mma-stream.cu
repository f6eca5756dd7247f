// Both passes while streaming down, the rows on the fp16 tensor cores: two matrix instructions take the place of 2r + 1
// multiply-adds for each of a lane's outputs. Traffic: 2 (1 + 2r/H) loads per output for strips of H rows, half of them
// in L1; DRAM sees the image once. Limits: gray32f and rank 1; radius 4; one weight set. fp16 ends at 65504.
#include "kernels/device/parts/mma.cuh"
#include "kernels/strategies/shared/image/run_fragments.cuh"
#include "kernels/strategies/shared/image/separable_halves.h"
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
      // Of the taps' high parts and of their low ones. From here on it is float32, times the column's taps.
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
  // Blocks at the edges, which take longer, come first, so that the last turn is not of them.
  const BlockPlace place = edges_first();
  const int left = (place.x * run_warps + warp_in_block()) * run_columns, top = place.y * strip_rows;
  if (left >= out.width) return;
  const int outputs = min(strip_rows, out.height - top);
  const int first_column = left - run_reach + run_outputs * run_of_column(lane_index() / 4) + 4 * (lane_index() % 4);
  using Stream = RunStream<float, radius, OneQuad>;
  const FewFrames<1, float> one{{in.data}, in.width, in.height, in.pitch};
  Stream stream(one, first_column, left, run_columns, top - radius, outputs + 2 * radius, 1, border, in_aligned);
  // What follows reads what the kernel before may still be writing; only L2 may be asked for it until then.
  let_next_kernel_begin();
  stream.prefetch_rows(left - run_reach, 3);
  HalfSums sums(fragment, column, epilogue);
  wait_until_kernel_before_is_done();

  stream.with_rows([&](auto load, auto settle, auto whole) {
    // Where the lane's outputs are, two runs apart, so that what lanes store at a time lies together.
    const int x = left + first_run_output(lane_index());
    float* to = pixel_at(out, x, top);
    typename Stream::Row coming[rows_ahead] = {};
    CONVOSCOPE_UNROLL
    for (int k = 0; k < rows_ahead; ++k) load(coming[k]);
    CONVOSCOPE_KEEP_LOOP
    for (int first = -2 * radius; first < outputs; first += rows_ahead) {
      CONVOSCOPE_UNROLL
      for (int k = 0; k < rows_ahead; ++k) {
        settle(coming[k]);
        // A lane's four pixels, split in two fp16 numbers each.
        const HalfSums::Row row(coming[k][0][0]);
        load(coming[k]);  // a later row is under way while this one is multiplied
        sums.add(row);
        // The first 2r rows complete nothing: they are the halo above the strip.
        if (const int complete = first + k; complete >= 0 && complete < outputs) {
          unsigned words[2];
          sums.outputs(words);
          CONVOSCOPE_UNROLL
          for (int i = 0; i < 2; ++i)
            if (whole || x + i * run_pair_apart < out.width) store_vector<1>(to + i * run_pair_apart, words + i);
          to = next_row(out, to);
        }
      }
    }
  });
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
    const SplitRowTaps taps = split_row_taps(filter);
    Epilogue epilogue = make_epilogue(filter, format);
    epilogue.gain /= taps.row_scale;  // a power of two: exact
    ColumnTaps column{};
    std::ranges::copy(taps.column_taps, column.taps + radius - filter.ry());
    return {half_run_fragment(taps.row),
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
        "were loaded. Every pixel and tap becomes the sum of two fp16 numbers, and the products of their parts make up "
        "those of float32. The result, times the column's taps, goes at once into the sums of the outputs below.",
    .reading =
        "PTX ISA, mma.m16n8k16; Ootomo & Yokota, Recovering Single Precision Accuracy from Tensor Cores, 2022; Fasi "
        "et al., Numerical Behavior of NVIDIA Tensor Cores, 2021; PMPP 4th ed., ch. 8.5 (stencils: register tiling)",
    .backend = target_backend,
    .tunables = run_tunables,
    .tolerance = [](const Problem& p) { return split_row_bound(p, size); },
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
              "which the matrix of the row's taps turns into eight sums each. They go, times the column's taps, into "
              "the " +
                  rows + " output rows that the row touches. The thread that is named here stores this output.",
              "Pixels and the row's taps are split in two fp16 numbers each." +
                  (padded ? " The filter is padded with zeros to " + rows + " × " + rows + " weights." : ""));
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::separable_mma_stream
