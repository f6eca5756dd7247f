// Two short passes for one long one. Idea: a filter of rank 1 is a column times a row, w = c rᵀ, so a pass along the
// rows followed by a pass along the columns gives the same sums with 2M multiplies instead of M².
// Two organisations of the threads: as many as outputs, which load the apron of their tile in another turn of a loop,
// or as many as inputs, of which those of the apron load one and then idle. Traffic: (T+2r)/T loads per output through
// shared memory in each pass, and between the passes one float pixel (16 bytes for rgba8) written and read again.
// Limits: rank 1 only; the intermediate costs more DRAM traffic than the input, so a small filter gains nothing. A
// block of inputs grows with the filter, up to 1,024 threads.
#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/device/constant_weights.cuh"
#include "kernels/device/cuda_raii.h"
#include "kernels/device/parts/wide_pixel.cuh"
#include "kernels/strategies/shared/image/separable_taps.h"

namespace convoscope::CONVOSCOPE_TARGET::separable {
namespace {

__constant__ float taps[max_separable_taps];
ConstantOwner taps_owner;

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

  if (y < in.height)
    for (int i = threadIdx.x; i < tile_width; i += blockDim.x)
      tile[threadIdx.y * tile_width + i] = load_pixel(in, left + i, y, border);
  __syncthreads();
  if (own < 0 || own >= out_width || x >= in.width || y >= in.height) return;

