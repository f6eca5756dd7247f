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
  const auto built = [&]<int Radius>() { return f(filter_toeplitz_stream<Radius, 1>); };
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

ToeplitzStrips strips(const Problem&, const Device&, const Tuning&);

}  // namespace

extern const Strategy strategy;
const Strategy strategy{
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
    .tolerance = [](const Problem& p) { return toeplitz_bound(p, built_radius(p.filter)); },
    .unsupported = [](const Problem& p, const Device& device, const Tuning& t) -> std::string {
      const int radius = std::max(p.filter.rx(), p.filter.ry());
      if (radius > max_radius)
        return "a lane keeps the sums of 2r + 2 rows in registers, which allows a radius of " +
               std::to_string(max_radius) + "; this filter's is " + std::to_string(radius);
      return toeplitz_reason(strategy, p, device, t, built_radius(p.filter));
    },
    .plan = [](const Problem& p, const Device& device, const Tuning& t) -> std::unique_ptr<Plan> {
      return with_kernel(p, [&](ToeplitzKernel<1> kernel) {
        return std::make_unique<ToeplitzPlan<1>>(p, kernel, built_radius(p.filter), strips(p, device, t));
      });
    },
    .model = [](const Problem& p, const Tuning&) { return toeplitz_cost(p, built_radius(p.filter)); },
    .explain =
        [](const Problem& p, const Device& device, const Tuning& t, const OutputIndex& at) {
          return explain_toeplitz(p, strips(p, device, t), built_radius(p.filter), at);
        },
};

namespace {
ToeplitzStrips strips(const Problem& p, const Device& device, const Tuning& tuning) {
  return with_kernel(p, [&](ToeplitzKernel<1> kernel) {
    return toeplitz_strips(strategy, p, device, tuning, kernel, built_radius(p.filter));
  });
}
}  // namespace

}  // namespace convoscope::CONVOSCOPE_TARGET::tensor_core_half
