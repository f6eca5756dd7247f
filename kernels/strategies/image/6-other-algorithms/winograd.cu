// Fewer multiplies by computing outputs together. Idea: a tile of m×m outputs of a 3×3 filter needs only (m+2)²
// products once input tile and filter are transformed, mostly by additions: Y = Aᵀ[(G g Gᵀ) ∘ (Bᵀ d B)]A.
// Traffic: (m+2)²/m² loads per output: 4 for F(2×2,3×3), 2.25 for F(4×4,3×3), instead of 9; one store.
// Limits: 3×3 only; with one input channel the transforms cost more than the products they save (a layer shares them
// among its channels); F(4×4) multiplies rounding errors by up to a few hundred.
#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/constant_weights.cuh"
#include "kernels/device/parts/wide_pixel.cuh"
#include "kernels/strategies/shared/winograd_tiles.cuh"

namespace convoscope::CONVOSCOPE_TARGET::winograd {
namespace {

using namespace winograd_tiles;

__constant__ float transformed[2 * 36];  // G g Gᵀ of each filter, row-major
ConstantOwner transformed_owner;

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
  const int x = (blockIdx.x * blockDim.x + threadIdx.x) * Tile, y = (blockIdx.y * blockDim.y + threadIdx.y) * Tile;
  if (x >= out.width || y >= out.height) return;

  Pixel input[n][n], output[Tile][Tile];
  each<n, n>([&](int i, int j) { input[i][j] = load_pixel(in, x + j - 1, y + i - 1, border); });
  each<Tile, Tile>([&](int i, int j) { output[i][j] = input[i + 1][j + 1]; });  // for its alpha

  CONVOSCOPE_UNROLL
  for (int c = 0; c < channel_count; ++c) {
    float half[n][n], data[n][n];  // Bᵀ d, then Bᵀ d B
    each<n, n>([&](int i, int j) {
      half[i][j] = combine<n>([&](int k) { return W::bt(i, k); }, [&](int k) { return channel_of(input[k][j], c); });
    });
    each<n, n>([&](int i, int j) {
      data[i][j] = combine<n>([&](int k) { return W::bt(j, k); }, [&](int k) { return half[i][k]; });
    });

    float sums[Sums][Tile][Tile];
    CONVOSCOPE_UNROLL
    for (int s = 0; s < Sums; ++s) {
      float folded[Tile][n];  // Aᵀ (U ∘ data)
      each<Tile, n>([&](int i, int j) {
        folded[i][j] = combine<n>([&](int k) { return W::at(i, k); },
                                  [&](int k) { return transformed[(s * n + k) * n + j] * data[k][j]; });
      });
      each<Tile, Tile>([&](int i, int j) {
        sums[s][i][j] = combine<n>([&](int k) { return W::at(j, k); }, [&](int k) { return folded[i][k]; });
      });
    }
    each<Tile, Tile>([&](int i, int j) {
      set_channel(output[i][j], c, finish_channel<Sums>(epilogue, sums[0][i][j], sums[Sums - 1][i][j]));
    });
  }

  each<Tile, Tile>([&](int i, int j) {
    if (x + j < out.width && y + i < out.height) *pixel_at(out, x + j, y + i) = output[i][j];
  });
}

// Each path from an input to an output passes this many roundings: one per term of two data and two output transforms,
// one for the product, one for the float32 form of U. The plan's tile is not known here, so the larger one is assumed.
double winograd_bound(const Problem& problem) {
  constexpr double unit_roundoff = 0x1p-24;
  constexpr int roundings = 2 * longest_row<4>(true) + 2 * longest_row<4>(false) + 2;
  double squares = 0;
  for (const std::vector<float>* weights : {&problem.filter.weights, &problem.filter.weights_y}) {
    if (weights->size() != 9) continue;
    const double bound =
        roundings * unit_roundoff *
        std::max(path_weight<2>(transform_weights<2>(*weights)), path_weight<4>(transform_weights<4>(*weights)));
    squares += bound * bound;  // |Δ sqrt(x² + y²)| ≤ sqrt(Δx² + Δy²)
  }
  return float32_sum_bound(problem, 1) +
         std::sqrt(squares) * std::abs(problem.filter.gain) * white_level(problem.format);
}

constexpr int tiles[] = {2, 4};
constexpr int block_widths[] = {8, 16, 32};
constexpr int block_heights[] = {4, 8};
constexpr Tunable tunables[] = {
    {"tile", "Output tile", "2: F(2×2,3×3), 16 multiplies instead of 36; 4: F(4×4,3×3), 36 instead of 144", tiles, 2},
    {"block_width", "Block width", "Threads of a block along x, one tile each", block_widths, 16},
    {"block_height", "Block height", "Threads of a block along y", block_heights, 8},
};

class WinogradPlan final : public ImagePlan {
 public:
  WinogradPlan(const Problem& problem, const Tuned& tuning)
      : problem_(problem),
        tile_(tuning["tile"]),
        block_(tuning["block_width"], tuning["block_height"]),
        grid_(ceil_div(problem.width, block_.x * tile_), ceil_div(problem.height, block_.y * tile_)) {
    WinogradPlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    std::vector<float> values;
    for (const std::vector<float>* weights : {&filter.weights, &filter.weights_y}) {
      if (weights->empty()) continue;
      const std::vector<double> u = tile_ == 2 ? transform_weights<2>(*weights) : transform_weights<4>(*weights);
      values.insert(values.end(), u.begin(), u.end());
    }
    weights_.set(std::move(values));
  }
  void prepare(Stream stream) override { weights_.upload(transformed, transformed_owner, stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    weights_.expect_in_place();
    each_kernel([&]<class Pixel>(auto kernel) {
      launch(kernel, grid_, block_, 0, stream, in.view<const Pixel>(), out.view<Pixel>(), problem_.border,
             make_epilogue(problem_.filter, problem_.format));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    each_kernel([&]<class Pixel>(auto kernel) { infos = {describe("filter_winograd", kernel, grid_, block_, 0)}; });
    return weights_.described(std::move(infos));
  }

 private:
  template <class F>
  void each_kernel(F&& f) const {
    dispatch(problem_.format, problem_.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
      if (tile_ == 2)
        f.template operator()<Pixel>(filter_winograd<Pixel, Sums, 2>);
      else
        f.template operator()<Pixel>(filter_winograd<Pixel, Sums, 4>);
    });
  }

  Problem problem_;
  int tile_;
  dim3 block_, grid_;
  ConstantWeights weights_;
};

template <int Tile>
double tile_flop() {  // of one channel of one tile, a multiply-add for each non-zero coefficient
  return data_flop<Tile>() + (Tile + 2) * (Tile + 2) + output_flop<Tile>();
}

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
      return std::make_unique<WinogradPlan>(p, t);
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const int tile = t["tile"];
      const double per_tile = tile == 2 ? tile_flop<2>() : tile_flop<4>();
      Cost cost = direct_cost(p);
      cost.flop = per_tile * channels(p.format) * (p.filter.is_magnitude() ? 2 : 1) * outputs(p) / (tile * tile);
      cost.global_loads_per_output = static_cast<double>((tile + 2) * (tile + 2)) / (tile * tile);
      return cost;
    },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const int tile = t["tile"];
          const int width = t["block_width"], height = t["block_height"];
          KernelStep step = one_thread_per_output("filter_winograd", width * tile, height * tile, at.x, at.y);
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
