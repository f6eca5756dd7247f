// Streaming down in registers, two multiply-adds an instruction. Idea: as in register-stream a thread walks down a
// strip of a few columns, and a loaded row goes at once into the sums of all outputs that it touches. Here bytes stay
// bytes: an instruction multiplies two neighbours of a channel by two weights of 16 bits and adds both products to an
// integer. Traffic: (1 + 2r/4)(1 + 2r/H) loads per output for strips of H rows; DRAM sees the image once. Limits:
// rgba8; radius 2; weights that 16 bits hold; the integer half of the multiply-add units.
#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/device/constant_weights.cuh"
#include "kernels/filter/number_text.h"
#include "kernels/strategies/shared/image/byte_pairs.cuh"
#include "kernels/strategies/shared/image/byte_weights.h"
#include "kernels/strategies/shared/image/pair_weights.h"

namespace convoscope::CONVOSCOPE_TARGET::dp2a_stream {
namespace {

constexpr int largest_radius = 2;
// Of each row of the filter, for outputs in even columns and in odd ones, radius + 1 pairs.
constexpr int most_pairs = (2 * largest_radius + 1) * 2 * (largest_radius + 1);
__constant__ unsigned weights[most_pairs];
ConstantOwner weights_owner;

// Rows on their way while one is computed; blocks of a multiprocessor that registers are left for: measured.
constexpr int rows_ahead(int radius) { return radius == 1 ? 3 : 2; }
constexpr int blocks_for(int radius) { return radius == 1 ? 5 : 3; }

// output = (sum + offset) >> shift
template <int Radius>
__global__ void __launch_bounds__(StripLayout::warps* StripLayout::lanes, blocks_for(Radius))
    filter_dp2a_stream(ImageView<const Rgba8> in, ImageView<Rgba8> out, int strip_rows, Border border, int shift,
                       int offset, int in_aligned, int out_aligned) {
  constexpr int size = 2 * Radius + 1;
  using Sums = int[size][3][pair_columns];
  // Slot j holds the sums of the output row that is j rows above complete, to which this row is row size − 1 − j of the
  // filter.
  const auto add = [&](const BytePairs<Radius>& row, Sums& sums) {
    CONVOSCOPE_UNROLL
    for (int j = 0; j < size; ++j) CONVOSCOPE_UNROLL
    for (int i = 0; i < pair_columns; ++i) CONVOSCOPE_UNROLL
    for (int c = 0; c < 3; ++c)
      sums[j][c][i] = row.row_sum(
          c, i, [&](int odd, int pair) { return weights[((size - 1 - j) * 2 + odd) * (Radius + 1) + pair]; },
          j + 1 < size ? sums[(j + 1) % size][c][i] : offset);
  };
  walk_down_pairs<Radius, rows_ahead(Radius), Sums>(
      in, out, strip_rows, border, in_aligned, out_aligned, add,
      [&](const Sums& sums, int c, int i) { return sums[0][c][i] >> shift; });
}

constexpr int strip_heights[] = {0, 4, 8, 12, 16, 24, 32, 48, 64, 96};
constexpr Tunable tunables[] = {
    {"strip_rows", "Strip height",
     "Rows that a thread walks down. 0: as many as make one or two full turns of the blocks that the device holds",
     strip_heights, 0},
};

// The radius that both sides are padded to with zeros; 0: none is large enough.
int built_radius(const Filter& filter) {
  const int reach = std::max({filter.rx(), filter.ry(), 1});
  return reach <= largest_radius ? reach : 0;
}

std::vector<unsigned> kernel_weights(const Filter& filter, const FixedPoint& fixed, int radius) {
  const std::size_t row = 2 * static_cast<std::size_t>(radius + 1);
  std::vector<unsigned> pairs(row * static_cast<std::size_t>(radius - filter.ry()));
  const std::vector<unsigned> middle = weight_pairs(fixed.values, filter.width, radius);
  pairs.insert(pairs.end(), middle.begin(), middle.end());
  pairs.resize(row * (2 * static_cast<std::size_t>(radius) + 1));
  return pairs;
}

// Calls f(kernel).
template <class F>
void with_kernel(int radius, F&& f) {
  with_number<1, 2>(radius, [&]<int Radius>() { f(filter_dp2a_stream<Radius>); });
}

StripLayout strips(const Problem&, const Device&, const Tuning&);

class Dp2aStreamPlan final : public ImagePlan {
 public:
  Dp2aStreamPlan(const Problem& problem, const StripLayout& strips)
      : border_(problem.border), radius_(built_radius(problem.filter)), strips_(strips) {
    with_kernel(radius_, [&](auto kernel) { early_ = starts_early(kernel); });
    Dp2aStreamPlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    const ByteFilter bytes = byte_filter(filter);
    fixed_ = bytes.fixed;
    cost_ = bytes.cost;
    weights_.set(as_floats(kernel_weights(filter, fixed_, radius_)));
  }
  void prepare(Stream stream) override { weights_.upload(weights, weights_owner, stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    weights_.expect_in_place();
    with_kernel(radius_, [&](auto kernel) {
      launch(early_, kernel, strips_.grid, strip_block(), pair_table_bytes(radius_), stream, in.view<const Rgba8>(),
             out.view<Rgba8>(), strips_.rows, border_, fixed_.shift, fixed_.offset, rows_aligned(in, pair_columns),
             rows_aligned(out, pair_columns));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    with_kernel(radius_, [&](auto kernel) {
      infos = {describe("filter_dp2a_stream", kernel, strips_.grid, strip_block(), pair_table_bytes(radius_))};
    });
    return weights_.described(std::move(infos));
  }
  std::string note() const override {
    return "built for radius " + std::to_string(radius_) + ", strips of " + std::to_string(strips_.rows) +
           " rows; weights in 16 bits, which costs at most " + rounded_text(cost_, 2) + " code values";
  }

 private:
  Border border_;
  int radius_;
  StripLayout strips_;
  bool early_ = false;
  FixedPoint fixed_;
  double cost_ = 0;
  ConstantWeights weights_;
};

}  // namespace

extern const Strategy strategy;
const Strategy strategy{
    .id = "dp2a-stream",
    .title = "Dot products of bytes, streaming",
    .idea =
        "Each thread walks down a strip of four columns, and a row that has been loaded goes at once into the sums of "
        "all outputs that it touches. An instruction multiplies two neighbouring bytes by two weights of 16 bits and "
        "adds both products: nothing is converted, and there are half as many multiply-adds.",
    .reading = "PTX ISA, dp2a; PMPP 4th ed., ch. 8.5 (stencils: register tiling)",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return byte_filter(p.filter).cost; },  // the sums are exact
    .unsupported = [](const Problem& p, const Device&, const Tuning& t) -> std::string {
      if (p.format != PixelFormat::rgba8)
        return "the instruction multiplies 8-bit pixels, rgba8; this image is " + std::string(to_string(p.format));
      if (built_radius(p.filter) == 0)
        return "its sums are in registers for radii up to " + std::to_string(largest_radius) + "; this filter's is " +
               std::to_string(std::max(p.filter.rx(), p.filter.ry())) + ", which tensor-core-int8 takes";
      if (!byte_filter(p.filter).plain)
        return "one set of weights in 16 bits has to do; register-stream takes what needs finer weights, an absolute "
               "value or a magnitude";
      if (tuned(strategy, t, "strip_rows") < 0) return "A strip cannot have fewer than 0 rows";
      return {};
    },
    .plan = [](const Problem& p, const Device& device, const Tuning& t) -> std::unique_ptr<Plan> {
      return std::make_unique<Dp2aStreamPlan>(p, strips(p, device, t));
    },
    .model = [](const Problem& p, const Tuning& t) -> Cost {
      const int radius = std::max(built_radius(p.filter), 1), chosen = tuned(strategy, t, "strip_rows");
      const double rows = chosen ? chosen : 16, repeated = (rows + 2 * radius) / rows;
      return {.flop = 2 * (2.0 * radius + 1) * (2 * radius + 2) * repeated * channels(p.format) * outputs(p),
              .global_loads_per_output = (pair_columns + 2.0 * radius) / pair_columns * repeated,
              .global_stores_per_output = 1,
              .shared_loads_per_output = 0,
              .dram_bytes = 2 * frame_bytes(p)};
    },
    .explain =
        [](const Problem& p, const Device& device, const Tuning& t, const OutputIndex& at) {
          const StripLayout layout = strips(p, device, t);
          const int radius = built_radius(p.filter);
          const std::string size = std::to_string(2 * radius + 1);
          KernelStep step =
              one_strip_per_thread("filter_dp2a_stream", StripLayout::lanes, StripLayout::warps,
                                   {layout.columns, layout.rows, radius, radius}, p.width, p.height, at.x, at.y);
          step.words =
              "Each thread walks down its strip. Of a row that it has read it puts the same channel of two neighbours "
              "side by side; each such pair, times two weights, goes into the sums of the " +
              size + " output rows that the row touches, which wait in registers.";
          number_edges_first(step, layout.grid);
          return Explanation{.steps = {std::move(step)},
                             .words = "Weights are rounded to 16 bits, and padded with zeros to " + size + " × " +
                                      std::to_string(2 * radius + 2) +
                                      " of them; the sums of products are exact, and scaled by a shift."};
        },
};

namespace {
StripLayout strips(const Problem& p, const Device& device, const Tuning& tuning) {
  StripLayout layout;
  const int radius = built_radius(p.filter);
  with_kernel(radius, [&](auto kernel) {
    layout = lay_out_strips(p, device, kernel, pair_table_bytes(radius), pair_columns,
                            tuned(strategy, tuning, "strip_rows"), radius, radius == 1 ? 2 : 1);
  });
  return layout;
}
}  // namespace

}  // namespace convoscope::CONVOSCOPE_TARGET::dp2a_stream
