// A tile whose block covers its input. Idea: the block is as large as the input tile; every thread loads one element
// into shared memory, then the threads of the inner part compute an output each and those of the apron idle.
// Traffic: (T+M−1)²/T² loads per output for output tiles of T × T, T = input tile − 2r; DRAM sees the image once.
// Limits: an input tile of at most 1,024 threads, so the filter must be narrower than it; with a wide filter most of
// the threads idle: of a 32 × 32 block with r = 8, three quarters.
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/one_launch.cuh"
#include "kernels/device/parts/shared_tile.cuh"

namespace convoscope::CONVOSCOPE_TARGET::tiled_input_block {
namespace {

__constant__ float weights[max_filter_weights];
ConstantOwner weights_owner;

// Leading: the first out_width × out_height threads sum, as the book's listing has it, so that whole warps idle; else
// each inner thread makes the output at the place of the element that it has loaded.
template <class Pixel, int Sums, bool Leading>
__global__ void __launch_bounds__(1024) filter_tiled_input_block(ImageView<const Pixel> in, ImageView<Pixel> out,
                                                                 int rx, int ry, Border border, Epilogue epilogue) {
  const int tx = threadIdx.x, ty = threadIdx.y, width = blockDim.x, height = blockDim.y;
  const int out_width = width - 2 * rx, out_height = height - 2 * ry;
  const int x0 = static_cast<int>(blockIdx.x) * out_width, y0 = static_cast<int>(blockIdx.y) * out_height;

  const Shared<Pixel> tile = shared_memory<Pixel>(0, width * height);
  tile[ty * width + tx] = load_pixel(in, x0 + tx - rx, y0 + ty - ry, border);
  __syncthreads();

  const int i = Leading ? tx : tx - rx, j = Leading ? ty : ty - ry;  // of the output tile
  const bool sums_one = i >= 0 && i < out_width && j >= 0 && j < out_height;
  if (!sums_one || x0 + i >= out.width || y0 + j >= out.height) return;
  const auto sums = sum_of_tile<Sums>(tile, width, i, j, 2 * rx + 1, 2 * ry + 1, weights);
  *pixel_at(out, x0 + i, y0 + j) = sums.finish(epilogue, tile[(j + ry) * width + i + rx]);
}

constexpr int tile_sides[] = {4, 8, 16, 32, 64};
constexpr int no_or_yes[] = {0, 1};
constexpr Tunable tunables[] = {
    {"tile_width", "Tile width", "Elements of the tile along x; of an input tile, also the threads of the block",
     tile_sides, 32},
    {"tile_height", "Tile height", "Elements of the tile along y; of an input tile, also the threads of the block",
     tile_sides, 32},
    {"output_tile", "Sizes of the output",
     "0: the tile's sizes are those of the input, and the filter decides how many outputs are left; 1: they are those "
     "of the output, and the block grows with the filter",
     no_or_yes, 0},
    {"leading", "Leading threads sum",
     "0: an inner thread sums at its own place; 1: the first threads of the block sum, as in the book's listing",
     no_or_yes, 0},
};

struct Tile {
  int width, height;          // of the input
  int out_width, out_height;  // may be 0 or less: then the filter is too large
  bool leading;
};

Tile tile_of(const Filter& filter, const Tuned& tuning) {
  const int width = tuning["tile_width"];
  const int height = tuning["tile_height"];
  const bool leading = tuning["leading"] != 0;
  const int apron_x = 2 * filter.rx(), apron_y = 2 * filter.ry();
  if (tuning["output_tile"] != 0) return {width + apron_x, height + apron_y, width, height, leading};
  return {width, height, width - apron_x, height - apron_y, leading};
}

}  // namespace

extern const Strategy strategy{
    .id = "tiled-input-block",
    .title = "Tile, block = input",
    .idea =
        "The block is the input tile, halo included: each thread loads one element into shared memory and the inner "
        "threads compute. Loading is simple, but the threads of the apron idle while the others work.",
    .reading = "PMPP 4th ed., ch. 7.4",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (std::string reason = constant_memory_reason(p.filter); !reason.empty()) return reason;
      const Tile tile = tile_of(p.filter, t);
      if (tile.out_width < 1 || tile.out_height < 1)
        return "An input tile of " + std::to_string(tile.width) + " × " + std::to_string(tile.height) +
               " leaves no outputs for a filter of " + std::to_string(p.filter.width) + " × " +
               std::to_string(p.filter.height) + ": choose a larger tile or another strategy";
      return block_size_reason(tile.width, tile.height, device);
    },
    .plans =
        [](const Problem& p, const Device&, const Tuned& t) {
          const Tile tile = tile_of(p.filter, t);
          const LaunchShape launch{dim3(ceil_div(p.width, tile.out_width), ceil_div(p.height, tile.out_height)),
                                   dim3(tile.width, tile.height), tile.width * tile.height * bytes_per_pixel(p.format)};
          const auto kernels = [leading = tile.leading]<class Pixel, int Sums>() {
            return leading ? filter_tiled_input_block<Pixel, Sums, true> : filter_tiled_input_block<Pixel, Sums, false>;
          };
          return plan_for_image(
              p, "filter_tiled_input_block", kernels, launch,
              [](const ConstantWeights& w, Stream stream) { w.upload(weights, weights_owner, stream); });
        },
    .costs =
        [](const Problem& p, const Tuned& t) {
          const Tile tile =
              tile_of(p.filter, t);  // a filter that leaves no outputs is refused, but theory still answers
          return tiled_cost(p, std::max(1, tile.out_width), std::max(1, tile.out_height));
        },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const Tile tile = tile_of(p.filter, t);
          const int rx = p.filter.rx(), ry = p.filter.ry();
          KernelStep step =
              one_thread_per_output("filter_tiled_input_block", tile.out_width, tile.out_height, at.x, at.y);
          step.block_size = {tile.width, tile.height, 1};
          if (!tile.leading) {  // the threads of the apron come first
            step.thread[0] += rx;
            step.thread[1] += ry;
          }
          step.tile = {grown(step.outputs[0], rx, ry)};
          const int at_work = tile.out_width * tile.out_height, all = tile.width * tile.height;
          step.words = "Each thread loads the one element of the tile at its own place. Then " +
                       std::to_string(at_work) + " of the " + std::to_string(all) +
                       " threads compute an output each, " + (tile.leading ? "the leading ones" : "the inner ones") +
                       ", while the others idle.";
          return Explanation{.steps = {std::move(step)}, .words = {}};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::tiled_input_block
