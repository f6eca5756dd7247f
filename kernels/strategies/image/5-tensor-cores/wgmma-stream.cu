// Any filter in float32's accuracy by Hopper's matrix instructions, while streaming along. Idea: as in tensor-core-half
// a number is nearly the sum of two fp16 numbers, a row of the filter is a banded (Toeplitz) matrix, and three products
// of parts make up one. Here the matrices of all rows lie side by side in shared memory, and one instruction of four
// warps multiplies a row of pixels, which comes from the lanes' registers as it was loaded, with all of them: nothing
// but the weights passes through shared memory, and the warps split the next rows meanwhile.
// Traffic: 2, 4 or 6 (1 + 2r/H) loads per output for windows of 16, 32 or 48 columns and strips of H rows, of which L1
// has all but a little more than one; DRAM sees the image once.
// Limits: compute capability 9.0 alone; gray32f; radius 16; one weight set. fp16 ends at 65504.
#include "kernels/contract/image_plan.h"
#include "kernels/strategies/shared/run_warpgroup_plan.cuh"

namespace convoscope::CONVOSCOPE_TARGET::wgmma_stream {
namespace {

constexpr int max_radius = 16;

int radius_of(const Problem& p) { return std::max(p.filter.rx(), p.filter.ry()); }

// f.template operator()<Radius>(), for the radius that it is built for.
template <class F>
auto with_radius(const Problem& p, F&& f) {
  const int radius = radius_of(p);
  const int built = radius <= 4 ? 4 : radius <= 6 ? 6 : radius <= 8 ? 8 : radius <= 12 ? 12 : 16;
  return with_number<4, 6, 8, 12, 16>(built, f);
}
GroupShape shape_of(const Problem& p) {
  return with_radius(p, []<int Radius>() { return GroupShape{Radius, 1}; });
}

GroupStrips strips(const Problem& p, const Device& device, const Tuned& t) {
  return with_radius(p, [&]<int Radius>() {
    return lay_out_groups(p, device, filter_run_warpgroups<Radius, 1>, shape_of(p), t["strip_rows"]);
  });
}

}  // namespace

extern const Strategy strategy{
    .id = "wgmma-stream",
    .title = "Tensor cores, split fp16, warpgroups",
    .idea =
        "tensor-core-half with Hopper's instructions: all rows of the filter are banded matrices that lie side by side "
        "in shared memory, and one instruction of four warps multiplies a row of pixels, in the registers of those who "
        "loaded it, with all of them. It adds them to the sums of all output rows that they touch, while the warps "
        "split the next pixels in two fp16 numbers each.",
    .reading =
        "PMPP 4th ed., ch. 16.4 and 8.5; PTX ISA, wgmma.mma_async; Ootomo & Yokota, Recovering Single Precision "
        "Accuracy from Tensor Cores, 2022; Fasi et al., Numerical Behavior of NVIDIA Tensor Cores, 2021",
    .backend = target_backend,
    .tunables = group_tunables,
    .tolerance = [](const Problem& p) { return group_bound(p, shape_of(p)); },
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (const int radius = radius_of(p); radius > max_radius)
        return "a lane keeps the sums of 2r + 2 rows in registers, which allows a radius of " +
               std::to_string(max_radius) + "; this filter's is " + std::to_string(radius);
      return group_reason(p, device, t["strip_rows"]);
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      return with_radius(p, [&]<int Radius>() -> std::unique_ptr<Plan> {
        return std::make_unique<GroupPlan<1>>(p, filter_run_warpgroups<Radius, 1>, shape_of(p), strips(p, device, t));
      });
    },
    .costs = [](const Problem& p, const Tuned& t) { return group_cost(p, shape_of(p), t["strip_rows"]); },
    .explains = [](const Problem& p, const Device& device, const Tuned& t,
                   const OutputIndex& at) { return explain_groups(p, shape_of(p), strips(p, device, t), at); },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::wgmma_stream
