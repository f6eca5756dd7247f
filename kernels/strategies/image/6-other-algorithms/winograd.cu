// Fewer multiplies by computing outputs together: Y = Aᵀ[(G g Gᵀ) ∘ (Bᵀ d B)]A.
// Traffic: (m+2)²/m² loads per output: 4 for F(2×2,3×3), 2.25 for F(4×4,3×3), instead of 9; one store.
// Limits: 3×3 only; with one input channel the transforms cost more than the products they save (a layer shares them
// among its channels); F(4×4) multiplies rounding errors by up to a few hundred.
#include "kernels/device/one_kernel.cuh"
#include "kernels/device/parts/wide_pixel.cuh"
#include "kernels/strategies/shared/winograd_tiles.cuh"

namespace convoscope::CONVOSCOPE_TARGET::winograd {
namespace {

using namespace winograd_tiles;

__constant__ float transformed[2 * 36];  // G g Gᵀ of each filter, row-major

__device__ inline float channel_of(float pixel, int) { return pixel; }
__device__ inline float channel_of(Rgba8 pixel, int c) {
  return static_cast<float>(c == 0 ? pixel.r : c == 1 ? pixel.g : pixel.b);
}
__device__ inline void set_channel(float& pixel, int, float value) { pixel = value; }
__device__ inline void set_channel(Rgba8& pixel, int c, float value) {
  (c == 0 ? pixel.r : c == 1 ? pixel.g : pixel.b) = to_code_value(value);
}

// One thread computes Tile × Tile outputs.
template <class Pixel, int Sums, int Tile>
__global__ void filter_winograd(ImageView<const Pixel> in, ImageView<Pixel> out, Border border, Epilogue epilogue) {
  using W = Winograd<Tile>;
  constexpr int n = Tile + 2;
  constexpr int channel_count = sizeof(Wide<Pixel>) == sizeof(float) ? 1 : 3;
  // A thread has a tile of outputs; that it is small lets all of this lie in registers.
  const int x = (blockIdx.x * blockDim.x + threadIdx.x) * Tile, y = (blockIdx.y * blockDim.y + threadIdx.y) * Tile;
  if (x >= out.width || y >= out.height) return;

  // Neighbouring tiles of input overlap by two rows and columns, which L1 has.
  Pixel input[n][n], output[Tile][Tile];
  each<n, n>([&](int i, int j) { input[i][j] = load_pixel(in, x + j - 1, y + i - 1, border); });
  each<Tile, Tile>([&](int i, int j) { output[i][j] = input[i + 1][j + 1]; });  // for its alpha

  CONVOSCOPE_UNROLL
  for (int c = 0; c < channel_count; ++c) {
    // Bᵀ d, then Bᵀ d B. The matrices' numbers are known when this is compiled: what is left are mostly additions.
    float half[n][n], data[n][n];
    each<n, n>([&](int i, int j) {
      half[i][j] = combine<n>([&](int k) { return W::bt(i, k); }, [&](int k) { return channel_of(input[k][j], c); });
    });
    each<n, n>([&](int i, int j) {
      data[i][j] = combine<n>([&](int k) { return W::bt(j, k); }, [&](int k) { return half[i][k]; });
    });

    float sums[Sums][Tile][Tile];
    CONVOSCOPE_UNROLL
    for (int s = 0; s < Sums; ++s) {
      // Aᵀ (U ∘ data): n² products, of the transformed filter and the transformed data, make Tile² outputs.
      float folded[Tile][n];
      each<Tile, n>([&](int i, int j) {
        folded[i][j] = combine<n>([&](int k) { return W::at(i, k); },
                                  [&](int k) { return transformed[(s * n + k) * n + j] * data[k][j]; });
      });
      // And back, by A on the other side.
      each<Tile, Tile>([&](int i, int j) {
        sums[s][i][j] = combine<n>([&](int k) { return W::at(j, k); }, [&](int k) { return folded[i][k]; });
      });
    }
    each<Tile, Tile>([&](int i, int j) {
      set_channel(output[i][j], c, finish_channel<Sums>(epilogue, sums[0][i][j], sums[Sums - 1][i][j]));
    });
  }

  // The last tiles of a row and of a column reach over the image's edge.
  each<Tile, Tile>([&](int i, int j) {
    if (x + j < out.width && y + i < out.height) *pixel_at(out, x + j, y + i) = output[i][j];
  });
}

constexpr int tiles[] = {2, 4};
constexpr int block_widths[] = {8, 16, 32};
constexpr int block_heights[] = {4, 8};
constexpr Tunable tunables[] = {
    {"tile", "Output tile", "2: F(2×2,3×3), 16 multiplies instead of 36; 4: F(4×4,3×3), 36 instead of 144", tiles, 2},
    {"block_width", "Block width", "Threads of a block along x, one tile each", block_widths, 16},
    {"block_height", "Block height", "Threads of a block along y", block_heights, 8},
};

struct OfTiles : OneKernel<ConstantFilter> {
  int tile;

