// Tiles that load while others are computed: cp.async copies the next ones straight into free buffers in shared memory.
// Traffic: (T_x+2r)(T_y+2r)/(T_x·T_y) loads per output, the same as tiled-halo; what changes is when they happen.
// Limits: shared memory for every buffer, so fewer blocks at once; little to gain once arithmetic takes far longer
// than loading. cp.async needs compute capability 8.0; on 7.5 the copies are plain ones.
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/one_kernel.cuh"
#include "kernels/device/parts/async_copy.cuh"
#include "kernels/device/parts/shared_tile.cuh"

namespace convoscope::CONVOSCOPE_TARGET::async_tile {
namespace {

__constant__ float weights[max_filter_weights];

constexpr int quad = 4;  // pixels of a 16-byte copy
constexpr int threads_per_block = 256;

struct Tile {
  int width, height;    // of the outputs
  int rows;             // threads of the block along y; each computes height / rows outputs
  int margin;           // columns left of the outputs: rx, rounded up so that rows begin at a multiple of 16 bytes
  int pitch;            // elements from row to row
  int buffer_height;    // rows of a buffer, halo included
  int tiles_per_block;  // one below the other
  int depth;            // buffers
  std::size_t shared_bytes;
};

// Starts the copies of the tile whose outputs begin at (x0, y0) into the buffer that begins at `buffer`, as one group.
template <class Pixel>
__device__ inline void load_async(const ImageView<const Pixel>& in, const Shared<Pixel>& shared, int buffer,
                                  const Tile& tile, int x0, int y0, int ry, Border border, bool in_quads) {
  // The block goes over the buffer like a stamp; no register and no thread holds what is on its way.
  for (int j = threadIdx.y; j < tile.buffer_height; j += blockDim.y) {
    // A row of ghost cells has no address: it is filled with zeros, and the address of row 0 is not read.
    const int sy = border_index(y0 - ry + j, in.height, border);
    const Pixel* row = pixel_at(in, 0, sy < 0 ? 0 : sy);
    const int to = buffer + j * tile.pitch;
    const int from = x0 - tile.margin;
    if (in_quads) {  // four pixels a copy
      for (int i = threadIdx.x * quad; i < tile.pitch; i += blockDim.x * quad)
        async_copy<16>(shared, to + i, row + from + i, sy >= 0);
    } else {
      for (int i = threadIdx.x; i < tile.pitch; i += blockDim.x) {
        const int sx = border_index(from + i, in.width, border);
        async_copy<4>(shared, to + i, row + (sx < 0 ? 0 : sx), sy >= 0 && sx >= 0);
      }
    }
  }
  async_commit();
}

template <class Pixel, int Sums, int Depth>
__global__ void __launch_bounds__(threads_per_block)
    filter_async_tile(ImageView<const Pixel> in, ImageView<Pixel> out, Tile tile, int rx, int ry, Border border,
                      Epilogue epilogue, int aligned) {
  const int tx = threadIdx.x, ty = threadIdx.y;
  // A block has a column of tiles; the last block of a column may have fewer.
  const int x0 = static_cast<int>(blockIdx.x) * tile.width;
  const int first = static_cast<int>(blockIdx.y) * tile.tiles_per_block;
  const int tiles = min(tile.tiles_per_block, (out.height - first * tile.height + tile.height - 1) / tile.height);
  // Whole rows of the buffer inside of the image, at multiples of 16 bytes: a quarter of the copies will do.
  const bool in_quads = aligned && x0 >= tile.margin && x0 - tile.margin + tile.pitch <= in.width;

  const int buffer_elements = tile.pitch * tile.buffer_height;
  const Shared<Pixel> shared = shared_memory<Pixel>(0, Depth * buffer_elements);
  const auto start = [&](int t) {
    if (t < tiles)
      load_async(in, shared, t % Depth * buffer_elements, tile, x0, (first + t) * tile.height, ry, border, in_quads);
    else
      async_commit();  // an empty group, so that the count of groups under way stays the same to the end
  };
  // All buffers but one are under way before the first tile is computed.
#pragma unroll
  for (int t = 0; t < Depth - 1; ++t) start(t);

  const int x = x0 + tx;
  for (int t = 0; t < tiles; ++t) {
    start(t + Depth - 1);     // into the buffer that the turn before has read
    async_wait<Depth - 1>();  // until so many groups at most are under way: tile t's has arrived
    __syncthreads();          // all threads' copies of tile t have arrived
    // From here on it is tiled-halo, in another of the buffers at each turn.
    const Shared<Pixel> buffer(shared.data() + t % Depth * buffer_elements, buffer_elements);
    for (int row = ty; row < tile.height; row += tile.rows) {  // which divides the height: all threads turn as often
      const int y = (first + t) * tile.height + row;
      const auto sums = sum_of_tile<Sums, Rows::together>(buffer, tile.pitch, tile.margin - rx + tx, row, 2 * rx + 1,
                                                          2 * ry + 1, weights);
      if (x < out.width && y < out.height)
        *pixel_at(out, x, y) = sums.finish(epilogue, buffer[(row + ry) * tile.pitch + tile.margin + tx]);
    }
    __syncthreads();  // nobody reads this buffer any more: the next turn's copies may overwrite it
  }
}

constexpr int tile_widths[] = {32, 64, 128};
constexpr int tile_heights[] = {8, 16, 32, 64};
constexpr int depths[] = {1, 2, 3, 4};
constexpr int tile_counts[] = {1, 2, 4, 8, 16, 32};
constexpr Tunable tunables[] = {
    {"tile_width", "Tile width", "Outputs of a tile along x, and threads of the block", tile_widths, 32},
    {"tile_height", "Tile height", "Outputs of a tile along y, shared among the block's 256 threads", tile_heights, 32},
    {"depth", "Buffers", "Tiles in shared memory: 1 waits for each tile, 2 loads one ahead, and so on", depths, 2},
    {"tiles", "Tiles per block", "Tiles that a block works through, one below the other", tile_counts, 8},
};

Tile tile_of(const Problem& problem, const Tuned& tuning) {
  Tile tile{};
  tile.width = tuning["tile_width"];
  tile.height = tuning["tile_height"];
  tile.depth = tuning["depth"];
  tile.tiles_per_block = tuning["tiles"];
  tile.rows = std::min(tile.height, std::max(1, threads_per_block / tile.width));
  tile.margin = ceil_div(problem.filter.rx(), quad) * quad;
  tile.pitch = tile.width + 2 * tile.margin;
  tile.buffer_height = tile.height + 2 * problem.filter.ry();
  tile.shared_bytes =
      static_cast<std::size_t>(tile.depth) * tile.pitch * tile.buffer_height * bytes_per_pixel(problem.format);
  return tile;
}

struct AsyncTile : OneKernel<ConstantFilter> {
  Tile tile;

