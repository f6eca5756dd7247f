#pragma once
// What the two strategies of byte pairs (byte_pairs.cuh) do besides their kernels. Host only.
#include <tuple>

#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/device/constant_weights.cuh"
#include "kernels/strategies/shared/image/byte_pairs.cuh"
#include "kernels/text/number_text.h"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr int largest_pair_radius = 2;

// The radius that both sides of a filter are padded to with zeros; 0: none is large enough.
inline int pair_radius(const Filter& filter) {
  const int reach = std::max({filter.rx(), filter.ry(), 1});
  return reach <= largest_pair_radius ? reach : 0;
}

// What a kernel reads from constant memory, its last arguments but the alignments, and what rounding costs at most, in
// code values.
template <class... Numbers>
struct PairFilter {
  std::vector<float> constants;
  std::tuple<Numbers...> numbers;
  double cost = 0;
};

// Of: name, the kernel's; rounded, what is in 16 bits; with_kernel(radius, f), which calls f(kernel);
// filter(filter, radius), a PairFilter; upload(weights, stream).
template <class Of>
class PairStreamPlan final : public ImagePlan {
 public:
  PairStreamPlan(const Problem& problem, const StripLayout& strips)
      : border_(problem.border), radius_(pair_radius(problem.filter)), strips_(strips) {
    Of::with_kernel(radius_, [&](auto kernel) { early_ = starts_early(kernel); });
    PairStreamPlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    filter_ = Of::filter(filter, radius_);
    weights_.set(filter_.constants);
  }
  void prepare(Stream stream) override { Of::upload(weights_, stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    weights_.expect_in_place();
    Of::with_kernel(radius_, [&](auto kernel) {
      std::apply(
          [&](auto... numbers) {
            launch(early_, kernel, strips_.grid, strip_block(), pair_table_bytes(radius_), stream,
                   in.view<const Rgba8>(), out.view<Rgba8>(), strips_.rows, border_, numbers...,
                   rows_aligned(in, pair_columns), rows_aligned(out, pair_columns));
          },
          filter_.numbers);
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    Of::with_kernel(radius_, [&](auto kernel) {
      infos = {describe(Of::name, kernel, strips_.grid, strip_block(), pair_table_bytes(radius_))};
    });
    return weights_.described(std::move(infos));
  }
  std::string note() const override {
    return "built for radius " + std::to_string(radius_) + ", strips of " + std::to_string(strips_.rows) + " rows; " +
           Of::rounded + " in 16 bits, which costs at most " + rounded_text(filter_.cost, 2) + " code values";
  }

 private:
  Border border_;
  int radius_;
  StripLayout strips_;
  bool early_ = false;
  decltype(Of::filter(std::declval<const Filter&>(), 0)) filter_;
  ConstantWeights weights_;
};

// Why no such strategy takes the problem; `larger`: what is said of larger filters, the end of a sentence. Empty: it
// may.
inline std::string why_no_pairs(const Problem& p, int strip_rows, const char* larger) {
  if (p.format != PixelFormat::rgba8)
    return "the instruction multiplies 8-bit pixels, rgba8; this image is " + std::string(to_string(p.format));
  if (pair_radius(p.filter) == 0)
    return "its sums are in registers for radii up to " + std::to_string(largest_pair_radius) + "; this filter's is " +
           std::to_string(std::max(p.filter.rx(), p.filter.ry())) + larger;
  if (strip_rows < 0) return "A strip cannot have fewer than 0 rows";
  return {};
}

// products(size): multiply-adds of a row of outputs, a channel each.
template <class Products>
Cost cost_of_pairs(const Problem& p, int strip_rows, Products products) {
  const int radius = std::max(pair_radius(p.filter), 1);
  const double rows = strip_rows ? strip_rows : 16, repeated = (rows + 2 * radius) / rows;
  return {.flop = 2 * products(2.0 * radius + 1) * repeated * channels(p.format) * outputs(p),
          .global_loads_per_output = (pair_columns + 2.0 * radius) / pair_columns * repeated,
          .global_stores_per_output = 1,
          .shared_loads_per_output = 0,
          .dram_bytes = 2 * frame_bytes(p)};
}

inline Explanation explain_pairs(const Problem& p, const StripLayout& layout, const char* kernel, const OutputIndex& at,
                                 std::string of_step, std::string of_filter) {
  const int radius = pair_radius(p.filter);
  KernelStep step = one_strip_per_thread(kernel, StripLayout::lanes, StripLayout::warps,
                                         {layout.columns, layout.rows, radius, radius}, p.width, p.height, at.x, at.y);
  step.words = std::move(of_step);
  number_edges_first(step, layout.grid);
  return Explanation{.steps = {std::move(step)}, .words = std::move(of_filter)};
}

}  // namespace convoscope::CONVOSCOPE_TARGET
