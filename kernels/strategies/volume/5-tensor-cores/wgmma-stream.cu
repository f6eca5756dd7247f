// Any filter over several frames in float32's accuracy by Hopper's matrix instructions. Idea: the picture's
// wgmma-stream, with the same row of all frames one after the other into the same sums.
// Traffic: 2 (1 + 2r/H)·M_t loads per output for strips of H rows, half of them in L1; DRAM sees every frame once.
// Limits: compute capability 9.0 alone; gray32f; built for 3, 5 and 7 taps and frames; fp16 ends at 65504.
#include "kernels/kinds/volume.h"
#include "kernels/strategies/shared/run_warpgroup_plan.cuh"

namespace convoscope::CONVOSCOPE_TARGET::volume::wgmma_stream {
namespace {

constexpr int max_radius = 3, max_frames = 7;

int radius_of(const Problem& p) { return std::max({p.filter.rx(), p.filter.ry(), 1}); }

// f.template operator()<Radius, Count>()
template <class F>
auto with_sizes(const Problem& p, F&& f) {
  return with_number<1, 2, 3>(radius_of(p), [&]<int Radius>() {
    return with_number<3, 5, 7>(p.filter.depth, [&]<int Count>() { return f.template operator()<Radius, Count>(); });
  });
}
GroupShape shape_of(const Problem& p) { return {radius_of(p), p.filter.depth}; }

GroupStrips strips(const Problem& p, const Device& device, const Tuned& t) {
  return with_sizes(p, [&]<int Radius, int Count>() {
    return lay_out_groups(p, device, filter_run_warpgroups<Radius, Count>, shape_of(p), t["strip_rows"]);
  });
}

}  // namespace

extern const Strategy strategy{
    .id = "wgmma-stream",
    .title = "Tensor cores, split fp16, warpgroups",
    .idea =
        "All rows of the filter are banded (Toeplitz) matrices that lie side by side in shared memory, and one of "
        "Hopper's instructions multiplies a row of pixels, in the registers of the four warps that loaded it, with all "
        "of them. It adds them to the sums of all output rows that they touch; the other frames' rows follow. Pixels "
        "and weights are two fp16 numbers each.",
    .reading =
        "PMPP 4th ed., ch. 16.4 and 8.5; PTX ISA, wgmma.mma_async; Ootomo & Yokota, Recovering Single Precision "
        "Accuracy from Tensor Cores, 2022; Fasi et al., Numerical Behavior of NVIDIA Tensor Cores, 2021",
    .backend = target_backend,
    .tunables = group_tunables,
    .tolerance = [](const Problem& p) { return group_bound(p, shape_of(p)); },
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (radius_of(p) > max_radius || p.filter.depth > max_frames || p.filter.depth < 3)
        return "It is built for filters up to 7 × 7 over 3, 5 or 7 frames; this one is " +
               std::to_string(p.filter.width) + " × " + std::to_string(p.filter.height) + " over " +
               std::to_string(p.filter.depth);
      return group_reason(p, device, t["strip_rows"]);
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      return with_sizes(p, [&]<int Radius, int Count>() -> std::unique_ptr<Plan> {
        return std::make_unique<GroupPlan<Count>>(p, filter_run_warpgroups<Radius, Count>, shape_of(p),
                                                  strips(p, device, t));
      });
    },
    .costs = [](const Problem& p, const Tuned& t) { return group_cost(p, shape_of(p), t["strip_rows"]); },
    .explains =
        [](const Problem& p, const Device& device, const Tuned& t, const OutputIndex& at) {
          return in_all_frames(p, explain_groups(p, shape_of(p), strips(p, device, t), at));
        },
    .kind = &volume_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::volume::wgmma_stream
