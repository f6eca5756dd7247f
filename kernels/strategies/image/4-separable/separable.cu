// Two short passes for one long one: w = c rᵀ, 2M multiplies instead of M². The threads of a block are as many as its
// outputs, or as many as its inputs. Traffic: (T+2r)/T loads per output through shared memory in each pass, and between
// the passes one float pixel (16 bytes for rgba8) written and read again. Limits: rank 1 only; the intermediate costs
// more DRAM traffic than the input, so a small filter gains nothing. A block of inputs has up to 1,024 threads.
#include "kernels/strategies/shared/image/two_passes.cuh"

namespace convoscope::CONVOSCOPE_TARGET::separable {
namespace {

__constant__ float taps[max_separable_taps];

// sums[s] of every pixel: the row pass of filter s. idle: threads at either end of the block that only load, 0 or rx;
// the others have an output each.
template <class Pixel, int Sums>
__global__ void __launch_bounds__(1024)
    filter_rows(ImageView<const Pixel> in, Wide<Pixel>* sums, int rx, int ry, Border border, int idle) {
  const int out_width = blockDim.x - 2 * idle, tile_width = out_width + 2 * rx;
  Shared<Pixel> tile = shared_memory<Pixel>(0, tile_width * blockDim.y);
  const int left = blockIdx.x * out_width - rx;
  const int own = static_cast<int>(threadIdx.x) - idle;  // of the block's outputs
  const int x = blockIdx.x * out_width + own;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;

  // Each row of threads loads its row: in more than one turn, the last of them for the apron, unless there is a thread
  // for each element of it.
  if (y < in.height)
    for (int i = threadIdx.x; i < tile_width; i += blockDim.x)
      tile[threadIdx.y * tile_width + i] = load_pixel(in, left + i, y, border);
  __syncthreads();
  if (own < 0 || own >= out_width || x >= in.width || y >= in.height) return;

  // Sums stay floats, since rounding them to code values would cost half of one.
  const std::size_t plane = static_cast<std::size_t>(in.width) * in.height;
  const int centre = threadIdx.y * tile_width + own + rx;
  for (int s = 0; s < Sums; ++s) {
    const int first = s * (2 * rx + 1 + 2 * ry + 1);  // of a filter's taps: a row's, then a column's
    Wide<Pixel> sum{};
    for (int dx = -rx; dx <= rx; ++dx) add(sum, tile[centre + dx], taps[first + rx + dx]);
    carry_alpha(sum, tile[centre]);
    sums[s * plane + static_cast<std::size_t>(y) * in.width + x] = sum;
  }
}

// The column pass over the row pass's sums.
template <class Pixel, int Sums>
__global__ void __launch_bounds__(1024) filter_columns(const Wide<Pixel>* sums, ImageView<Pixel> out, int rx, int ry,
                                                       Border border, Epilogue epilogue, int idle) {
  const int out_height = blockDim.y - 2 * idle, tile_height = out_height + 2 * ry;
  Shared<Wide<Pixel>> tile = shared_memory<Wide<Pixel>>(0, tile_height * blockDim.x);
  const int top = blockIdx.y * out_height - ry;
  const int own = static_cast<int>(threadIdx.y) - idle;  // of the block's outputs
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * out_height + own;
  // A thread without an output may not leave: the others wait for it at the barriers.
  const bool has_output = own >= 0 && own < out_height && x < out.width && y < out.height;
  const std::size_t plane = static_cast<std::size_t>(out.width) * out.height;

  // One filter after the other, so that the tile has to hold the sums of one.
  Wide<Pixel> sum[Sums] = {};
  for (int s = 0; s < Sums; ++s) {
    if (s > 0) __syncthreads();  // before the tile of the first filter is overwritten
    if (x < out.width)
      for (int i = threadIdx.y; i < tile_height; i += blockDim.y) {
        // A row outside the image is the border's row of the intermediate: the row pass of a copied row is the copied
        // row of the row pass.
        const int row = border_index(top + i, out.height, border);
        const Wide<Pixel>* const from = &sums[s * plane + static_cast<std::size_t>(max(row, 0)) * out.width + x];
        if (row >= 0) note_read(from, sizeof(*from));
        tile[i * blockDim.x + threadIdx.x] = row < 0 ? Wide<Pixel>{} : *from;
      }
    __syncthreads();
    if (has_output) {
      const int first = s * (2 * rx + 1 + 2 * ry + 1) + 2 * rx + 1;
      for (int dy = -ry; dy <= ry; ++dy)
        add(sum[s], tile[(own + ry + dy) * blockDim.x + threadIdx.x], taps[first + ry + dy]);
      carry_alpha(sum[s], tile[(own + ry) * blockDim.x + threadIdx.x]);
    }
  }
  if (has_output) *pixel_at(out, x, y) = finish_pixel<Sums>(epilogue, sum);
}

constexpr int block_widths[] = {16, 32, 64};
constexpr int block_heights[] = {4, 8, 16};
constexpr int no_or_yes[] = {0, 1};
constexpr Tunable tunables[] = {
    {"block_width", "Block width", "Outputs of a block along x, in both passes", block_widths, 32},
    {"block_height", "Block height",
     "Outputs of a block along y; the column pass loads this many rows and twice the filter's radius more",
     block_heights, 8},
    {"apron", "Threads of the apron",
     "0: a block has a thread for each output, and they load the apron too; 1: it has a thread for each input, and "
     "those of the apron idle once they have loaded",
     no_or_yes, 0},
};

struct Passes : TwoPasses {
  int width, height;          // outputs of a block
  int row_idle, column_idle;  // threads beyond them on either side, along x and along y

