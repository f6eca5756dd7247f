// What a library for images does. Idea: NPP has several functions for the same filter: a general one, a row and a
// column pass, Gaussians with weights of one's own, means, and fixed small ones. The usual one, or with `measure` the
// fastest of those whose result is right. Traffic: NPP's own; its rgba8 filters leave alpha alone, so the frame is
// first copied for the alpha's sake, and that copy is part of the time shown. Where bytes between two passes would be
// truncated, the passes run on planes of floats instead, and converting is part of the time. Limits: NPP implements
// only the replicate border, truncates, and stores 8-bit results without bias, absolute value or a second filter; for
// gray32f a small kernel adds those.
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/peers/fastest_way.cuh"
#include "kernels/peers/npp_plan.cuh"

namespace convoscope::CONVOSCOPE_TARGET::npp {
namespace {

constexpr Tunable tunables[] = {try_all_tunable};

// NPP truncates to 8 bits, which is half a code value beyond rounding. One more term for the gain inside the weights;
// of two passes three, for factors that are scaled until the row sums to 1, and for the gain.
double npp_bound(const Problem& p) {
  double sums = float32_sum_bound(p, p.filter.taps() + 1);
  if (separable_reason(p.filter).empty()) sums = std::max(sums, separable_sum_bound(p) + float32_sum_bound(p, 3));
  return sums + (p.format == PixelFormat::rgba8 ? 0.5 : 0.0);
}

}  // namespace

extern const Strategy strategy{
    .id = "npp",
    .title = "NPP",
    .idea =
        "NVIDIA's image library: its general filter, or its row and column filters where the weights are of rank 1. "
        "With 'measure', whichever of its functions is the fastest here and right. For rgba8, alpha is copied first or "
        "converted with the rest, which is part of the time.",
    .reading = "NVIDIA Performance Primitives documentation, Filtering Functions",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = npp_bound,
    .refuses = [](const Problem& p, const Device&, const Tuned&) -> std::string {
      if (target_backend == Backend::emulated) return "calls NPP, which cannot be emulated";
      if (std::string missing = libnpp::Library::missing(); !missing.empty()) return missing;
      if (p.border != Border::replicate)
        return "NPP's filters implement only the replicate border; this one is " + std::string(to_string(p.border));
      if (p.format == PixelFormat::rgba8 && p.filter.is_magnitude())
        return "NPP stores the sums of an rgba8 filter as 8 bits, so two of them cannot become an edge magnitude";
      if (p.format == PixelFormat::rgba8 && (p.filter.bias != 0 || p.filter.absolute))
        return "NPP stores the sums of an rgba8 filter as 8 bits at once: there is no bias and no absolute value";
      return {};
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      libnpp::api();
      const bool measure = t["measure"] != 0;
      ChosenWay<Way> choice{usual_way(p), {}};
      if (measure) choice = fastest_way<NppPlan>(ways, p, device, npp_bound(p), suits, has_own_weights);
      return std::make_unique<NppPlan>(p, device, choice.way, std::move(choice.said));
    },
    // NPP does not say what its kernels do: the work of the definition, or of two passes with what lies between them.
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const Way way = usual_way(p);
      Cost cost = way == Way::general ? direct_cost(p) : two_pass_cost(p, t);
      const bool bytes = p.format == PixelFormat::rgba8;
      // As floats: planes out, in and out of each pass, and in; as bytes the copy for alpha.
      const double floats = way != Way::through_floats ? 0 : bytes ? 6 * channels(p.format) : 2;
      cost.dram_bytes += floats * sizeof(float) * outputs(p);
      if (bytes && way != Way::through_floats) cost.dram_bytes += 2 * frame_bytes(p);
      return cost;
    },
    .peer = true,
    .calls_library = true,
    .open_library = libnpp::Library::open,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::npp
