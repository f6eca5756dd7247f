// Filtering as a matrix product. Idea: unroll the input so that each output's M² inputs become a column of a K × N
// matrix (K = M² taps, N outputs and channels); the filter is then a 1 × K matrix (2 × K for edge magnitude) and the
// sums are their product, which cuBLAS computes in float32.
// Traffic: every input is written M² times and read back: an M² expansion through DRAM.
// Limits: that traffic; memory is bounded by unrolling a strip of outputs at a time into one buffer.
#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/global_weights.cuh"
#include "kernels/libraries/cublas.h"
#include "kernels/peers/planar.cuh"

namespace convoscope::CONVOSCOPE_TARGET::im2col_gemm {
namespace {

constexpr int block_size = 256;
constexpr std::size_t workspace_bytes = std::size_t{32} << 20;  // what cuBLAS asks for on compute capability 9.0

// Row k of the matrix, for `count` outputs from pixel `first` on: plane c of the row holds channel c of the inputs that
// tap k meets. Block: block_size outputs; blockIdx.y: the tap. Neighbouring threads write neighbouring columns.
template <class Pixel>
__global__ void unroll(ImageView<const Pixel> in, float* matrix, std::size_t first, int count, int filter_width,
                       int filter_height, int channel_count, Border border) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, tap = blockIdx.y;
  if (column >= count) return;
  const int x = static_cast<int>((first + column) % in.width), y = static_cast<int>((first + column) / in.width);
  const int dx = tap % filter_width - filter_width / 2, dy = tap / filter_width - filter_height / 2;
  store_channels(load_pixel(in, x + dx, y + dy, border),
                 matrix + static_cast<std::size_t>(tap) * channel_count * count + column, count);
}

// The product back into pixels: sums[(s · channel_count + c) · count + i] belongs to pixel first + i.
template <class Pixel, int Sums>
__global__ void finish_strip(const float* sums, ImageView<const Pixel> in, ImageView<Pixel> out, std::size_t first,
                             int count, int channel_count, Epilogue epilogue) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= count) return;
  const int x = static_cast<int>((first + column) % in.width), y = static_cast<int>((first + column) / in.width);
  Wide<Pixel> sum[Sums] = {};
  for (int s = 0; s < Sums; ++s)
    load_channels(sum[s], sums + static_cast<std::size_t>(s) * channel_count * count + column, count);
  carry_alpha(sum[0], *pixel_at(in, x, y));
  *pixel_at(out, x, y) = finish_pixel<Sums>(epilogue, sum);
}

constexpr int buffer_sizes[] = {16, 64, 256, 1024};
constexpr Tunable tunables[] = {
    {"buffer_mib", "Unrolled strip",
     "MiB of the one buffer that holds the unrolled input of a strip; small ones may stay in L2", buffer_sizes, 256},
};

int filter_count(const Problem& p) { return p.filter.is_magnitude() ? 2 : 1; }
int tap_count(const Problem& p) { return p.filter.width * p.filter.height; }

int strip_pixels(const Problem& p, const Tuned& tuning) {
  const std::size_t bytes = static_cast<std::size_t>(tuning["buffer_mib"]) << 20;
  const std::size_t per_pixel = sizeof(float) * channels(p.format) * tap_count(p);
  const std::size_t pixels = static_cast<std::size_t>(p.width) * p.height;
  return static_cast<int>(std::min(pixels, std::max<std::size_t>(bytes / per_pixel, block_size)));
}

