// A tile loaded in a loop. Idea: the block brings all samples that its outputs need into shared memory, thread tx those
// at tx, tx + B, tx + 2B and so on; then every tap finds its sample there.
// Traffic: (B+2n)/B loads of the input per output for blocks of B and radius n, for any n; DRAM sees each sample once.
// Limits: a load from shared memory for each multiply and add, which is the load units' full speed and half of the
// arithmetic's; the last turn of the loop has work for 2n mod B threads.
#include "kernels/strategies/shared/signal_tile.cuh"

namespace convoscope::CONVOSCOPE_TARGET::signal::tiled_uniform {

namespace {

__constant__ float taps[max_filter_taps_1d];
ConstantOwner taps_owner;

__global__ void __launch_bounds__(1024) convolve_tiled_uniform(ImageView<const float> in, ImageView<float> out,
                                                               int radius, Border border, Epilogue epilogue) {
  const int tx = threadIdx.x, block = blockDim.x, channel = blockIdx.y;
  const int first = blockIdx.x * block, count = block + 2 * radius;
  const Shared<float> tile = shared_memory<float>(0, count);
  for (int place = tx; place < count; place += block)
    tile[place] = load_sample(in, first - radius + place, channel, border);
  __syncthreads();

  const float sum = sum_of_tile(tile, tx, 2 * radius + 1, taps);
  if (first + tx < out.width) *pixel_at(out, first + tx, channel) = apply(epilogue, sum);
}

constexpr Tunable tunables[] = {block_size_tunable};

}  // namespace

extern const Strategy strategy{
    .id = "tiled-uniform",
    .title = "Tile, loaded in a loop",
    .idea =
        "The block brings the samples of its outputs and n more on both sides into shared memory. All threads load in "
        "the same way, each every B-th element, so a halo may be longer than the block.",
    .reading = "PMPP 4th ed., ch. 7.4",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem&, const Device& device, const Tuned& t) -> std::string {
      return block_size_reason(t["block_size"], 1, device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      const int block = t["block_size"];
      return std::make_unique<SignalPlan<>>(
          p, "convolve_tiled_uniform", convolve_tiled_uniform, launch_shape(p, block, block, block + 2 * p.filter.rx()),
          [](const ConstantWeights& weights, Stream stream) { weights.upload(taps, taps_owner, stream); });
    },
    .costs = [](const Problem& p, const Tuned& t) { return tiled_cost(p, t["block_size"], 1); },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          return explain_tile("convolve_tiled_uniform", t["block_size"], p, at.x, at.y,
                              "The block's threads load the tile in a loop, each every B-th element from its own on; "
                              "then each computes an output from shared memory.");
        },
    .kind = &signal_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::signal::tiled_uniform
