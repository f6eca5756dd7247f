// Two passes whose loads start where memory segments start, and whose threads make several outputs.
// Traffic: (N·B + 2·⌈r/B⌉·B)/(N·B) loads per output, all coalesced, for N outputs a thread and blocks of B.
// Limits: rank 1 only; the float intermediate still goes through memory; shared memory grows with N and r.
#include "kernels/device/parts/output_tile.h"
#include "kernels/strategies/shared/image/two_passes.cuh"

namespace convoscope::CONVOSCOPE_TARGET::separable_coalesced {
namespace {

__constant__ float taps[max_separable_taps];

constexpr int row_block_height = 4;     // rows of a block of the row pass
constexpr int column_block_width = 16;  // columns of a block of the column pass: 16 floats are two memory sectors
static_assert(column_block_width * sizeof(float) % 32 == 0, "a row of the column tile must fill whole 32-byte sectors");

// Radius 0: known only at run time, no unrolling. Tap k of the pass is taps[first + k].
template <int Radius, class Value, class Sum>
__device__ inline void add_taps(Sum& sum, const Shared<Value>& tile, int centre, int stride, int radius, int first) {
  // Unrolled, a tap and a pixel's place are constants of the instructions: nothing is left to compute but the sum.
  if constexpr (Radius > 0) {
    CONVOSCOPE_UNROLL
    for (int d = -Radius; d <= Radius; ++d) add(sum, tile[centre + d * stride], taps[first + Radius + d]);
  } else {
    for (int d = -radius; d <= radius; ++d) add(sum, tile[centre + d * stride], taps[first + radius + d]);
  }
}

// Block: B × row_block_height threads for steps·B × row_block_height outputs; tile: `halo` more blocks on each side.
template <class Pixel, int Sums, int Radius>
__global__ void filter_rows_aligned(ImageView<const Pixel> in, Wide<Pixel>* sums, int rx, int ry, int steps, int halo,
                                    Border border) {
  // Halo included, the tile is a whole number of blocks wide.
  const int block = blockDim.x, tile_width = (steps + 2 * halo) * block;
  Shared<Pixel> tile = shared_memory<Pixel>(0, tile_width * row_block_height);
  const int start = blockIdx.x * steps * block;  // first output: a multiple of the block width, as is the tile's start
  const int y = blockIdx.y * row_block_height + threadIdx.y;
  const int row = threadIdx.y * tile_width;

  // A halo of r pixels is loaded as whole blocks: more loads, but each begins at a segment of memory.
  if (y < in.height)
    for (int i = threadIdx.x; i < tile_width; i += block)
      tile[row + i] = load_pixel(in, start - halo * block + i, y, border);
  __syncthreads();
  if (y >= in.height) return;

  const std::size_t plane = static_cast<std::size_t>(in.width) * in.height;
  // Outputs of a thread are a block apart, so that those of a warp lie side by side.
  for (int step = 0; step < steps; ++step) {
    const int x = start + step * block + threadIdx.x;
    if (x >= in.width) return;
    const int centre = row + (halo + step) * block + threadIdx.x;
    for (int s = 0; s < Sums; ++s) {
      Wide<Pixel> sum{};
      add_taps<Radius>(sum, tile, centre, 1, rx, s * (2 * rx + 1 + 2 * ry + 1));
      carry_alpha(sum, tile[centre]);  // what it has to carry for the pass after it
      sums[s * plane + static_cast<std::size_t>(y) * in.width + x] = sum;
    }
  }
}

// Block: column_block_width × B threads for column_block_width × steps·B outputs, `halo` more blocks above and below.
template <class Pixel, int Sums, int Radius>
__global__ void filter_columns_aligned(const Wide<Pixel>* sums, ImageView<Pixel> out, int rx, int ry, int steps,
                                       int halo, Border border, Epilogue epilogue) {
  const int block = blockDim.y, tile_height = (steps + 2 * halo) * block;
  const int tile_size = tile_height * column_block_width;
  Shared<Wide<Pixel>> tile = shared_memory<Wide<Pixel>>(0, Sums * tile_size);
  const int start = blockIdx.y * steps * block;
  const int x = blockIdx.x * column_block_width + threadIdx.x;
  const std::size_t plane = static_cast<std::size_t>(out.width) * out.height;

  // A row of the tile is two sectors of memory wide; along the columns every row is as good a beginning as any.
  if (x < out.width)
    for (int i = threadIdx.y; i < tile_height; i += block) {
      // The row pass of a copied row is the copied row of the row pass: so the border's rule serves here too.
      const int row = border_index(start - halo * block + i, out.height, border);
      for (int s = 0; s < Sums; ++s) {
        const Wide<Pixel>* const from = &sums[s * plane + static_cast<std::size_t>(max(row, 0)) * out.width + x];
        if (row >= 0) note_read(from, sizeof(*from));
        tile[s * tile_size + i * column_block_width + threadIdx.x] = row < 0 ? Wide<Pixel>{} : *from;
      }
    }
  __syncthreads();
  if (x >= out.width) return;

  for (int step = 0; step < steps; ++step) {
    const int y = start + step * block + threadIdx.y;
    if (y >= out.height) return;
    const int centre = ((halo + step) * block + threadIdx.y) * column_block_width + threadIdx.x;
    Wide<Pixel> sum[Sums] = {};
    for (int s = 0; s < Sums; ++s) {
      add_taps<Radius>(sum[s], tile, s * tile_size + centre, column_block_width, ry,
                       s * (2 * rx + 1 + 2 * ry + 1) + 2 * rx + 1);
      carry_alpha(sum[s], tile[centre]);
    }
    *pixel_at(out, x, y) = finish_pixel<Sums>(epilogue, sum);
  }
}

constexpr int row_blocks[] = {16, 32, 64};
constexpr int column_blocks[] = {4, 8, 16};
constexpr int output_counts[] = {2, 4, 8};
constexpr Tunable tunables[] = {
    {"row_block", "Row block", "Threads along a row; the tile starts at a multiple of this", row_blocks, 32},
    {"column_block", "Column block", "Threads along a column", column_blocks, 8},
    {"outputs_per_thread", "Outputs per thread", "Outputs of one thread, a block apart; more of them share one halo",
     output_counts, 4},
};

struct Passes : TwoPasses {
  int steps;                  // outputs of a thread
  int row_halo, column_halo;  // blocks on each side

