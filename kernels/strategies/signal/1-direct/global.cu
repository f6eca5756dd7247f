// The naive kernel. Idea: one thread for each output; taps and samples both lie in global memory, and ghost cells of
// the zero border are skipped. Traffic: M loads of the input and as many of the taps per output for M taps: 2 op for
// each 8 bytes, 0.25 op/B without caches. Limits: the load units, with two loads for each multiply and add.
#include "kernels/device/global_weights.cuh"
#include "kernels/strategies/shared/signal_tile.cuh"

namespace convoscope::CONVOSCOPE_TARGET::signal::global {

namespace {

__global__ void __launch_bounds__(1024) convolve_global(ImageView<const float> in, ImageView<float> out, int radius,
                                                        Border border, Epilogue epilogue, const float* taps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, channel = blockIdx.y;
  if (i >= out.width) return;
  float sum = 0;
  for (int tap = 0; tap <= 2 * radius; ++tap) {
    const int source = border_index(i - radius + tap, in.width, border);
    if (source >= 0) sum = fmaf(taps[tap], *pixel_at(in, source, channel), sum);  // else a ghost cell: nothing to add
  }
  *pixel_at(out, i, channel) = apply(epilogue, sum);
}

constexpr Tunable tunables[] = {block_size_tunable};

}  // namespace

extern const Strategy strategy{
    .id = "global",
    .title = "Global memory",
    .idea =
        "One thread computes one output and loads everything from global memory: every sample under the taps and every "
        "tap. 8 bytes for each multiply and add: 0.25 operations per byte.",
    .reading = "PMPP 4th ed., ch. 7.2",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem&, const Device& device, const Tuned& t) -> std::string {
      return block_size_reason(t["block_size"], 1, device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      const int block = t["block_size"];
      return std::make_unique<GlobalWeightsPlan<SignalViews>>(p, "convolve_global", convolve_global,
                                                              launch_shape(p, block, block));
    },
    .costs =
        [](const Problem& p, const Tuned& t) {
          Cost cost = direct_cost(p);
          cost.diverging_warps = diverging_warps(p, t["block_size"], 1);
          cost.weight_loads_per_output = cost.global_loads_per_output;
          return cost;
        },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          return explain_windows("convolve_global", t["block_size"], 1, p.filter.rx(), 0, p.width, p.height, at.x, at.y,
                                 "Each thread reads the samples under the taps, and every tap, from global memory; "
                                 "neighbours read nearly the same ones again, and only L1 and L2 save loads.");
        },
    .kind = &signal_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::signal::global
