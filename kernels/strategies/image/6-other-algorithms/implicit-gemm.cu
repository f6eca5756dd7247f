// The unrolled matrix that exists only on chip: filtering is W · U with W the filters (1 × K, or 2 × K for an edge
// magnitude) and U the K × N unrolled input, one column per output.
// Traffic: U is never stored: DRAM moves the input once; M² loads per output hit L1 and L2 while tiles are unrolled.
// Limits: one or two filters use an element of U once or twice; the tile pays off with the many filters of a layer.
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/one_kernel.cuh"
#include "kernels/device/parts/wide_pixel.cuh"

namespace convoscope::CONVOSCOPE_TARGET::implicit_gemm {
namespace {

constexpr int outputs_per_thread = 4;  // neighbouring columns of U: one 16-byte shared load brings a row of all four
constexpr int max_tap_depth = 32;

template <class Pixel>
struct alignas(16) PixelQuad {
  Pixel pixel[outputs_per_thread];
};
static_assert(sizeof(PixelQuad<Rgba8>) == 16 && sizeof(PixelQuad<float>) == 16);

// One block: outputs_per_thread · blockDim.x outputs, numbered along the rows of the whole image (tiles wrap from row
// to row as in a matrix of N columns). weights: Sums × K, row-major. depth: rows of U made at a time.
template <class Pixel, int Sums>
__global__ void multiply_unrolled(ImageView<const Pixel> in, ImageView<Pixel> out, const float* weights,
                                  int filter_width, int filter_height, int depth, Border border, Epilogue epilogue) {
  const int columns = outputs_per_thread * blockDim.x;
  const int taps = filter_width * filter_height;
  const std::size_t pixels = static_cast<std::size_t>(out.width) * out.height;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * columns;
  // The tile of U, by rows, and the weights of as many taps.
  Shared<PixelQuad<Pixel>> unrolled = shared_memory<PixelQuad<Pixel>>(0, depth * blockDim.x);
  Shared<float> filter = shared_memory<float>(depth * columns * sizeof(Pixel), Sums * depth);

  // The columns that this thread unrolls: neighbouring threads take neighbouring outputs, so their loads coalesce.
  int x[outputs_per_thread], y[outputs_per_thread];
  for (int j = 0; j < outputs_per_thread; ++j) {
    const std::size_t output = first + j * blockDim.x + threadIdx.x;
    x[j] = static_cast<int>(output % out.width);
    y[j] = output < pixels ? static_cast<int>(output / out.width) : -1;
  }

  Wide<Pixel> sums[outputs_per_thread][Sums] = {};
  // A row of U is a tap: what every output sees there. All rows at once would not fit in shared memory.
  for (int k0 = 0; k0 < taps; k0 += depth) {
    const int rows = taps - k0 < depth ? taps - k0 : depth;
    for (int k = 0; k < rows; ++k) {
      const int dy = (k0 + k) / filter_width - filter_height / 2, dx = (k0 + k) % filter_width - filter_width / 2;
      for (int j = 0; j < outputs_per_thread; ++j) {
        const int column = j * blockDim.x + threadIdx.x;
        unrolled[k * blockDim.x + column / outputs_per_thread].pixel[column % outputs_per_thread] =
            y[j] < 0 ? Pixel{} : load_pixel(in, x[j] + dx, y[j] + dy, border);
      }
    }
    // The weights of these taps, so that they come from global memory once for the block.
    for (int i = threadIdx.x; i < Sums * rows; i += blockDim.x)
      filter[i / rows * depth + i % rows] = weights[i / rows * taps + k0 + i % rows];
    __syncthreads();  // the columns that a thread multiplies are not those that it has unrolled

    for (int k = 0; k < rows; ++k) {
      const PixelQuad<Pixel> quad = unrolled[k * blockDim.x + threadIdx.x];
      for (int s = 0; s < Sums; ++s)
        for (int j = 0; j < outputs_per_thread; ++j) add(sums[j][s], quad.pixel[j], filter[s * depth + k]);
    }
    __syncthreads();  // before the next rows of U overwrite these
  }

  // What a thread multiplies are neighbours, so that one load from shared memory brings all four of a row of U.
  for (int j = 0; j < outputs_per_thread; ++j) {
    const std::size_t output = first + threadIdx.x * outputs_per_thread + j;
    if (output >= pixels) return;
    const int ox = static_cast<int>(output % out.width), oy = static_cast<int>(output / out.width);
    carry_alpha(sums[j][0], *pixel_at(in, ox, oy));
    *pixel_at(out, ox, oy) = finish_pixel<Sums>(epilogue, sums[j]);
  }
}

constexpr int block_sizes[] = {32, 64, 128, 256};
constexpr int depths[] = {4, 8, 16, max_tap_depth};
constexpr Tunable tunables[] = {
    {"block_size", "Block size", "Threads of a block; each makes 4 outputs, the columns of the tile of U", block_sizes,
     128},
    {"depth", "Tile depth", "Rows of the unrolled matrix made between two barriers", depths, 8},
};

LaunchShape shape(const Problem& p, const Tuned& tuning) {
  const int block = tuning["block_size"], depth = tuning["depth"];
  const long long pixels = static_cast<long long>(p.width) * p.height;
  const long long columns = static_cast<long long>(block) * outputs_per_thread;
  return {dim3(static_cast<unsigned>((pixels + columns - 1) / columns)), dim3(block),
          depth * columns * bytes_per_pixel(p.format) + depth * sizeof(float) * sets_of(p.filter)};
}

struct Unrolled : OneKernel<GlobalFilter<float>> {
  int depth;