  static constexpr std::array names{"filter_rows", "filter_columns"};
  template <class F>
  static void with_kernels(const Problem& p, F&& f) {
    dispatch(p, [&]<class Pixel, int Sums>() {
      f.template operator()<Pixel>(filter_rows<Pixel, Sums>, filter_columns<Pixel, Sums>);
    });
  }
  auto row_arguments(const Problem& p) const { return std::tuple(p.filter.rx(), p.filter.ry(), p.border, row_idle); }
  auto column_arguments(const Problem& p) const {
    return std::tuple(p.filter.rx(), p.filter.ry(), p.border, make_epilogue(p.filter, p.format), column_idle);
  }
};

Passes passes(const Problem& p, const Tuned& tuning) {
  const int width = tuning["block_width"], height = tuning["block_height"], rx = p.filter.rx(), ry = p.filter.ry();
  const int row_idle = tuning["apron"] ? rx : 0, column_idle = tuning["apron"] ? ry : 0;
  const dim3 grid(ceil_div(p.width, width), ceil_div(p.height, height));
  const auto pixels = static_cast<std::size_t>(width + 2 * rx) * height;
  const auto sums = static_cast<std::size_t>(height + 2 * ry) * width;
  return {{{grid, dim3(width + 2 * row_idle, height), pixels * bytes_per_pixel(p.format)},
           {grid, dim3(width, height + 2 * column_idle), sums * wide_pixel_bytes(p.format)}},
          width,
          height,
          row_idle,
          column_idle};
}

// "4 more pixels".
std::string more(int count, const char* of) { return std::to_string(count) + " more " + of + (count == 1 ? "" : "s"); }

}  // namespace

extern const Strategy strategy{
    .id = "separable",
    .title = "Separable, two passes",
    .idea =
        "A filter of rank 1 is a column times a row. One kernel filters the rows into a float image, a second one "
        "filters its columns: 2M multiplies per output instead of M², for one more image through memory.",
    .reading = "PMPP 4th ed., ch. 7.4 (tiles with halo), applied twice; Podlozhnyuk, Image Convolution with CUDA, 2007",
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
      const double columns = p.filter.width, rows = p.filter.height;
      return two_passes_cost(p, (s.width + columns - 1) / s.width, (s.height + rows - 1) / s.height);
    },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const Passes s = passes(p, t);
          KernelStep rows = one_thread_per_output(Passes::names[0], s.width, s.height, at.x, at.y);
          rows.block_size[0] = static_cast<int>(s.rows.block.x);
          rows.thread[0] += s.row_idle;
          rows.tile = {grown(clipped(rows.outputs[0], s.width * (at.x / s.width + 1), p.height), p.filter.rx(), 0)};
          rows.words =
              s.row_idle > 0
                  ? "Row pass: each thread loads one pixel of its row. Then those in the middle leave a weighted sum "
                    "of the row in a float image each, and those of the apron idle."
                  : "Row pass: each row of threads loads its row and " + more(p.filter.rx(), "pixel") +
                        " on either side, as far as the filter reaches, and each thread leaves a weighted sum of the "
                        "row in a float image.";
          KernelStep columns = one_thread_per_output(Passes::names[1], s.width, s.height, at.x, at.y);
          columns.block_size[1] = static_cast<int>(s.columns.block.y);
          columns.thread[1] += s.column_idle;
          columns.tile = {
              grown(clipped(columns.outputs[0], p.width, s.height * (at.y / s.height + 1)), 0, p.filter.ry())};
          columns.words =
              s.column_idle > 0
                  ? "Column pass: each thread loads one row sum. Then those in the middle add one column of them each, "
                    "weighted, and those of the apron above and below idle."
                  : "Column pass: the block loads the row sums of its columns and " + more(p.filter.ry(), "row") +
                        " above and below, as far as the filter reaches, and each thread adds one column of them, "
                        "weighted.";
          return explain_passes(std::move(rows), std::move(columns));
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::separable