  static constexpr const char* name = "filter_winograd";
  void take_filter() {
    std::vector<float> values;
    for (const std::vector<float>* weights : {&problem.filter.weights, &problem.filter.weights_y}) {
      if (weights->empty()) continue;
      const std::vector<double> u = tile == 2 ? transform_weights<2>(*weights) : transform_weights<4>(*weights);
      values.insert(values.end(), u.begin(), u.end());
    }
    memory.set(std::move(values), upload_to<transformed>);
  }
  template <class F>
  void with_kernel(F&& f) const {
    dispatch(problem, [&]<class Pixel, int Sums>() {
      with_number<2, 4>(tile, [&]<int Tile>() { f(filter_winograd<Pixel, Sums, Tile>); });
    });
  }
  auto arguments(const Image&, const Image&) const { return std::tuple(problem.border, epilogue()); }
};

}  // namespace

extern const Strategy strategy{
    .id = "winograd",
    .title = "Winograd",
    .idea =
        "Transforming the input tile and the filter turns the 9 multiplies of each 3×3 output into 4 (F(2×2,3×3)) or "
        "2.25 (F(4×4,3×3)), at the price of additions and of larger rounding errors.",
    .reading = "Lavin & Gray, Fast Algorithms for Convolutional Neural Networks, 2016, sec. 4",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = winograd_bound,
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (p.filter.width != 3 || p.filter.height != 3)
        return "the transforms are those of a 3×3 filter; this one is " + std::to_string(p.filter.width) + "×" +
               std::to_string(p.filter.height);
      return block_size_reason(t["block_width"], t["block_height"], device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      const int tile = t["tile"];
      const dim3 block(t["block_width"], t["block_height"]);
      const dim3 grid(ceil_div(p.width, block.x * tile), ceil_div(p.height, block.y * tile));
      return one_kernel_plan<OfTiles>(p, {grid, block}, tile);
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const int tile = t["tile"];
      const double per_tile = tile == 2 ? tile_flop<2>() : tile_flop<4>();
      Cost cost = direct_cost(p);
      cost.flop = per_tile * channels(p.format) * sets_of(p.filter) * outputs(p) / (tile * tile);
      cost.global_loads_per_output = static_cast<double>((tile + 2) * (tile + 2)) / (tile * tile);
      return cost;
    },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const int tile = t["tile"];
          const int width = t["block_width"], height = t["block_height"];
          KernelStep step = one_thread_per_output(OfTiles::name, width * tile, height * tile, at.x, at.y);
          const PixelArea block = step.outputs[0];
          step.thread = {(at.x - block.x) / tile, (at.y - block.y) / tile, 0};
          step.block_size = {width, height, 1};
          step.thread_outputs = {{block.x + step.thread[0] * tile, block.y + step.thread[1] * tile, tile, tile}};
          // Whole tiles of the threads that have an output in the image.
          const PixelArea inside = clipped(block, p.width, p.height);
          step.direct = {grown(
              {block.x, block.y, ceil_div(inside.width, tile) * tile, ceil_div(inside.height, tile) * tile}, 1, 1)};
          const std::string n = std::to_string(tile), m = std::to_string(tile + 2);
          step.words = "Each thread reads " + m + " × " + m +
                       " inputs, transforms them, multiplies element by element "
                       "with the transformed filter and transforms back: " +
                       n + " × " + n + " outputs at once.";
          return Explanation{.steps = {std::move(step)},
                             .words =
                                 "The products that are shown are those of the definition; the kernel multiplies "
                                 "transformed numbers whose sum is the same."};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::winograd