  static constexpr const char* name = "multiply_unrolled";
  void take_filter() { memory.set(both_sets(problem.filter)); }
  template <class F>
  void with_kernel(F&& f) const {
    dispatch(problem, [&]<class Pixel, int Sums>() { f(multiply_unrolled<Pixel, Sums>); });
  }
  auto arguments(const Image&, const Image&) const {
    return std::tuple(memory.data(), problem.filter.width, problem.filter.height, depth, problem.border, epilogue());
  }
};

}  // namespace

extern const Strategy strategy{
    .id = "implicit-gemm",
    .title = "Implicit GEMM",
    .idea =
        "The matrix product of im2col without the matrix: each block unrolls the part of the input it is about to "
        "multiply into shared memory, a few taps deep, and never stores it.",
    .reading = "PMPP 4th ed., ch. 16.4; Chetlur et al., cuDNN: Efficient Primitives for Deep Learning, 2014, sec. 3.1",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (std::string reason = block_size_reason(t["block_size"], 1, device); !reason.empty()) return reason;
      return shared_memory_reason(shape(p, t).shared_bytes, device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      return one_kernel_plan<Unrolled>(p, shape(p, t), t["depth"]);
    },
    .costs = [](const Problem& p, const Tuned&) -> Cost {
      Cost cost = direct_cost(p);  // the same loads, through L1, for the unrolled tile
      // One 16-byte load brings 4 columns of U; the weight is one more shared load for 4 outputs.
      cost.shared_loads_per_output =
          p.filter.width * p.filter.height * (1.0 + static_cast<double>(sets_of(p.filter)) / outputs_per_thread);
      return cost;
    },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const int block = t["block_size"];
          const std::size_t width = static_cast<std::size_t>(p.width),
                            pixels = width * static_cast<std::size_t>(p.height);
          const std::size_t columns = outputs_per_thread * static_cast<std::size_t>(block);
          const std::size_t output = static_cast<std::size_t>(at.y) * width + static_cast<std::size_t>(at.x);
          const std::size_t first = output / columns * columns, thread = (output - first) / outputs_per_thread;
          const std::size_t own = first + thread * outputs_per_thread;
          KernelStep step;
          step.kernel = Unrolled::name;
          step.block = {static_cast<int>(output / columns), 0, 0};
          step.thread = {static_cast<int>(thread), 0, 0};
          step.block_size = {block, 1, 1};
          step.outputs = run_of_pixels(first, std::min(columns, pixels - first), p.width);
          step.thread_outputs = run_of_pixels(own, std::min<std::size_t>(outputs_per_thread, pixels - own), p.width);
          step.tile = grown(step.outputs, p.filter.rx(), p.filter.ry());
          step.words =
              "The block's outputs are columns of the unrolled matrix, numbered along the rows of the image. "
              "Its threads unroll " +
              std::to_string(t["depth"]) + " taps at a time into shared memory; each multiplies " +
              std::to_string(outputs_per_thread) + " neighbouring columns by the weights.";
          return Explanation{.steps = {std::move(step)}, .words = {}};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::implicit_gemm
