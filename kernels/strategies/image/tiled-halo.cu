// A tile whose block covers its output. Idea: the input tile, halo included, is larger than the block; the threads
// share its loading in a loop, row by row, and then all of them compute.
// Traffic: (T+M−1)²/T² loads per output for tiles of T × T; DRAM sees the image once.
// Limits: shared memory holds (T+2r)² pixels; the loop's last turn along each row has work for 2r threads only; every
// tap is one load from shared memory, which is the next bottleneck.
#include "kernels/contract/tolerance.h"
#include "kernels/device/output_tile.h"

namespace convoscope::CONVOSCOPE_TARGET {
namespace {

__constant__ float weights[max_filter_weights];
ConstantOwner weights_owner;

template <class Pixel, int Sums>
__global__ void __launch_bounds__(1024) filter_tiled_halo(ImageView<const Pixel> in, ImageView<Pixel> out, int rx,
                                                          int ry, Border border, Epilogue epilogue, int pitch) {
  const int tx = threadIdx.x, ty = threadIdx.y, width = blockDim.x, height = blockDim.y;
  const int x0 = static_cast<int>(blockIdx.x) * width, y0 = static_cast<int>(blockIdx.y) * height;

  const int tile_width = width + 2 * rx, tile_height = height + 2 * ry;
  const Shared<Pixel> tile = shared_memory<Pixel>(0, pitch * tile_height);
  for (int j = ty; j < tile_height; j += height)
    for (int i = tx; i < tile_width; i += width) tile[j * pitch + i] = load_pixel(in, x0 - rx + i, y0 - ry + j, border);
  __syncthreads();

  const int x = x0 + tx, y = y0 + ty;
  const auto sums = sum_of_tile<Sums, Rows::together>(tile, pitch, tx, ty, 2 * rx + 1, 2 * ry + 1, weights);
  if (x < out.width && y < out.height) *pixel_at(out, x, y) = sums.finish(epilogue, tile[(ty + ry) * pitch + tx + rx]);
}

}  // namespace

extern const Strategy tiled_halo_strategy;
const Strategy tiled_halo_strategy{
    .id = "tiled-halo",
    .title = "Tile, block = output",
    .idea =
        "The block is the output tile. Its threads load the larger input tile into shared memory together, in a loop, "
        "and then each computes an output from there: no thread idles, and global memory is read about once.",
    .reading = "PMPP 4th ed., ch. 7.4, second thread organisation",
    .backend = target_backend,
    .tunables = output_tile_tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .unsupported =
        [](const Problem& p, const Device& device, const Tuning& t) {
          return output_tile_reason(output_tile(tiled_halo_strategy, p, t), p, device);
        },
    .plan =
        [](const Problem& p, const Device&, const Tuning& t) {
          const OutputTile tile = output_tile(tiled_halo_strategy, p, t);
          return plan_for_image(
              p, "filter_tiled_halo", [&]<class Pixel, int Sums>() { return filter_tiled_halo<Pixel, Sums>; },
              launch_of(tile, p),
              [](const ConstantWeights& w, Stream stream) { w.upload(weights, weights_owner, stream); }, tile.pitch);
        },
    .model =
        [](const Problem& p, const Tuning& t) {
          const OutputTile tile = output_tile(tiled_halo_strategy, p, t);
          return tiled_cost(p, tile.width, tile.height);
        },
    .explain =
        [](const Problem& p, const Device&, const Tuning& t, int x, int y) {
          const OutputTile tile = output_tile(tiled_halo_strategy, p, t);
          KernelStep step = one_thread_per_output("filter_tiled_halo", tile.width, tile.height, x, y);
          step.tile = {grown(step.outputs[0], p.filter.rx(), p.filter.ry())};
          step.words =
              "The threads of the block load the tile together, one block after another across it and down, and then "
              "compute an output each from shared memory.";
          return Explanation{.steps = {std::move(step)}, .words = {}};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET
