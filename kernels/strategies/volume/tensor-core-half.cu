// Any filter over several frames on the fp16 tensor cores, with float32's accuracy: the picture's tensor-core-half,
// with the rows of all frames multiplied at once and summed in the tensor cores. Traffic: (1 + 1/16)(1 + 2r/H)·M_t
// loads per output for strips of H rows; DRAM sees every frame once. Limits: gray32f; built for 5 and 7 taps and 3, 5
// or 7 frames; fp16 ends at 65504.
#include "kernels/kinds/volume.h"
#include "kernels/strategies/shared/toeplitz_plan.cuh"

namespace convoscope::CONVOSCOPE_TARGET::volume::tensor_core_half {
namespace {

constexpr int max_radius = 3, max_frames = 7;

int built_radius(const Filter& filter) { return std::max({filter.rx(), filter.ry(), 2}); }

// f.template operator()<Count>(kernel)
template <class F>
auto with_kernel(const Problem& p, F&& f) {
  const auto frames = [&]<int Count>() {
    return built_radius(p.filter) == 2 ? f.template operator()<Count>(filter_toeplitz_stream<2, Count>)
                                       : f.template operator()<Count>(filter_toeplitz_stream<3, Count>);
  };
  return p.filter.depth == 3   ? frames.template operator()<3>()
         : p.filter.depth == 5 ? frames.template operator()<5>()
                               : frames.template operator()<7>();
}

ToeplitzStrips strips(const Problem&, const Device&, const Tuning&);

}  // namespace

extern const Strategy strategy;
const Strategy strategy{
    .id = "tensor-core-half",
    .title = "Tensor cores, split fp16",
    .idea =
        "Tensor cores multiply fp16, which has 11 bits where float32 has 24: every pixel and weight becomes the sum of "
        "two fp16 numbers, and three products of these make up one. Each row of the filter in each frame is a banded "
        "(Toeplitz) matrix; a row of all frames goes at once into the sums of all output rows that it touches.",
    .reading =
        "PMPP 4th ed., ch. 16.4 and 8.4; PTX ISA, mma.m16n8k16; Ootomo & Yokota, Recovering Single Precision Accuracy "
        "from Tensor Cores, 2022; Fasi et al., Numerical Behavior of NVIDIA Tensor Cores, 2021",
    .backend = target_backend,
    .tunables = toeplitz_tunables,
    .tolerance = [](const Problem& p) { return toeplitz_bound(p, built_radius(p.filter)); },
    .unsupported = [](const Problem& p, const Device& device, const Tuning& t) -> std::string {
      if (built_radius(p.filter) > max_radius || p.filter.depth > max_frames || p.filter.depth < 3)
        return "It is built for filters up to 7 × 7 over 3, 5 or 7 frames; this one is " +
               std::to_string(p.filter.width) + " × " + std::to_string(p.filter.height) + " over " +
               std::to_string(p.filter.depth);
      return toeplitz_reason(strategy, p, device, t, built_radius(p.filter));
    },
    .plan = [](const Problem& p, const Device& device, const Tuning& t) -> std::unique_ptr<Plan> {
      return with_kernel(p, [&]<int Count>(ToeplitzKernel<Count> kernel) -> std::unique_ptr<Plan> {
        return std::make_unique<ToeplitzPlan<Count>>(p, kernel, built_radius(p.filter), strips(p, device, t));
      });
    },
    .model = [](const Problem& p, const Tuning&) { return toeplitz_cost(p, built_radius(p.filter)); },
    .explain =
        [](const Problem& p, const Device& device, const Tuning& t, const OutputIndex& at) {
          return in_all_frames(p, explain_toeplitz(p, strips(p, device, t), built_radius(p.filter), at));
        },
    .kind = &volume_kind,
};

namespace {
ToeplitzStrips strips(const Problem& p, const Device& device, const Tuning& tuning) {
  return with_kernel(p, [&]<int Count>(ToeplitzKernel<Count> kernel) {
    return toeplitz_strips(strategy, p, device, tuning, kernel, built_radius(p.filter));
  });
}
}  // namespace

}  // namespace convoscope::CONVOSCOPE_TARGET::volume::tensor_core_half
