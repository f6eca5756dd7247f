// The taps in constant memory, one thread an output. Idea: all threads of a warp want the same tap at the same time,
// which the constant cache serves in one broadcast; neighbouring threads read neighbouring samples. Traffic: M loads of
// the input per output for M taps; L1 sees each sample M times, DRAM once. Limits: one load for each multiply and add,
// so the load units are busy long before the arithmetic is.
#include "kernels/strategies/shared/signal_tile.cuh"

namespace convoscope::CONVOSCOPE_TARGET::signal::constant {

namespace {

__constant__ float taps[max_filter_taps_1d];
ConstantOwner taps_owner;

__global__ void __launch_bounds__(1024)
    convolve_constant(ImageView<const float> in, ImageView<float> out, int radius, Border border, Epilogue epilogue) {
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
    .id = "constant",
    .title = "Constant memory",
    .idea =
        "The taps sit in constant memory: a warp reads one tap in one broadcast, so only samples are loaded from "
        "global memory, M for each output.",
    .reading = "PMPP 4th ed., ch. 7.3",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem&, const Device& device, const Tuned& t) -> std::string {
      return block_size_reason(t["block_size"], 1, device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      const int block = t["block_size"];
      return std::make_unique<SignalPlan<>>(
          p, "convolve_constant", convolve_constant, launch_shape(p, block, block),
          [](const ConstantWeights& weights, Stream stream) { weights.upload(taps, taps_owner, stream); });
    },
    .costs =
        [](const Problem& p, const Tuned& t) {
          Cost cost = direct_cost(p);
          cost.diverging_warps = diverging_warps(p, t["block_size"], 1);
          return cost;
        },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          return explain_windows(
              "convolve_constant", t["block_size"], 1, p.filter.rx(), 0, p.width, p.height, at.x, at.y,
              "Each thread reads the samples under the taps from global memory; the threads of a warp "
              "read one tap at a time from constant memory, in one broadcast.");
        },
    .kind = &signal_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::signal::constant