class Im2colGemmPlan final : public ImagePlan {
 public:
  Im2colGemmPlan(const Problem& problem, const Device& device, const Tuned& tuning)
      : problem_(problem),
        strip_(strip_pixels(problem, tuning)),
        matrix_(static_cast<std::size_t>(strip_) * channels(problem.format) * tap_count(problem)),
        sums_(static_cast<std::size_t>(strip_) * channels(problem.format) * filter_count(problem)),
        weights_(problem.filter),
        workspace_(workspace_bytes),
        device_(device.ordinal) {
    const libcublas::HandleLease made(device_, nullptr);  // here, not in the first frame
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    weights_.set(filter);
  }
  void prepare(Stream stream) override { weights_.send(stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    const libcublas::HandleLease handle(device_, stream.handle);
    libcublas::check(libcublas::api().set_workspace(handle, workspace_.data(), workspace_bytes), "cublasSetWorkspace");
    dispatch(problem_.format, problem_.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
      const int channel_count = channels(problem_.format), taps = tap_count(problem_);
      const std::size_t pixels = static_cast<std::size_t>(problem_.width) * problem_.height;
      for (std::size_t first = 0; first < pixels; first += strip_) {
        const int count = static_cast<int>(std::min<std::size_t>(strip_, pixels - first));
        launch(unroll<Pixel>, dim3(ceil_div(count, block_size), taps), dim3(block_size), 0, stream,
               in.view<const Pixel>(), matrix_.data(), first, count, problem_.filter.width, problem_.filter.height,
               channel_count, problem_.border);
        multiply(handle, count * channel_count, taps, Sums);
        launch(finish_strip<Pixel, Sums>, dim3(ceil_div(count, block_size)), dim3(block_size), 0, stream, sums_.data(),
               in.view<const Pixel>(), out.view<Pixel>(), first, count, channel_count,
               make_epilogue(problem_.filter, problem_.format));
      }
    });
  }
  std::vector<KernelInfo> kernels() const override {
    return dispatch(problem_.format, problem_.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
      return std::vector<KernelInfo>{
          describe("unroll", unroll<Pixel>, dim3(ceil_div(strip_, block_size), tap_count(problem_)), dim3(block_size),
                   0),
          describe("finish_strip", finish_strip<Pixel, Sums>, dim3(ceil_div(strip_, block_size)), dim3(block_size), 0)};
    });
  }
  std::string note() const override {
    const long long pixels = static_cast<long long>(problem_.width) * problem_.height;
    const long long strips = (pixels + strip_ - 1) / strip_;
    return std::to_string(strips) + (strips == 1 ? " strip of " : " strips of ") + std::to_string(strip_) +
           " outputs, unrolled into " + std::to_string(matrix_.bytes() >> 20) +
           " MiB; cuBLAS's own kernels are not listed";
  }

 private:
  // sums (filters × columns) = weights (filters × taps) · matrix (taps × columns), all row-major: in cuBLAS's
  // column-major words, the transposes, so the matrix comes first.
  void multiply(libcublas::Handle handle, int columns, int taps, int filters) {
    const float one = 1, zero = 0;
    if (filters == 1)
      libcublas::check(libcublas::api().sgemv(handle, libcublas::no_transpose, columns, taps, &one, matrix_.data(),
                                              columns, weights_.data(), 1, &zero, sums_.data(), 1),
                       "cublasSgemv");
    else
      libcublas::check(
          libcublas::api().sgemm(handle, libcublas::no_transpose, libcublas::no_transpose, columns, filters, taps, &one,
                                 matrix_.data(), columns, weights_.data(), taps, &zero, sums_.data(), columns),
          "cublasSgemm");
  }

  Problem problem_;
  int strip_;  // outputs unrolled at a time
  DeviceBuffer<float> matrix_, sums_;
  GlobalWeights weights_;
  DeviceBuffer<unsigned char> workspace_;
  int device_;
};

}  // namespace

extern const Strategy strategy{
    .id = "im2col-gemm",
    .title = "im2col + GEMM",
    .idea =
        "Unroll the input so that every output's neighbourhood is a column of a matrix, then let cuBLAS multiply: the "
        "library's best kernel, at the cost of sending M² times the data through memory. One strip of outputs is "
        "summed at a time.",
    .reading = "PMPP 4th ed., ch. 16.4",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, tap_count(p)); },
    .refuses = [](const Problem&, const Device&, const Tuned&) -> std::string {
      if (target_backend == Backend::emulated) return "calls cuBLAS, which cannot be emulated";
      return libcublas::Library::missing();
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<Im2colGemmPlan>(p, device, t);
    },
    .costs = [](const Problem& p, const Tuned&) -> Cost {
      const double expansion = static_cast<double>(tap_count(p)) * channels(p.format), filters = filter_count(p);
      const double sums = channels(p.format) * filters;
      return {.flop = filter_flop(p),
              .global_loads_per_output = tap_count(p) + expansion + sums,
              .global_stores_per_output = expansion + sums + 1,
              .dram_bytes = 2 * frame_bytes(p) + 2 * (expansion + sums) * sizeof(float) * outputs(p)};
    },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const std::size_t width = static_cast<std::size_t>(p.width),
                            pixels = width * static_cast<std::size_t>(p.height);
          const auto strip = static_cast<std::size_t>(strip_pixels(p, t));
          const std::size_t output = static_cast<std::size_t>(at.y) * width + static_cast<std::size_t>(at.x);
          const std::size_t first = output / strip * strip, column = output - first;
          const std::size_t block = column / block_size, begin = first + block * block_size;
          const std::size_t end = std::min({begin + block_size, first + strip, pixels});
          KernelStep unrolls;
          unrolls.kernel = "unroll";
          unrolls.block = {static_cast<int>(block), tap_count(p) / 2, 0};
          unrolls.thread = {static_cast<int>(column % block_size), 0, 0};
          unrolls.block_size = {block_size, 1, 1};
          unrolls.outputs = run_of_pixels(begin, end - begin, p.width);
          unrolls.thread_outputs = {{at.x, at.y, 1, 1}};
          unrolls.direct = unrolls.outputs;
          unrolls.words = "Strip " + std::to_string(first / strip + 1) + " of " +
                          std::to_string((pixels + strip - 1) / strip) + ", column " + std::to_string(column) +
                          " of its matrix. The block that is shown copies the inputs under the filter's centre; " +
                          std::to_string(tap_count(p)) + " blocks, one for each tap, fill the column.";
          KernelStep finishes = unrolls;
          finishes.kernel = "finish_strip";
          finishes.block[1] = 0;
          finishes.words =
              "cuBLAS has multiplied the matrix by the weights; this thread takes the sums of its column, "
              "applies gain and bias and writes the pixel, with the input's alpha.";
          return Explanation{.steps = {std::move(unrolls), std::move(finishes)}, .words = {}};
        },
    .calls_library = true,
    .open_library = libcublas::Library::open,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::im2col_gemm