  static constexpr std::array names{"filter_rows_aligned", "filter_columns_aligned"};
  template <class F>
  static void with_kernels(const Problem& p, F&& f) {  // with the radii that are unrolled, else with 0
    dispatch(p, [&]<class Pixel, int Sums>() {
      with_number<1, 2, 4, 8, 0>(p.filter.rx(), [&]<int Rx>() {
        with_number<1, 2, 4, 8, 0>(p.filter.ry(), [&]<int Ry>() {
          f.template operator()<Pixel>(filter_rows_aligned<Pixel, Sums, Rx>, filter_columns_aligned<Pixel, Sums, Ry>);
        });
      });
    });
  }
  auto row_arguments(const Problem& p) const {
    return std::tuple(p.filter.rx(), p.filter.ry(), steps, row_halo, p.border);
  }
  auto column_arguments(const Problem& p) const {
    return std::tuple(p.filter.rx(), p.filter.ry(), steps, column_halo, p.border, make_epilogue(p.filter, p.format));
  }
};

Passes passes(const Problem& p, const Tuned& tuning) {
  const int width = tuning["row_block"], height = tuning["column_block"], steps = tuning["outputs_per_thread"];
  const int row_halo = ceil_div(p.filter.rx(), width), column_halo = ceil_div(p.filter.ry(), height);
  const auto pixels = static_cast<std::size_t>(steps + 2 * row_halo) * width * row_block_height;
  const auto sums = static_cast<std::size_t>(steps + 2 * column_halo) * height * column_block_width;
  return {{{dim3(ceil_div(p.width, steps * width), ceil_div(p.height, row_block_height)), dim3(width, row_block_height),
            pixels * bytes_per_pixel(p.format)},
           {dim3(ceil_div(p.width, column_block_width), ceil_div(p.height, steps * height)),
            dim3(column_block_width, height), sums * wide_pixel_bytes(p.format) * sets_of(p.filter)}},
          steps,
          row_halo,
          column_halo};
}

}  // namespace

extern const Strategy strategy{
    .id = "separable-coalesced",
    .title = "Separable, coalesced",
    .idea =
        "The same two passes, but tiles begin at aligned addresses, so a warp's loads are whole memory segments; a "
        "thread makes several outputs, and the loops of common radii are unrolled.",
    .reading =
        "PMPP 4th ed., ch. 6.1 (coalescing), 6.3 (thread coarsening), 7.4; Podlozhnyuk, Image Convolution with CUDA, "
        "2007",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = separable_sum_bound,
    .refuses = [](const Problem& p, const Device& device,
                  const Tuned& t) { return two_passes_reason(passes(p, t), p, device); },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<TwoPassPlan<Passes>>(p, passes(p, t), upload_to<taps>);
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const Passes s = passes(p, t);
      const double steps = s.steps;
      return two_passes_cost(p, (steps + 2.0 * s.row_halo) / steps, (steps + 2.0 * s.column_halo) / steps);
    },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const Passes s = passes(p, t);
          const int width = t["row_block"], height = t["column_block"], count = s.steps;
          KernelStep rows = one_thread_per_output(Passes::names[0], count * width, row_block_height, at.x, at.y);
          rows.thread[0] %= width;
          rows.block_size = {width, row_block_height, 1};
          rows.thread_outputs.clear();
          for (int step = 0; step < count; ++step)
            rows.thread_outputs.push_back({rows.outputs[0].x + step * width + rows.thread[0], at.y, 1, 1});
          const PixelArea in_image{rows.outputs[0].x, rows.outputs[0].y, count * width,
                                   std::min(row_block_height, p.height - rows.outputs[0].y)};
          rows.tile = {grown(in_image, s.row_halo * width, 0)};
          rows.words =
              "Row pass: the tile begins at a multiple of the block's width, so a warp's loads are whole "
              "segments; each thread leaves " +
              std::to_string(count) + " sums, a block apart.";
          const OutputTile tile{column_block_width, count * height, 0, 0, count};
          KernelStep columns = output_tile_step(Passes::names[1], tile, at);
          columns.tile = {columns.outputs[0]};
          columns.tile[0].width = std::min(column_block_width, p.width - columns.outputs[0].x);
          columns.tile[0] = grown(columns.tile[0], 0, s.column_halo * height);
          columns.words =
              "Column pass: row sums of 16 columns, whole blocks of halo above and below; each thread makes " +
              std::to_string(count) + " outputs, a block apart.";
          return explain_passes(std::move(rows), std::move(columns));
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::separable_coalesced
