// Only the inner tile in shared memory. Idea: a block's halo is the inner part of its neighbours' tiles, which they
// load at about the same time, so it is likely in L2 when it is wanted: leave it there and keep the tile as large as
// the block.
// Traffic: 1 load per output for the tile; the halo's M² minus the taps inside of the tile are loads that caches
// serve.
// Limits: every tap asks whether it lies in the tile, and the threads of a warp answer differently at the tile's
// edge; a filter much wider than the tile finds little in it and becomes `constant`.
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/parts/output_tile.h"

namespace convoscope::CONVOSCOPE_TARGET::tiled_cached_halo {

namespace {

__constant__ float weights[max_filter_weights];
ConstantOwner weights_owner;

template <class Pixel, int Sums>
__global__ void __launch_bounds__(1024) filter_tiled_cached_halo(ImageView<const Pixel> in, ImageView<Pixel> out,
                                                                 int rx, int ry, Border border, Epilogue epilogue) {
  const int tx = threadIdx.x, ty = threadIdx.y, width = blockDim.x, height = blockDim.y;
  const int x0 = static_cast<int>(blockIdx.x) * width, y0 = static_cast<int>(blockIdx.y) * height;

  const int x = x0 + tx, y = y0 + ty;
  const Shared<Pixel> tile = shared_memory<Pixel>(0, width * height);
  const Pixel own = load_pixel(in, x, y, border);
  tile[ty * width + tx] = own;
  __syncthreads();

  const bool inside = x < out.width && y < out.height;
  const int count = (2 * rx + 1) * (2 * ry + 1);
  Accumulator<Pixel, Sums> sums;
  int tap = 0;
  for (int dy = -ry; dy <= ry; ++dy) {
    const int j = ty + dy;
    const bool row_inside = j >= 0 && j < height;
    stay_together(Sums * count);
    if (!inside) continue;
    for (int dx = -rx; dx <= rx; ++dx, ++tap) {
      const int i = tx + dx;
      const Pixel pixel =
          row_inside && i >= 0 && i < width ? tile[j * width + i] : load_pixel(in, x + dx, y + dy, border);
      for (int s = 0; s < Sums; ++s) sums.add(pixel, weights[s * count + tap], s);
    }
  }
  if (inside) *pixel_at(out, x, y) = sums.finish(epilogue, own);
}

OutputTile tile_of(const Problem& p, const Tuned& t) { return output_tile(p, t, Halo::in_caches); }

}  // namespace

extern const Strategy strategy{
    .id = "tiled-cached-halo",
    .title = "Tile, halo in the cache",
    .idea =
        "Shared memory holds only the tile that the block is made for. The halo is left to the caches: it belongs to "
        "neighbouring blocks that load it at about the same time, so L2 has it.",
    .reading = "PMPP 4th ed., ch. 7.5",
    .backend = target_backend,
    .tunables = output_tile_tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem& p, const Device& device,
                  const Tuned& t) { return output_tile_reason(tile_of(p, t), p, device); },
    .plans =
        [](const Problem& p, const Device&, const Tuned& t) {
          const OutputTile tile = tile_of(p, t);
          return plan_for_image(
              p, "filter_tiled_cached_halo",
              []<class Pixel, int Sums>() { return filter_tiled_cached_halo<Pixel, Sums>; }, launch_of(tile, p),
              [](const ConstantWeights& w, Stream stream) { w.upload(weights, weights_owner, stream); });
        },
    .costs =
        [](const Problem& p, const Tuned& t) {
          const OutputTile tile = tile_of(p, t);
          return cached_halo_cost(p, tile.width, tile.height);
        },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const OutputTile tile = tile_of(p, t);
          KernelStep step = one_thread_per_output("filter_tiled_cached_halo", tile.width, tile.height, at.x, at.y);
          step.tile = step.outputs;
          step.direct = {grown(clipped(step.outputs[0], p.width, p.height), p.filter.rx(), p.filter.ry())};
          step.words =
              "Each thread loads its own element of the tile. Inputs of the window that lie in the tile come from "
              "shared memory, those of the halo from global memory, where neighbouring blocks have just put them in "
              "L2.";
          return Explanation{.steps = {std::move(step)}, .words = {}};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::tiled_cached_halo
