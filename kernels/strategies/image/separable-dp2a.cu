// Both passes in registers, the first by dot products of bytes. Idea: as in separable-stream a thread filters each new
// row along x for its own columns and adds the result, times the column's taps, to the sums of the outputs that the row
// touches. Here an instruction multiplies two bytes by two taps of 16 bits; its integer is the mantissa of a float,
// with which the columns go on, so that nothing is converted either way. Traffic: (1 + 2r/4)(1 + 2r/H) loads per output
// for strips of H rows; L1 serves all but the first of each pixel. r + 1 dot products and 2r + 1 multiply-adds a
// channel, (1 + 2r/H) times. Limits: rgba8; rank 1; radius 2, whose sums fit in a thread's registers.
#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/device/constant_weights.cuh"
#include "kernels/filter/number_text.h"
#include "kernels/strategies/shared/image/byte_pairs.cuh"
#include "kernels/strategies/shared/image/pair_weights.h"

namespace convoscope::CONVOSCOPE_TARGET::separable_dp2a {
namespace {

constexpr int largest_radius = 2;
// A row's taps, for outputs in even columns and in odd ones, radius + 1 pairs each; then a column's, as floats.
constexpr int row_words(int radius) { return 2 * (radius + 1); }
__constant__ unsigned taps[row_words(largest_radius) + 2 * largest_radius + 1];
ConstantOwner taps_owner;

// Rows on their way while one is computed; blocks of a multiprocessor that registers are left for: measured.
constexpr int rows_ahead(int radius) { return radius == 1 ? 3 : 4; }
constexpr int blocks_for(int radius) { return radius == 1 ? 5 : 3; }

template <int Radius>
__global__ void __launch_bounds__(StripLayout::warps* StripLayout::lanes, blocks_for(Radius))
    filter_separable_dp2a(ImageView<const Rgba8> in, ImageView<Rgba8> out, int strip_rows, Border border, float start,
                          int in_aligned, int out_aligned) {
  constexpr int size = 2 * Radius + 1;
  using Sums = float[size][3][pair_columns];
  constexpr int base = 0x4B400000;  // of the float 1.5 · 2^23: see SeparablePairs
  static_assert(SeparablePairs::base == 12582912.0f);
  // Slot j holds the sums of the output row that is j rows above complete, for which this row has the tap size − 1 − j.
  const auto add = [&](const BytePairs<Radius>& row, Sums& sums) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < pair_columns; ++i) CONVOSCOPE_UNROLL
    for (int c = 0; c < 3; ++c) {
      const float sum = __int_as_float(row.row_sum(
          c, i, [](int odd, int pair) { return taps[odd * (Radius + 1) + pair]; }, base));
      CONVOSCOPE_UNROLL
      for (int j = 0; j < size; ++j)
        sums[j][c][i] = fmaf(__uint_as_float(taps[row_words(Radius) + size - 1 - j]), sum,
                             j + 1 < size ? sums[(j + 1) % size][c][i] : start);
    }
  };
  // A product as small as this is rounded to a multiple of the smallest float, and its bits are how many: the code
  // value, and of negative floats negative.
  walk_down_pairs<Radius, rows_ahead(Radius), Sums>(
      in, out, strip_rows, border, in_aligned, out_aligned, add,
      [](const Sums& sums, int c, int i) { return __float_as_int(sums[0][c][i] * 0x1p-109f); });
  static_assert(SeparablePairs::of_sums + SeparablePairs::of_byte == -149);
}

constexpr int strip_heights[] = {0, 4, 8, 12, 16, 24, 32, 48, 64, 96};
constexpr Tunable tunables[] = {
    {"strip_rows", "Strip height",
     "Rows that a thread walks down. 0: as many as make one or two turns of the blocks that the device holds",
     strip_heights, 0},
};

// The radius that both sides are padded to with zeros; 0: none is large enough.
int built_radius(const Filter& filter) {
  const int reach = std::max({filter.rx(), filter.ry(), 1});
  return reach <= largest_radius ? reach : 0;
}

std::vector<float> kernel_taps(const SeparablePairs& pairs, const Filter& filter, int radius) {
  std::vector<float> all = as_floats(weight_pairs(pairs.row, filter.width, radius));
  all.resize(all.size() + static_cast<std::size_t>(radius - filter.ry()));
  all.insert(all.end(), pairs.column.begin(), pairs.column.end());
  all.resize(static_cast<std::size_t>(row_words(radius) + 2 * radius + 1));
  return all;
}

// Calls f(kernel).
template <class F>
void with_kernel(int radius, F&& f) {
  with_number<1, 2>(radius, [&]<int Radius>() { f(filter_separable_dp2a<Radius>); });
}

StripLayout strips(const Problem&, const Device&, const Tuning&);

