// Only the inner tile of every frame in shared memory. Idea: a block's halo is the inner part of its neighbours' tiles,
// which they load at about the same time, so it is likely in L2 when it is wanted: leave it there.
// Traffic: M_t loads per output for the tiles; the taps that fall outside of the tile are loads that caches serve.
// Limits: every tap asks whether it lies in the tile, and the threads of a warp answer differently at its edge; two
// barriers a frame.
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/parts/output_tile.h"
#include "kernels/kinds/volume.h"

namespace convoscope::CONVOSCOPE_TARGET::volume::tiled_cached_halo {

namespace {

__constant__ float weights[max_filter_weights];
ConstantOwner weights_owner;

template <class Pixel>
__global__ void __launch_bounds__(1024)
    filter_volume_tiled_cached_halo(Frames<Pixel> in, ImageView<Pixel> out, Radii r, Border border, Epilogue epilogue) {
  const int tx = threadIdx.x, ty = threadIdx.y, width = blockDim.x, height = blockDim.y;
  const int x = static_cast<int>(blockIdx.x) * width + tx, y = static_cast<int>(blockIdx.y) * height + ty;
  const int count = (2 * r.t + 1) * (2 * r.y + 1) * (2 * r.x + 1);
  const Shared<Pixel> tile = shared_memory<Pixel>(0, width * height);

  Accumulator<Pixel, 1> sum;
  Pixel own{};  // of the frame in the middle
  for (int t = 0, tap = 0; t <= 2 * r.t; ++t) {
    if (t > 0) __syncthreads();  // nobody needs the frame before any more
    const Pixel pixel = load_pixel(in[t], x, y, border);
    tile[ty * width + tx] = pixel;
    if (t == r.t) own = pixel;
    __syncthreads();
    for (int dy = -r.y; dy <= r.y; ++dy) {
      const int j = ty + dy;
      const bool row_inside = j >= 0 && j < height;
      stay_together(count);
      if (x >= out.width || y >= out.height) continue;
      for (int dx = -r.x; dx <= r.x; ++dx, ++tap) {
        const int i = tx + dx;
        const bool inside = row_inside && i >= 0 && i < width;
        sum.add(inside ? tile[j * width + i] : load_pixel(in[t], x + dx, y + dy, border), weights[tap]);
      }
    }
  }
  if (x < out.width && y < out.height) *pixel_at(out, x, y) = sum.finish(epilogue, own);
}

OutputTile tile_of(const Problem& p, const Tuned& t) { return output_tile(p, t, Halo::in_caches); }

}  // namespace

extern const Strategy strategy{
    .id = "tiled-cached-halo",
    .title = "Tiles, halo in the cache",
    .idea =
        "Shared memory holds only the pixels at the block's own outputs, of one frame after the other. The halo is "
        "left to the caches: it belongs to neighbouring blocks that load it at about the same time, so L2 has it.",
    .reading = "PMPP 4th ed., ch. 7.5",
    .backend = target_backend,
    .tunables = output_tile_tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem& p, const Device& device,
                  const Tuned& t) { return output_tile_reason(tile_of(p, t), p, device); },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      const LaunchShape launch = launch_of(tile_of(p, t), p);
      return dispatch(p.format, false, [&]<class Pixel, int>() -> std::unique_ptr<Plan> {
        return std::make_unique<VolumePlan<Pixel>>(
            p, "filter_volume_tiled_cached_halo", filter_volume_tiled_cached_halo<Pixel>, launch,
            [](const ConstantWeights& w, Stream stream) { w.upload(weights, weights_owner, stream); });
      });
    },
    .costs =
        [](const Problem& p, const Tuned& t) {
          const OutputTile tile = tile_of(p, t);
          return cached_halo_cost(p, tile.width, tile.height);
        },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const OutputTile tile = tile_of(p, t);
          KernelStep step =
              one_thread_per_output("filter_volume_tiled_cached_halo", tile.width, tile.height, at.x, at.y);
          step.tile = step.outputs;
          step.direct = {grown(clipped(step.outputs[0], p.width, p.height), p.filter.rx(), p.filter.ry())};
          step.words = "For each of " + std::to_string(p.filter.depth) +
                       " frames in turn, each thread loads its own pixel into the tile. Pixels of the window that lie "
                       "in the tile come from shared memory, those of the halo from global memory, where neighbouring "
                       "blocks have just put them in L2.";
          return in_all_frames(p, Explanation{.steps = {std::move(step)}, .words = {}});
        },
    .kind = &volume_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::volume::tiled_cached_halo
