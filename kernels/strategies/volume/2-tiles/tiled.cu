// A tile of every frame. Idea: the threads of a block load the input tile of one frame, halo included, add its products
// to their sums, and load the next frame's over it: one tile of shared memory serves any number of frames.
// Traffic: (T_x+2r_x)(T_y+2r_y)·M_t / (T_x·T_y) loads per output; DRAM sees every frame once.
// Limits: two barriers a frame, at which nobody computes; every tap is one load from shared memory.
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/parts/output_tile.h"
#include "kernels/kinds/volume.h"

namespace convoscope::CONVOSCOPE_TARGET::volume::tiled {

namespace {

__constant__ float weights[max_filter_weights];
ConstantOwner weights_owner;

template <class Pixel>
__global__ void __launch_bounds__(1024)
    filter_volume_tiled(Frames<Pixel> in, ImageView<Pixel> out, Radii r, Border border, Epilogue epilogue, int pitch) {
  const int tx = threadIdx.x, ty = threadIdx.y, width = blockDim.x, height = blockDim.y;
  const int x0 = static_cast<int>(blockIdx.x) * width, y0 = static_cast<int>(blockIdx.y) * height;
  const int tile_width = width + 2 * r.x, tile_height = height + 2 * r.y;
  const int count = (2 * r.t + 1) * (2 * r.y + 1) * (2 * r.x + 1);
  const Shared<Pixel> tile = shared_memory<Pixel>(0, pitch * tile_height);

  Accumulator<Pixel, 1> sum;
  Pixel own{};  // of the frame in the middle
  for (int t = 0, tap = 0; t <= 2 * r.t; ++t) {
    if (t > 0) __syncthreads();  // nobody needs the frame before any more
    for (int j = ty; j < tile_height; j += height)
      for (int i = tx; i < tile_width; i += width)
        tile[j * pitch + i] = load_pixel(in[t], x0 - r.x + i, y0 - r.y + j, border);
    __syncthreads();
    if (t == r.t) own = tile[(ty + r.y) * pitch + tx + r.x];
    for (int dy = 0; dy <= 2 * r.y; ++dy) {
      stay_together(count);
      for (int dx = 0; dx <= 2 * r.x; ++dx, ++tap) sum.add(tile[(ty + dy) * pitch + tx + dx], weights[tap]);
    }
  }
  const int x = x0 + tx, y = y0 + ty;
  if (x < out.width && y < out.height) *pixel_at(out, x, y) = sum.finish(epilogue, own);
}

OutputTile tile_of(const Problem& p, const Tuned& t) { return output_tile(p, t); }

}  // namespace

extern const Strategy strategy{
    .id = "tiled",
    .title = "A tile of every frame",
    .idea =
        "The block is the output tile. Its threads load the larger input tile of one frame into shared memory "
        "together, add its products, and then do the same with the next frame in the same place.",
    .reading = "PMPP 4th ed., ch. 7.4 and exercise 10",
    .backend = target_backend,
    .tunables = output_tile_tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem& p, const Device& device,
                  const Tuned& t) { return output_tile_reason(tile_of(p, t), p, device); },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      const OutputTile tile = tile_of(p, t);
      const LaunchShape launch = launch_of(tile, p);
      return dispatch(p.format, false, [&p, &launch, pitch = tile.pitch]<class Pixel, int>() -> std::unique_ptr<Plan> {
        return std::make_unique<VolumePlan<Pixel, int>>(
            p, "filter_volume_tiled", filter_volume_tiled<Pixel>, launch,
            [](const ConstantWeights& w, Stream stream) { w.upload(weights, weights_owner, stream); }, pitch);
      });
    },
    .costs =
        [](const Problem& p, const Tuned& t) {
          const OutputTile tile = tile_of(p, t);
          return tiled_cost(p, tile.width, tile.height);
        },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const OutputTile tile = tile_of(p, t);
          KernelStep step = one_thread_per_output("filter_volume_tiled", tile.width, tile.height, at.x, at.y);
          step.tile = {grown(step.outputs[0], p.filter.rx(), p.filter.ry())};
          step.words = "For each of " + std::to_string(p.filter.depth) +
                       " frames in turn, the threads of the block load the tile together and then add its products, "
                       "each to the sum of its own output.";
          return in_all_frames(p, Explanation{.steps = {std::move(step)}, .words = {}});
        },
    .kind = &volume_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::volume::tiled
