// Several outputs per thread. Idea: a thread computes N outputs below one another. For one column of the filter it
// walks down the tile with a window of N pixels in registers: each step takes one new pixel from shared memory and
// one weight from constant memory and feeds N sums.
// Traffic: (T_x+2r)(T_y+2r)/(T_x·T_y) global loads per output, with T_y = N × threads; M·(M+N−1)/N shared loads, not
// M².
// Limits: registers (N pixels and N sums for each channel), and fewer threads to hide latency with.
#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/parts/shared_tile.cuh"

namespace convoscope::CONVOSCOPE_TARGET::register_tile {
namespace {

__constant__ float weights[max_filter_weights];  // by columns: the order in which a thread goes through them
ConstantOwner weights_owner;

constexpr int most_threads = 512;  // of a block: leaves a thread the 128 registers that 8 outputs want

// A pixel whose channels have been converted once, for all the sums that it goes into.
template <class Pixel>
struct Unpacked;
template <>
struct Unpacked<float> {
  float value;
};
template <>
struct Unpacked<Rgba8> {
  float r, g, b;
};
__device__ inline Unpacked<float> unpack(float pixel) { return {pixel}; }
__device__ inline Unpacked<Rgba8> unpack(Rgba8 pixel) {
  return {static_cast<float>(pixel.r), static_cast<float>(pixel.g), static_cast<float>(pixel.b)};
}
template <int Sums>
__device__ inline void add(Accumulator<float, Sums>& sums, Unpacked<float> pixel, float weight, int s) {
  sums.add(pixel.value, weight, s);
}
template <int Sums>
__device__ inline void add(Accumulator<Rgba8, Sums>& sums, Unpacked<Rgba8> pixel, float weight, int s) {
  sums.r[s] = fmaf(weight, pixel.r, sums.r[s]);
  sums.g[s] = fmaf(weight, pixel.g, sums.g[s]);
  sums.b[s] = fmaf(weight, pixel.b, sums.b[s]);
}

// The filter column whose weights begin at `first_weight`, over the tile column whose elements begin at `element`.
template <class Pixel, int Sums, int N>
__device__ inline void add_column(Accumulator<Pixel, Sums> (&sums)[N], const Shared<Pixel>& tile, int element,
                                  int pitch, int first_weight, int height, int count) {
  // Slot i mod N holds the pixel of row i, so that the window slides without moving anything: a new pixel takes the
  // place of the one that no sum needs any more. All slot numbers are known when this is compiled.
  Unpacked<Pixel> window[N];
#pragma unroll
  for (int i = 0; i < N - 1; ++i) window[i] = unpack(tile[element + i * pitch]);

  const auto step = [&](int slot, int dy) {
    window[(slot + N - 1) % N] = unpack(tile[element + (dy + N - 1) * pitch]);
#pragma unroll
    for (int s = 0; s < Sums; ++s) {
      const float weight = weights[s * count + first_weight + dy];
#pragma unroll
      for (int o = 0; o < N; ++o) add(sums[o], window[(slot + o) % N], weight, s);
    }
  };
  int dy = 0;
  for (; dy + N <= height; dy += N) {
#pragma unroll
    for (int slot = 0; slot < N; ++slot) step(slot, dy + slot);
  }
#pragma unroll
  for (int slot = 0; slot < N - 1; ++slot)
    if (dy + slot < height) step(slot, dy + slot);
}

template <class Pixel, int Sums, int N>
__global__ void __launch_bounds__(most_threads)
    filter_register_tile(ImageView<const Pixel> in, ImageView<Pixel> out, int rx, int ry, int pitch, Border border,
                         Epilogue epilogue) {
  const int tx = threadIdx.x, ty = threadIdx.y, width = blockDim.x, rows = blockDim.y;
  const int x0 = static_cast<int>(blockIdx.x) * width, y0 = static_cast<int>(blockIdx.y) * rows * N;

  const int tile_width = width + 2 * rx, tile_height = rows * N + 2 * ry;
  const Shared<Pixel> tile = shared_memory<Pixel>(0, pitch * tile_height);
  for (int j = ty; j < tile_height; j += rows)
    for (int i = tx; i < tile_width; i += width) tile[j * pitch + i] = load_pixel(in, x0 - rx + i, y0 - ry + j, border);
  __syncthreads();

  const int filter_width = 2 * rx + 1, filter_height = 2 * ry + 1;
  Accumulator<Pixel, Sums> sums[N];
  for (int dx = 0; dx < filter_width; ++dx)
    add_column<Pixel, Sums, N>(sums, tile, ty * N * pitch + tx + dx, pitch, dx * filter_height, filter_height,
                               filter_width * filter_height);

  const int x = x0 + tx, y = y0 + ty * N;
  if (x >= out.width) return;
#pragma unroll
  for (int o = 0; o < N; ++o)
    if (y + o < out.height)
      *pixel_at(out, x, y + o) = sums[o].finish(epilogue, tile[(ty * N + o + ry) * pitch + tx + rx]);
}

constexpr int block_widths[] = {32, 64, 128};
constexpr int block_heights[] = {1, 2, 4, 8};
constexpr int outputs_per_thread[] = {2, 4, 8};
constexpr Tunable tunables[] = {
    {"block_width", "Block width", "Threads of a block along x, one output column each", block_widths, 32},
    {"block_height", "Block height", "Threads of a block along y", block_heights, 8},
    {"outputs", "Outputs per thread", "Rows that one thread computes: the tile is this many times the block's height",
     outputs_per_thread, 8},
};

struct Tile {
  int block_width, block_height, outputs, pitch;
  std::size_t shared_bytes;
};

Tile tile_of(const Problem& problem, const Tuned& tuning) {
  const int width = tuning["block_width"];
  const int height = tuning["block_height"];
  const int outputs = tuning["outputs"];
  const int pitch = width + 2 * problem.filter.rx();
  const auto elements = static_cast<std::size_t>(pitch) * (height * outputs + 2 * problem.filter.ry());
  return {width, height, outputs, pitch, elements * bytes_per_pixel(problem.format)};
}

class RegisterTilePlan final : public ImagePlan {
 public:
  RegisterTilePlan(const Problem& problem, const Tile& tile)
      : problem_(problem),
        tile_(tile),
        block_(tile.block_width, tile.block_height),
        grid_(ceil_div(problem.width, tile.block_width), ceil_div(problem.height, tile.block_height * tile.outputs)) {
    set_filter(problem.filter);
    run([&](auto kernel) { allow_shared(kernel, tile_.shared_bytes); });
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    Filter columns = filter;
    transpose(columns);
    weights_.set(columns);
  }
  void prepare(Stream stream) override { weights_.upload(weights, weights_owner, stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    weights_.expect_in_place();
    run([&]<class Pixel>(void (*kernel)(ImageView<const Pixel>, ImageView<Pixel>, int, int, int, Border, Epilogue)) {
      launch(kernel, grid_, block_, tile_.shared_bytes, stream, in.view<const Pixel>(), out.view<Pixel>(),
             problem_.filter.rx(), problem_.filter.ry(), tile_.pitch, problem_.border,
             make_epilogue(problem_.filter, problem_.format));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    run([&](auto kernel) {
      infos.push_back(describe("filter_register_tile", kernel, grid_, block_, tile_.shared_bytes));
    });
    return weights_.described(std::move(infos));
  }

 private:
  template <class F>
  void run(F&& f) const {
    dispatch(problem_.format, problem_.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
      with_number<2, 4, 8>(tile_.outputs, [&]<int Outputs>() { f(filter_register_tile<Pixel, Sums, Outputs>); });
    });
  }

  Problem problem_;
  Tile tile_;
  dim3 block_, grid_;
  ConstantWeights weights_;
};

}  // namespace

extern const Strategy strategy{
    .id = "register-tile",
    .title = "Register tile",
    .idea =
        "Each thread computes several outputs below one another and keeps a sliding window of pixels in registers: "
        "a pixel that has been loaded from shared memory and converted once goes into several sums.",
    .reading = "PMPP 4th ed., ch. 6.3, thread coarsening, applied to ch. 7.4",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (std::string reason = constant_memory_reason(p.filter); !reason.empty()) return reason;
      const Tile tile = tile_of(p, t);
      if (tile.outputs != 2 && tile.outputs != 4 && tile.outputs != 8)
        return std::to_string(tile.outputs) + " outputs per thread are not built: choose 2, 4 or 8";
      if (std::string reason = block_size_reason(tile.block_width, tile.block_height, device); !reason.empty())
        return reason;
      if (tile.block_width * tile.block_height > most_threads)
        return "A block of " + std::to_string(tile.block_width) + " × " + std::to_string(tile.block_height) +
               " is more than the " + std::to_string(most_threads) + " threads whose registers fit";
      return shared_memory_reason(tile.shared_bytes, device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<RegisterTilePlan>(p, tile_of(p, t));
    },
    .costs =
        [](const Problem& p, const Tuned& t) {
          const Tile tile = tile_of(p, t);
          Cost cost = tiled_cost(p, tile.block_width, tile.block_height * tile.outputs);
          cost.shared_loads_per_output = p.filter.width * (p.filter.height + tile.outputs - 1.0) / tile.outputs;
          return cost;
        },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const Tile tile = tile_of(p, t);
          const int height = tile.block_height * tile.outputs;
          KernelStep step = one_thread_per_output("filter_register_tile", tile.block_width, height, at.x, at.y);
          const int ty = step.thread[1] / tile.outputs;
          step.thread[1] = ty;
          step.block_size = {tile.block_width, tile.block_height, 1};
          step.thread_outputs = {{at.x, step.outputs[0].y + ty * tile.outputs, 1, tile.outputs}};
          step.tile = {grown(step.outputs[0], p.filter.rx(), p.filter.ry())};
          step.words =
              "The threads load the tile together. Each then walks down every column of the filter with a "
              "window of " +
              std::to_string(tile.outputs) +
              " pixels in registers, so that one shared load feeds as many outputs, one below the other.";
          return Explanation{.steps = {std::move(step)}, .words = {}};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::register_tile