  const std::size_t plane = static_cast<std::size_t>(in.width) * in.height;
  const int centre = threadIdx.y * tile_width + own + rx;
  for (int s = 0; s < Sums; ++s) {
    const int first = s * (2 * rx + 1 + 2 * ry + 1);
    Wide<Pixel> sum{};
    for (int dx = -rx; dx <= rx; ++dx) add(sum, tile[centre + dx], taps[first + rx + dx]);
    carry_alpha(sum, tile[centre]);
    sums[s * plane + static_cast<std::size_t>(y) * in.width + x] = sum;
  }
}

// The column pass over the row pass's sums. A row outside the image is the border's row of the intermediate, because
// the row pass of a copied row is the copied row of the row pass.
template <class Pixel, int Sums>
__global__ void __launch_bounds__(1024) filter_columns(const Wide<Pixel>* sums, ImageView<Pixel> out, int rx, int ry,
                                                       Border border, Epilogue epilogue, int idle) {
  const int out_height = blockDim.y - 2 * idle, tile_height = out_height + 2 * ry;
  Shared<Wide<Pixel>> tile = shared_memory<Wide<Pixel>>(0, tile_height * blockDim.x);
  const int top = blockIdx.y * out_height - ry;
  const int own = static_cast<int>(threadIdx.y) - idle;  // of the block's outputs
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * out_height + own;
  const bool has_output = own >= 0 && own < out_height && x < out.width && y < out.height;
  const std::size_t plane = static_cast<std::size_t>(out.width) * out.height;

  Wide<Pixel> sum[Sums] = {};
  for (int s = 0; s < Sums; ++s) {
    if (s > 0) __syncthreads();  // before the tile of the first filter is overwritten
    if (x < out.width)
      for (int i = threadIdx.y; i < tile_height; i += blockDim.y) {
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

struct Shape {
  int width, height;          // outputs of a block
  int row_idle, column_idle;  // threads beyond them on either side, along x and along y
  dim3 row_block, column_block;
  std::size_t row_shared, column_shared;
};

Shape shape(const Problem& problem, const Tuned& tuning) {
  const int width = tuning["block_width"];
  const int height = tuning["block_height"];
  const bool apron = tuning["apron"] != 0;
  const int rx = problem.filter.rx(), ry = problem.filter.ry();
  const int row_idle = apron ? rx : 0, column_idle = apron ? ry : 0;
  return {width,
          height,
          row_idle,
          column_idle,
          dim3(width + 2 * row_idle, height),
          dim3(width, height + 2 * column_idle),
          static_cast<std::size_t>(width + 2 * rx) * height * bytes_per_pixel(problem.format),
          static_cast<std::size_t>(height + 2 * ry) * width * wide_pixel_bytes(problem.format)};
}

// "4 more pixels".
std::string more(int count, const char* of) { return std::to_string(count) + " more " + of + (count == 1 ? "" : "s"); }

class SeparablePlan final : public ImagePlan {
 public:
  SeparablePlan(const Problem& problem, const Tuned& tuning)
      : problem_(problem),
        shape_(shape(problem, tuning)),
        grid_(ceil_div(problem.width, shape_.width), ceil_div(problem.height, shape_.height)),
        sums_(wide_pixel_bytes(problem.format) * problem.width * problem.height *
              (problem.filter.is_magnitude() ? 2 : 1)) {
    taps_.set(separable_taps(problem.filter));
    each_kernel([&](auto rows, auto columns) {
      allow_shared(rows, shape_.row_shared);
      allow_shared(columns, shape_.column_shared);
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
    dispatch(problem_.format, problem_.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
      auto* sums = reinterpret_cast<Wide<Pixel>*>(sums_.data());
      launch(filter_rows<Pixel, Sums>, grid_, shape_.row_block, shape_.row_shared, stream, in.view<const Pixel>(), sums,
             rx, ry, problem_.border, shape_.row_idle);
      launch(filter_columns<Pixel, Sums>, grid_, shape_.column_block, shape_.column_shared, stream, sums,
             out.view<Pixel>(), rx, ry, problem_.border, make_epilogue(problem_.filter, problem_.format),
             shape_.column_idle);
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    each_kernel([&](auto rows, auto columns) {
      infos = {describe("filter_rows", rows, grid_, shape_.row_block, shape_.row_shared),
               describe("filter_columns", columns, grid_, shape_.column_block, shape_.column_shared)};
    });
    return taps_.described(std::move(infos));
  }

 private:
  template <class F>
  void each_kernel(F&& f) const {
    dispatch(problem_.format, problem_.filter.is_magnitude(),
             [&]<class Pixel, int Sums>() { f(filter_rows<Pixel, Sums>, filter_columns<Pixel, Sums>); });
  }

  Problem problem_;
  Shape shape_;
  dim3 grid_;
  DeviceBuffer<unsigned char> sums_;
  ConstantWeights taps_;
};

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
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (std::string reason = separable_reason(p.filter); !reason.empty()) return reason;
      const Shape s = shape(p, t);
      for (const dim3& block : {s.row_block, s.column_block})
        if (std::string reason = block_size_reason(block.x, block.y, device); !reason.empty()) return reason;
      return shared_memory_reason(std::max(s.row_shared, s.column_shared), device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<SeparablePlan>(p, t);
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const Shape s = shape(p, t);
      const double sums = p.filter.is_magnitude() ? 2 : 1;
      const double columns = p.filter.width, rows = p.filter.height, wide = wide_pixel_bytes(p.format);
      return {.flop = 2 * (columns + rows) * sums * channels(p.format) * outputs(p),
              .global_loads_per_output = (s.width + columns - 1) / s.width + sums * (s.height + rows - 1) / s.height,
              .global_stores_per_output = sums + 1,
              .shared_loads_per_output = sums * (columns + rows),
              .dram_bytes = 2 * frame_bytes(p) + 2 * sums * wide * outputs(p)};
    },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const Shape s = shape(p, t);
          KernelStep rows = one_thread_per_output("filter_rows", s.width, s.height, at.x, at.y);
          rows.block_size[0] = static_cast<int>(s.row_block.x);
          rows.thread[0] += s.row_idle;
          rows.tile = {grown(clipped(rows.outputs[0], s.width * (at.x / s.width + 1), p.height), p.filter.rx(), 0)};
          rows.words =
              s.row_idle > 0
                  ? "Row pass: each thread loads one pixel of its row. Then those in the middle leave a weighted sum "
                    "of the row in a float image each, and those of the apron idle."
                  : "Row pass: each row of threads loads its row and " + more(p.filter.rx(), "pixel") +
                        " on either side, as far as the filter reaches, and each thread leaves a weighted sum of the "
                        "row in a float image.";
          KernelStep columns = one_thread_per_output("filter_columns", s.width, s.height, at.x, at.y);
          columns.block_size[1] = static_cast<int>(s.column_block.y);
          columns.thread[1] += s.column_idle;
          columns.tile = {
              grown(clipped(columns.outputs[0], p.width, s.height * (at.y / s.height + 1)), 0, p.filter.ry())};
          columns.of_input = false;
          columns.words =
              s.column_idle > 0
                  ? "Column pass: each thread loads one row sum. Then those in the middle add one column of them each, "
                    "weighted, and those of the apron above and below idle."
                  : "Column pass: the block loads the row sums of its columns and " + more(p.filter.ry(), "row") +
                        " above and below, as far as the filter reaches, and each thread adds one column of them, "
                        "weighted.";
          return Explanation{.steps = {std::move(rows), std::move(columns)},
                             .words = "The weights are a column times a row: their product is what is shown."};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::separable
