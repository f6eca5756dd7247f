// A tile whose regions are loaded by different threads. Idea: the block is the output tile; each thread loads its own
// place of the centre, then the threads next to a side load that side of the halo, and those next to a corner the
// corner.
// Traffic: (T+M−1)²/T² loads per output for tiles of T × T; DRAM sees the image once.
// Limits: shared memory holds (T+2r)² pixels; nine short loops, each with work for few threads: for a small radius
// most of the warps pass the sides and corners by, where the plain loop of tiled-halo keeps them together.
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/parts/output_tile.h"

namespace convoscope::CONVOSCOPE_TARGET::tiled_halo_regions {
namespace {

__constant__ float weights[max_filter_weights];
ConstantOwner weights_owner;

template <class Pixel, int Sums>
__global__ void __launch_bounds__(1024, 1)
    filter_tiled_halo_regions(ImageView<const Pixel> in, ImageView<Pixel> out, int rx, int ry, Border border,
                              Epilogue epilogue, int pitch) {
  const int tx = threadIdx.x, ty = threadIdx.y, width = blockDim.x, height = blockDim.y;
  const int x0 = static_cast<int>(blockIdx.x) * width, y0 = static_cast<int>(blockIdx.y) * height;

  const Shared<Pixel> tile = shared_memory<Pixel>(0, pitch * (height + 2 * ry));
  const auto load = [&](int i, int j) { tile[j * pitch + i] = load_pixel(in, x0 - rx + i, y0 - ry + j, border); };
  // The thread at the very left starts at the left side's first column, the one at the very right at the right side's
  // last; a side that is wider than the block takes several turns.
  const int from_right = width - 1 - tx, from_bottom = height - 1 - ty;
  const int last_column = width + 2 * rx - 1, last_row = height + 2 * ry - 1;
  load(rx + tx, ry + ty);                                                       // centre
  for (int i = tx; i < rx; i += width) load(i, ry + ty);                        // left
  for (int i = from_right; i < rx; i += width) load(last_column - i, ry + ty);  // right
  for (int j = ty; j < ry; j += height) load(rx + tx, j);                       // top
  for (int j = from_bottom; j < ry; j += height) load(rx + tx, last_row - j);   // bottom
  for (int j = ty; j < ry; j += height) {
    for (int i = tx; i < rx; i += width) load(i, j);                        // top left
    for (int i = from_right; i < rx; i += width) load(last_column - i, j);  // top right
  }
  for (int j = from_bottom; j < ry; j += height) {
    for (int i = tx; i < rx; i += width) load(i, last_row - j);                        // bottom left
    for (int i = from_right; i < rx; i += width) load(last_column - i, last_row - j);  // bottom right
  }
  __syncthreads();

  const int x = x0 + tx, y = y0 + ty;
  const auto sums = sum_of_tile<Sums, Rows::together>(tile, pitch, tx, ty, 2 * rx + 1, 2 * ry + 1, weights);
  if (x < out.width && y < out.height) *pixel_at(out, x, y) = sums.finish(epilogue, tile[(ty + ry) * pitch + tx + rx]);
}

}  // namespace

extern const Strategy strategy{
    .id = "tiled-halo-regions",
    .title = "Tile, halo by regions",
    .idea =
        "Like tiled-halo, but different threads load the parts of the input tile: each its own place in the centre, "
        "those at an edge of the block also that side of the halo, and those at a corner the corner.",
    .reading = "PMPP 4th ed., ch. 7.4, halo cells",
    .backend = target_backend,
    .tunables = output_tile_tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem& p, const Device& device,
                  const Tuned& t) { return output_tile_reason(output_tile(p, t), p, device); },
    .plans =
        [](const Problem& p, const Device&, const Tuned& t) {
          const OutputTile tile = output_tile(p, t);
          return plan_for_image(
              p, "filter_tiled_halo_regions",
              []<class Pixel, int Sums>() { return filter_tiled_halo_regions<Pixel, Sums>; }, launch_of(tile, p),
              [](const ConstantWeights& w, Stream stream) { w.upload(weights, weights_owner, stream); }, tile.pitch);
        },
    .costs =
        [](const Problem& p, const Tuned& t) {
          const OutputTile tile = output_tile(p, t);
          return tiled_cost(p, tile.width, tile.height);
        },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const OutputTile tile = output_tile(p, t);
          KernelStep step = one_thread_per_output("filter_tiled_halo_regions", tile.width, tile.height, at.x, at.y);
          step.tile = {grown(step.outputs[0], p.filter.rx(), p.filter.ry())};
          step.words =
              "Each thread loads its own place in the centre; the threads at an edge of the block also load that side "
              "of the halo, and those at a corner the corner. Then each computes an output from shared memory.";
          return Explanation{.steps = {std::move(step)}, .words = {}};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::tiled_halo_regions
