// A tile whose regions are loaded by different threads. Idea: every thread loads its own sample of the middle, and n of
// them one of the left halo and one of the right. The left halo goes to the block's last n threads, which then read at
// the same index as in the block before them, or to its first n.
// Traffic: (B+2n)/B loads of the input per output for blocks of B and radius n; DRAM sees each sample once.
// Limits: a halo has no more samples than the block has threads; most warps pass the loads of the halo by.
#include "kernels/strategies/shared/signal_tile.cuh"

namespace convoscope::CONVOSCOPE_TARGET::signal::tiled_regions {

namespace {

__constant__ float taps[max_filter_taps_1d];
ConstantOwner taps_owner;

__global__ void __launch_bounds__(1024)
    convolve_tiled_regions(ImageView<const float> in, ImageView<float> out, int radius, Border border,
                           Epilogue epilogue, int left_by_first) {
  const int tx = threadIdx.x, block = blockDim.x, channel = blockIdx.y;
  const int i = blockIdx.x * block + tx;
  const Shared<float> tile = shared_memory<float>(0, block + 2 * radius);

  if (left_by_first && tx < radius) tile[tx] = load_sample(in, i - radius, channel, border);
  if (!left_by_first && tx >= block - radius)
    tile[tx - (block - radius)] = load_sample(in, i - block, channel, border);               // left
  tile[radius + tx] = load_sample(in, i, channel, border);                                   // middle
  if (tx < radius) tile[radius + block + tx] = load_sample(in, i + block, channel, border);  // right
  __syncthreads();

  const float sum = sum_of_tile(tile, tx, 2 * radius + 1, taps);
  if (i < out.width) *pixel_at(out, i, channel) = apply(epilogue, sum);
}

constexpr int no_or_yes[] = {0, 1};
constexpr Tunable tunables[] = {
    block_size_tunable,
    {"left_by_first", "Left halo by the first",
     "0: the left halo is loaded by the block's last threads, where the block before them reads; 1: by its first",
     no_or_yes, 0},
};

}  // namespace

extern const Strategy strategy{
    .id = "tiled-regions",
    .title = "Tile, halo by regions",
    .idea =
        "The block brings the samples of its outputs and n more on both sides into shared memory. Each thread brings "
        "its own sample, the last n threads also the left halo, the first n the right one.",
    .reading = "PMPP 3rd ed., ch. 7.4: tiled 1D convolution with halo cells",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      const int block = t["block_size"];
      if (p.filter.rx() > block)
        return "Each sample of a halo has a thread of its own: " + std::to_string(p.filter.rx()) +
               " samples on either side are more than the block's " + std::to_string(block) +
               " threads; choose larger blocks or tiled-uniform";
      return block_size_reason(block, 1, device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      const int block = t["block_size"];
      return std::make_unique<SignalPlan<int>>(
          p, "convolve_tiled_regions", convolve_tiled_regions, launch_shape(p, block, block, block + 2 * p.filter.rx()),
          [](const ConstantWeights& weights, Stream stream) { weights.upload(taps, taps_owner, stream); },
          t["left_by_first"]);
    },
    .costs = [](const Problem& p, const Tuned& t) { return tiled_cost(p, t["block_size"], 1); },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const bool by_first = t["left_by_first"] != 0;
          return explain_tile("convolve_tiled_regions", t["block_size"], p, at.x, at.y,
                              std::string("Each thread loads its own sample, the ") + (by_first ? "first " : "last ") +
                                  std::to_string(p.filter.rx()) + " also one of the left halo and the first " +
                                  std::to_string(p.filter.rx()) +
                                  " one of the right. Then each computes an output from shared memory.");
        },
    .kind = &signal_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::signal::tiled_regions
