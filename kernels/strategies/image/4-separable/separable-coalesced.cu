// Two passes whose loads start where memory segments start. Idea: the row pass's tile begins at a multiple of the block
// width, not `r` pixels earlier, so every warp load is one aligned segment; each thread makes several outputs a block
// width apart, so the halo is shared by more of them; and for small radii the loops are unrolled by the compiler.
// Traffic: (N·B + 2·⌈r/B⌉·B)/(N·B) loads per output, all coalesced, for N outputs a thread and blocks of B.
// Limits: rank 1 only; the float intermediate still goes through memory; shared memory grows with N and r.
#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/device/constant_weights.cuh"
#include "kernels/device/cuda_raii.h"
#include "kernels/device/parts/wide_pixel.cuh"
#include "kernels/strategies/shared/image/separable_taps.h"

namespace convoscope::CONVOSCOPE_TARGET::separable_coalesced {
namespace {

__constant__ float taps[max_separable_taps];
ConstantOwner taps_owner;

constexpr int row_block_height = 4;     // rows of a block of the row pass
constexpr int column_block_width = 16;  // columns of a block of the column pass: 16 floats are two memory sectors
static_assert(column_block_width * sizeof(float) % 32 == 0, "a row of the column tile must fill whole 32-byte sectors");

// Radius 0: known only at run time, no unrolling. Tap k of the pass is taps[first + k].
template <int Radius, class Value, class Sum>
__device__ inline void add_taps(Sum& sum, const Shared<Value>& tile, int centre, int stride, int radius, int first) {
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
  const int block = blockDim.x, tile_width = (steps + 2 * halo) * block;
  Shared<Pixel> tile = shared_memory<Pixel>(0, tile_width * row_block_height);
  const int start = blockIdx.x * steps * block;  // first output: a multiple of the block width, as is the tile's start
  const int y = blockIdx.y * row_block_height + threadIdx.y;
  const int row = threadIdx.y * tile_width;

  if (y < in.height)
    for (int i = threadIdx.x; i < tile_width; i += block)
      tile[row + i] = load_pixel(in, start - halo * block + i, y, border);
  __syncthreads();
  if (y >= in.height) return;

  const std::size_t plane = static_cast<std::size_t>(in.width) * in.height;
  for (int step = 0; step < steps; ++step) {
    const int x = start + step * block + threadIdx.x;
    if (x >= in.width) return;
    const int centre = row + (halo + step) * block + threadIdx.x;
    for (int s = 0; s < Sums; ++s) {
      Wide<Pixel> sum{};
      add_taps<Radius>(sum, tile, centre, 1, rx, s * (2 * rx + 1 + 2 * ry + 1));
      carry_alpha(sum, tile[centre]);
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

  if (x < out.width)
    for (int i = threadIdx.y; i < tile_height; i += block) {
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

struct Pass {
  dim3 grid, block;
  int steps, halo;  // outputs of a thread; blocks of halo on each side
  std::size_t shared;
};

Pass row_pass(const Problem& problem, const Tuned& tuning) {
  const int block = tuning["row_block"];
  const int steps = tuning["outputs_per_thread"];
  const int halo = ceil_div(problem.filter.rx(), block);
  return {dim3(ceil_div(problem.width, steps * block), ceil_div(problem.height, row_block_height)),
          dim3(block, row_block_height), steps, halo,
          static_cast<std::size_t>(steps + 2 * halo) * block * row_block_height * bytes_per_pixel(problem.format)};
}

Pass column_pass(const Problem& problem, const Tuned& tuning) {
  const int block = tuning["column_block"];
  const int steps = tuning["outputs_per_thread"];
  const int halo = ceil_div(problem.filter.ry(), block);
  return {dim3(ceil_div(problem.width, column_block_width), ceil_div(problem.height, steps * block)),
          dim3(column_block_width, block), steps, halo,
          static_cast<std::size_t>(steps + 2 * halo) * block * column_block_width * wide_pixel_bytes(problem.format) *
              (problem.filter.is_magnitude() ? 2 : 1)};
}

// Calls f.template operator()<Radius>() with the radius if it is one of those unrolled, else with 0.
template <class F>
void with_radius(int radius, F&& f) {
  with_number<1, 2, 4, 8, 0>(radius, f);
}

class SeparableCoalescedPlan final : public ImagePlan {
 public:
  SeparableCoalescedPlan(const Problem& problem, const Tuned& tuning)
      : problem_(problem),
        rows_(row_pass(problem, tuning)),
        columns_(column_pass(problem, tuning)),
        sums_(wide_pixel_bytes(problem.format) * problem.width * problem.height *
              (problem.filter.is_magnitude() ? 2 : 1)) {
    taps_.set(separable_taps(problem.filter));
    each_kernel([&]<class Pixel>(auto rows, auto columns) {
      allow_shared(rows, rows_.shared);
      allow_shared(columns, columns_.shared);
    });
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    taps_.set(separable_taps(filter));
  }
  void prepare(Stream stream) override { taps_.upload(taps, taps_owner, stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    taps_.expect_in_place();
    const int rx = problem_.filter.rx(), ry = problem_.filter.ry();
    each_kernel([&]<class Pixel>(auto rows, auto columns) {
      auto* sums = reinterpret_cast<Wide<Pixel>*>(sums_.data());
      launch(rows, rows_.grid, rows_.block, rows_.shared, stream, in.view<const Pixel>(), sums, rx, ry, rows_.steps,
             rows_.halo, problem_.border);
      launch(columns, columns_.grid, columns_.block, columns_.shared, stream, sums, out.view<Pixel>(), rx, ry,
             columns_.steps, columns_.halo, problem_.border, make_epilogue(problem_.filter, problem_.format));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    each_kernel([&]<class Pixel>(auto rows, auto columns) {
      infos = {describe("filter_rows_aligned", rows, rows_.grid, rows_.block, rows_.shared),
               describe("filter_columns_aligned", columns, columns_.grid, columns_.block, columns_.shared)};
    });
    return taps_.described(std::move(infos));
  }

 private:
  template <class F>
  void each_kernel(F&& f) const {
    dispatch(problem_.format, problem_.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
      with_radius(problem_.filter.rx(), [&]<int Rx>() {
        with_radius(problem_.filter.ry(), [&]<int Ry>() {
          f.template operator()<Pixel>(filter_rows_aligned<Pixel, Sums, Rx>, filter_columns_aligned<Pixel, Sums, Ry>);
        });
      });
    });
  }

  Problem problem_;
  Pass rows_, columns_;
  DeviceBuffer<unsigned char> sums_;
  ConstantWeights taps_;
};

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
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (std::string reason = separable_reason(p.filter); !reason.empty()) return reason;
      const Pass rows = row_pass(p, t), columns = column_pass(p, t);
      if (std::string reason = block_size_reason(rows.block.x, rows.block.y, device); !reason.empty()) return reason;
      if (std::string reason = block_size_reason(columns.block.x, columns.block.y, device); !reason.empty())
        return reason;
      return shared_memory_reason(std::max(rows.shared, columns.shared), device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<SeparableCoalescedPlan>(p, t);
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const Pass rows = row_pass(p, t), columns = column_pass(p, t);
      const double sums = p.filter.is_magnitude() ? 2 : 1;
      const double width = p.filter.width, height = p.filter.height, wide = wide_pixel_bytes(p.format);
      return {.flop = 2 * (width + height) * sums * channels(p.format) * outputs(p),
              .global_loads_per_output = (rows.steps + 2.0 * rows.halo) / rows.steps +
                                         sums * (columns.steps + 2.0 * columns.halo) / columns.steps,
              .global_stores_per_output = sums + 1,
              .shared_loads_per_output = sums * (width + height),
              .dram_bytes = 2 * frame_bytes(p) + 2 * sums * wide * outputs(p)};
    },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const Pass across = row_pass(p, t), down = column_pass(p, t);
          const int row_block = static_cast<int>(across.block.x), column_block = static_cast<int>(down.block.y);
          KernelStep rows =
              one_thread_per_output("filter_rows_aligned", across.steps * row_block, row_block_height, at.x, at.y);
          rows.thread[0] %= row_block;
          rows.block_size = {row_block, row_block_height, 1};
          rows.thread_outputs.clear();
          for (int step = 0; step < across.steps; ++step)
            rows.thread_outputs.push_back({rows.outputs[0].x + step * row_block + rows.thread[0], at.y, 1, 1});
          rows.tile = {rows.outputs[0]};
          rows.tile[0].height = std::min(row_block_height, p.height - rows.outputs[0].y);
          rows.tile[0] = grown(rows.tile[0], across.halo * row_block, 0);
          rows.words =
              "Row pass: the tile begins at a multiple of the block's width, so a warp's loads are whole "
              "segments; each thread leaves " +
              std::to_string(across.steps) + " sums, a block apart.";
          KernelStep columns = one_thread_per_output("filter_columns_aligned", column_block_width,
                                                     down.steps * column_block, at.x, at.y);
          columns.thread[1] %= column_block;
          columns.block_size = {column_block_width, column_block, 1};
          columns.thread_outputs.clear();
          for (int step = 0; step < down.steps; ++step)
            columns.thread_outputs.push_back(
                {at.x, columns.outputs[0].y + step * column_block + columns.thread[1], 1, 1});
          columns.tile = {columns.outputs[0]};
          columns.tile[0].width = std::min(column_block_width, p.width - columns.outputs[0].x);
          columns.tile[0] = grown(columns.tile[0], 0, down.halo * column_block);
          columns.of_input = false;
          columns.words =
              "Column pass: row sums of 16 columns, whole blocks of halo above and below; each thread makes " +
              std::to_string(down.steps) + " outputs, a block apart.";
          return Explanation{.steps = {std::move(rows), std::move(columns)},
                             .words = "The weights are a column times a row: their product is what is shown."};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::separable_coalesced