  static constexpr const char* name = "filter_async_tile";
  void take_filter() { memory.set(both_sets(problem.filter), upload_to<weights>); }
  template <class F>
  void with_kernel(F&& f) const {
    dispatch(problem, [&]<class Pixel, int Sums>() {
      with_number<1, 2, 3, 4>(tile.depth, [&]<int Depth>() { f(filter_async_tile<Pixel, Sums, Depth>); });
    });
  }
  auto arguments(const Image& in, const Image&) const {
    const bool aligned = reinterpret_cast<std::uintptr_t>(in.data) % 16 == 0 && in.pitch % 16 == 0;
    return std::tuple(tile, problem.filter.rx(), problem.filter.ry(), problem.border, epilogue(), aligned ? 1 : 0);
  }
};

}  // namespace

extern const Strategy strategy{
    .id = "async-tile",
    .title = "Asynchronous tiles",
    .idea =
        "A block works through a column of tiles with two or more buffers in shared memory: cp.async brings the next "
        "tiles in while the threads compute the present one, so loading and arithmetic overlap.",
    .reading = "CUDA C++ Programming Guide, \"Asynchronous data copies\"; the tile is PMPP 4th ed., ch. 7.4",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (std::string reason = constant_memory_reason(p.filter); !reason.empty()) return reason;
      const Tile tile = tile_of(p, t);
      if (tile.depth < 1 || tile.depth > 4)
        return std::to_string(tile.depth) + " buffers are not built: choose 1, 2, 3 or 4";
      if (std::string reason = block_size_reason(tile.width, tile.rows, device); !reason.empty()) return reason;
      return shared_memory_reason(tile.shared_bytes, device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      const Tile tile = tile_of(p, t);
      const dim3 grid(ceil_div(p.width, tile.width), ceil_div(ceil_div(p.height, tile.height), tile.tiles_per_block));
      return one_kernel_plan<AsyncTile>(p, {grid, dim3(tile.width, tile.rows), tile.shared_bytes}, tile);
    },
    .costs =
        [](const Problem& p, const Tuned& t) {
          const Tile tile = tile_of(p, t);
          Cost cost = tiled_cost(p, tile.width, tile.height);
          cost.tile_width = tile.pitch;  // as it is copied: whole groups of 16 bytes
          return cost;
        },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const Tile tile = tile_of(p, t);
          const int column_height = tile.height * tile.tiles_per_block;
          KernelStep step = one_thread_per_output("filter_async_tile", tile.width, column_height, at.x, at.y);
          const PixelArea column = clipped(step.outputs[0], p.width, p.height);
          const int number = (at.y - column.y) / tile.height, top = column.y + number * tile.height;
          step.thread[1] = (at.y - top) % tile.rows;
          step.block_size = {tile.width, tile.rows, 1};
          step.thread_outputs.clear();
          for (int row = step.thread[1]; row < tile.height; row += tile.rows)
            step.thread_outputs.push_back({at.x, top + row, 1, 1});
          step.tile = {{column.x - tile.margin, top - p.filter.ry(), tile.pitch, tile.buffer_height}};
          step.words = "This is tile " + std::to_string(number + 1) + " of the " +
                       std::to_string(ceil_div(column.height, tile.height)) +
                       " that the block works through, downwards. cp.async brought it into buffer " +
                       std::to_string(number % tile.depth + 1) + " of " + std::to_string(tile.depth) +
                       " while the tile before was computed; its rows begin at multiples of 16 bytes.";
          return Explanation{.steps = {std::move(step)}, .words = {}};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::async_tile
