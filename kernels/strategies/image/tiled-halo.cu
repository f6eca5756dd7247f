// A tile whose block covers its output. Idea: the input tile, halo included, is larger than the block; the threads
// share its loading in a loop, row by row, and then all of them compute: an output each, or several that lie a block's
// height apart, for tiles of more outputs than a block may have threads.
// Traffic: (T+M−1)²/T² loads per output for tiles of T × T; DRAM sees the image once.
// Limits: shared memory holds (T+2r)² pixels, so large tiles leave room for few blocks; the loop's last turn along each
// row has work for 2r threads only; every tap is one load from shared memory, which is the next bottleneck.
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/parts/output_tile.h"

namespace convoscope::CONVOSCOPE_TARGET::tiled_halo {
namespace {

__constant__ float weights[max_filter_weights];
ConstantOwner weights_owner;

// Several: outputs a thread; one is compiled without their loop, which costs a quarter of the time.
template <class Pixel, int Sums, bool Several>
__global__ void __launch_bounds__(1024)
    filter_tiled_halo(ImageView<const Pixel> in, ImageView<Pixel> out, int rx, int ry, Border border, Epilogue epilogue,
                      int pitch, int outputs) {
  const int tx = threadIdx.x, ty = threadIdx.y, width = blockDim.x, rows = blockDim.y,
            height = Several ? rows * outputs : rows;
  const int x0 = static_cast<int>(blockIdx.x) * width, y0 = static_cast<int>(blockIdx.y) * height;

  const int tile_width = width + 2 * rx, tile_height = height + 2 * ry;
  const Shared<Pixel> tile = shared_memory<Pixel>(0, pitch * tile_height);
  for (int j = ty; j < tile_height; j += rows)
    for (int i = tx; i < tile_width; i += width) tile[j * pitch + i] = load_pixel(in, x0 - rx + i, y0 - ry + j, border);
  __syncthreads();

  const auto write = [&](int j) {
    const int x = x0 + tx, y = y0 + j;
    const auto sums = sum_of_tile<Sums, Rows::together>(tile, pitch, tx, j, 2 * rx + 1, 2 * ry + 1, weights);
    if (x < out.width && y < out.height) *pixel_at(out, x, y) = sums.finish(epilogue, tile[(j + ry) * pitch + tx + rx]);
  };
  if constexpr (Several) {
    for (int j = ty; j < height; j += rows) write(j);
  } else {
    write(ty);
  }
}

constexpr int outputs_of_a_thread[] = {1, 2, 4, 8, 16};
constexpr Tunable tunables[] = {
    output_tile_width,
    {"tile_height", "Tile height",
     "Outputs of a tile along y; the block has as many threads, or fewer if each makes several outputs",
     output_tile_heights, 16},
    {"outputs", "Outputs a thread",
     "Along y, a block's height apart: a tile of 64 × 64 outputs is made by 64 × 8 threads with 8 outputs each",
     outputs_of_a_thread, 1},
};

OutputTile tile_of(const Problem& p, const Tuned& tuning) {
  OutputTile tile = output_tile(p, tuning);
  tile.outputs = tuning["outputs"];
  return tile;
}

}  // namespace

extern const Strategy strategy{
    .id = "tiled-halo",
    .title = "Tile, block = output",
    .idea =
        "The block is the output tile. Its threads load the larger input tile into shared memory together, in a loop, "
        "and then each computes an output, or several, from there: no thread idles, and global memory is read about "
        "once.",
    .reading = "PMPP 4th ed., ch. 7.4, second thread organisation",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses =
        [](const Problem& p, const Device& device, const Tuned& t) {
          const OutputTile tile = tile_of(p, t);
          if (tile.outputs > tile.height)
            return "A tile of " + std::to_string(tile.height) + " rows has no " + std::to_string(tile.outputs) +
                   " outputs for a thread: choose a higher tile or fewer outputs";
          return output_tile_reason(tile, p, device);
        },
    .plans =
        [](const Problem& p, const Device&, const Tuned& t) {
          const OutputTile tile = tile_of(p, t);
          return plan_for_image(
              p, "filter_tiled_halo",
              [&]<class Pixel, int Sums>() {
                return tile.outputs > 1 ? filter_tiled_halo<Pixel, Sums, true> : filter_tiled_halo<Pixel, Sums, false>;
              },
              launch_of(tile, p),
              [](const ConstantWeights& w, Stream stream) { w.upload(weights, weights_owner, stream); }, tile.pitch,
              tile.outputs);
        },
    .costs =
        [](const Problem& p, const Tuned& t) {
          const OutputTile tile = tile_of(p, t);
          return tiled_cost(p, tile.width, tile.height);
        },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const OutputTile tile = tile_of(p, t);
          KernelStep step = one_thread_per_output("filter_tiled_halo", tile.width, tile.height, at.x, at.y);
          const int rows = tile.block_height();
          step.thread[1] %= rows;
          step.block_size = {tile.width, rows, 1};
          step.thread_outputs.clear();
          for (int k = 0; k < tile.outputs; ++k)
            step.thread_outputs.push_back({at.x, step.outputs[0].y + step.thread[1] + k * rows, 1, 1});
          step.tile = {grown(step.outputs[0], p.filter.rx(), p.filter.ry())};
          step.words =
              "The threads of the block load the tile together, one block after another across it and down, and then "
              "compute " +
              (tile.outputs == 1
                   ? "an output each"
                   : std::to_string(tile.outputs) + " outputs each, " + std::to_string(rows) + " rows apart,") +
              " from shared memory.";
          return Explanation{.steps = {std::move(step)}, .words = {}};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::tiled_halo