class SeparableDp2aPlan final : public ImagePlan {
 public:
  SeparableDp2aPlan(const Problem& problem, const StripLayout& strips)
      : border_(problem.border), radius_(built_radius(problem.filter)), strips_(strips) {
    with_kernel(radius_, [&](auto kernel) { early_ = starts_early(kernel); });
    SeparableDp2aPlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    const SeparablePairs pairs = separable_pairs(filter);
    start_ = pairs.start;
    cost_ = pairs.cost;
    taps_.set(kernel_taps(pairs, filter, radius_));
  }
  void prepare(Stream stream) override { taps_.upload(taps, taps_owner, stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    taps_.expect_in_place();
    with_kernel(radius_, [&](auto kernel) {
      launch(early_, kernel, strips_.grid, strip_block(), pair_table_bytes(radius_), stream, in.view<const Rgba8>(),
             out.view<Rgba8>(), strips_.rows, border_, start_, rows_aligned(in, pair_columns),
             rows_aligned(out, pair_columns));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    with_kernel(radius_, [&](auto kernel) {
      infos = {describe("filter_separable_dp2a", kernel, strips_.grid, strip_block(), pair_table_bytes(radius_))};
    });
    return taps_.described(std::move(infos));
  }
  std::string note() const override {
    return "built for radius " + std::to_string(radius_) + ", strips of " + std::to_string(strips_.rows) +
           " rows; a row's taps in 16 bits, which costs at most " + rounded_text(cost_, 2) + " code values";
  }

 private:
  Border border_;
  int radius_;
  StripLayout strips_;
  bool early_ = false;
  float start_ = 0;
  double cost_ = 0;
  ConstantWeights taps_;
};

}  // namespace

extern const Strategy strategy;
const Strategy strategy{
    .id = "separable-dp2a",
    .title = "Separable, dot products of bytes",
    .idea =
        "Each thread walks down a strip of four columns. It sums a new row along x two bytes at a time, by an "
        "instruction that multiplies them by two taps of 16 bits; the integer is the mantissa of a float, which goes "
        "at once, times a tap of the column, into the sums of all outputs that the row touches.",
    .reading = "PTX ISA, dp2a; PMPP 4th ed., ch. 7.4 and 8.5 (stencils: register tiling)",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return separable_pairs(p.filter).cost; },
    .unsupported = [](const Problem& p, const Device&, const Tuning& t) -> std::string {
      if (p.format != PixelFormat::rgba8)
        return "the instruction multiplies 8-bit pixels, rgba8; this image is " + std::string(to_string(p.format));
      if (p.filter.is_magnitude() || p.filter.absolute)
        return "its outputs are sums of one set of weights; separable-stream takes an absolute value or a magnitude";
      if (std::string reason = separable_reason(p.filter); !reason.empty()) return reason;
      if (built_radius(p.filter) == 0)
        return "its sums are in registers for radii up to " + std::to_string(largest_radius) + "; this filter's is " +
               std::to_string(std::max(p.filter.rx(), p.filter.ry())) + ", which separable-int8 takes";
      if (std::string trouble = separable_pairs(p.filter).trouble; !trouble.empty())
        return trouble + "; separable-stream takes it";
      if (tuned(strategy, t, "strip_rows") < 0) return "A strip cannot have fewer than 0 rows";
      return {};
    },
    .plan = [](const Problem& p, const Device& device, const Tuning& t) -> std::unique_ptr<Plan> {
      return std::make_unique<SeparableDp2aPlan>(p, strips(p, device, t));
    },
    .model = [](const Problem& p, const Tuning& t) -> Cost {
      const int radius = std::max(built_radius(p.filter), 1), chosen = tuned(strategy, t, "strip_rows");
      const double rows = chosen ? chosen : 16, repeated = (rows + 2 * radius) / rows;
      return {.flop = 2 * (2.0 * radius + 2 + 2 * radius + 1) * repeated * channels(p.format) * outputs(p),
              .global_loads_per_output = (pair_columns + 2.0 * radius) / pair_columns * repeated,
              .global_stores_per_output = 1,
              .shared_loads_per_output = 0,
              .dram_bytes = 2 * frame_bytes(p)};
    },
    .explain =
        [](const Problem& p, const Device& device, const Tuning& t, const OutputIndex& at) {
          const StripLayout layout = strips(p, device, t);
          const int radius = built_radius(p.filter);
          KernelStep step =
              one_strip_per_thread("filter_separable_dp2a", StripLayout::lanes, StripLayout::warps,
                                   {layout.columns, layout.rows, radius, radius}, p.width, p.height, at.x, at.y);
          const std::string size = std::to_string(2 * radius + 1);
          step.words =
              "Each thread walks down its strip, a row at a time. It puts the same channel of two neighbours side by "
              "side, sums the row along x for its columns two pixels at a time, and adds the result at once, times a "
              "tap of the column, to the sums of the " +
              size + " output rows that it touches, which wait in registers.";
          number_edges_first(step, layout.grid);
          return Explanation{.steps = {std::move(step)},
                             .words =
                                 "The weights are a column times a row: their product is what is shown. The row's taps "
                                 "are rounded to 16 bits; both are padded with zeros to " +
                                 size + " taps."};
        },
};

namespace {
// Two turns, at radius 2 with a twentieth of the last one left; but one where strips would be lower than is worth what
// they repeat at their ends.
StripLayout strips(const Problem& p, const Device& device, const Tuning& tuning) {
  constexpr int low = 12;
  StripLayout layout;
  const int radius = built_radius(p.filter);
  with_kernel(radius, [&](auto kernel) {
    for (const double turns : {radius == 1 ? 2 : 1.9, 0.95}) {
      layout = lay_out_strips(p, device, kernel, pair_table_bytes(radius), pair_columns,
                              tuned(strategy, tuning, "strip_rows"), radius, turns);
      if (radius == 1 || layout.rows >= low) break;
    }
  });
  return layout;
}
}  // namespace

}  // namespace convoscope::CONVOSCOPE_TARGET::separable_dp2a
