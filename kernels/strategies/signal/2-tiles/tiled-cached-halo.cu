// Only the block's own samples in shared memory. Idea: a block's halo is its neighbours' middle, which they load at
// about the same time, so it is likely in L2 when it is wanted: leave it there and keep the tile as large as the block.
// Traffic: 1 load per output for the tile; the taps that fall outside of it are loads that caches serve.
// Limits: every tap asks whether it lies in the tile, and the threads of a warp answer differently at the tile's ends;
// taps much longer than the block find little in it, and it becomes `constant`.
#include "kernels/strategies/shared/signal_tile.cuh"

namespace convoscope::CONVOSCOPE_TARGET::signal::tiled_cached_halo {

namespace {

__constant__ float taps[max_filter_taps_1d];
ConstantOwner taps_owner;

__global__ void __launch_bounds__(1024) convolve_tiled_cached_halo(ImageView<const float> in, ImageView<float> out,
                                                                   int radius, Border border, Epilogue epilogue) {
  const int tx = threadIdx.x, block = blockDim.x, channel = blockIdx.y;
  const int first = blockIdx.x * block;
  const Shared<float> tile = shared_memory<float>(0, block);
  tile[tx] = load_sample(in, first + tx, channel, border);
  __syncthreads();

  const bool inside = first + tx < out.width;
  float sum = 0;
  for_each_tap(2 * radius + 1, [&](int tap) {
    const int place = tx - radius + tap;
    const bool here = place >= 0 && place < block;
    if (inside) sum = fmaf(taps[tap], here ? tile[place] : load_sample(in, first + place, channel, border), sum);
  });
  if (inside) *pixel_at(out, first + tx, channel) = apply(epilogue, sum);
}

constexpr Tunable tunables[] = {block_size_tunable};

}  // namespace

extern const Strategy strategy{
    .id = "tiled-cached-halo",
    .title = "Tile, halo in the cache",
    .idea =
        "Shared memory holds only the samples at the block's own outputs. The halo is left to the caches: it belongs "
        "to neighbouring blocks that load it at about the same time, so L2 has it.",
    .reading = "PMPP 4th ed., ch. 7.5",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem&, const Device& device, const Tuned& t) -> std::string {
      return block_size_reason(t["block_size"], 1, device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      const int block = t["block_size"];
      return std::make_unique<SignalPlan<>>(
          p, "convolve_tiled_cached_halo", convolve_tiled_cached_halo, launch_shape(p, block, block, block),
          [](const ConstantWeights& weights, Stream stream) { weights.upload(taps, taps_owner, stream); });
    },
    .costs = [](const Problem& p, const Tuned& t) { return cached_halo_cost(p, t["block_size"], 1); },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          KernelStep step = one_thread_per_output("convolve_tiled_cached_halo", t["block_size"], 1, at.x, at.y);
          step.tile = step.outputs;
          step.direct = {grown(clipped(step.outputs[0], p.width, p.height), p.filter.rx(), 0)};
          step.words =
              "Each thread loads its own sample into the tile. Samples under the taps that lie in the tile come from "
              "shared memory, the others from global memory, where neighbouring blocks have just put them in L2.";
          return Explanation{.steps = {std::move(step)}, .words = {}};
        },
    .kind = &signal_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::signal::tiled_cached_halo
