// Any filter on the fp16 tensor cores, with float32's accuracy. Idea: a number is nearly the sum of two fp16 numbers, a
// high and a low part, and three products of parts make up one of numbers; the fourth, low · low, is left out. A warp
// walks along 128 columns, two rows at a time; each row is multiplied with the banded (Toeplitz) matrices of all rows
// of the filter, and its products are added to the sums of all output rows that it touches, which wait in registers.
// Rows come by bulk copies into a ring of the warp's own, so nobody ever waits for another.
// Traffic: (1 + R/64)(1 + 2r/H) loads per output for strips of H rows and R = 4, 8 or 16; DRAM sees the image once.
// Limits: gray32f; the sums of 2r + 2 rows in registers: r ≤ 16; fp16 ends at 65504.
#include "kernels/strategies/shared/toeplitz_plan.cuh"

namespace convoscope::CONVOSCOPE_TARGET::tensor_core_half {
namespace {

constexpr int max_radius = 16;

// The radius that the filter is padded to with zeros.
int built_radius(const Filter& filter) {
  const int radius = std::max(filter.rx(), filter.ry());
  for (const int built : {1, 2, 4, 8})
    if (radius <= built) return built;
  return max_radius;
}
template <class F>
auto with_kernel(const Problem& p, F&& f) {
  const auto built = [&]<int Radius>() { return f(filter_toeplitz_stream<Radius>); };
  switch (built_radius(p.filter)) {
    case 1:
      return built.template operator()<1>();
    case 2:
      return built.template operator()<2>();
    case 4:
      return built.template operator()<4>();
    case 8:
      return built.template operator()<8>();
    default:
      return built.template operator()<16>();
  }
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
          .fragments = toeplitz_fragments};
}

ToeplitzStrips strips(const Problem& p, const Device& device, const Tuned& tuning) {
  return with_kernel(p, [&](ToeplitzKernel<1> kernel) { return toeplitz_strips(p, device, tuning, kernel, built(p)); });
}

// Tensor cores multiply exactly, but align the products of a block and the sum so far to the largest of them, cut them
// off there and cut the result off: each loses at most 2^-23 = 2u of Σ|w·x| (Fasi et al., 2021). Blocks are 4 deep at
// least, so products of a depth D are D/4 of them: of two rows D/2, of which each loses twice: 2·D·u of what is summed
// in one piece, and these pieces share the output's products among them. The small products come first and are a
// thousandth of the others: all that they lose is less than u. The pieces of 2r + 1 rows are added in float32, r + 1 of
// them, or twice as many.
double bound(const Problem& p) {
  const int radius = built_radius(p.filter), depth = 8 * toeplitz_words(radius), pieces = 2 * (radius + 1);
  return split_products_bound(p, 2 * depth + 1 + pieces);
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
    .tolerance = bound,
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
