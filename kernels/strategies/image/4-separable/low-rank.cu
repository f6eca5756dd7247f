// A sum of separable passes. Idea: the singular value decomposition writes any filter as Σ columnₖ · rowₖ; the first k
// terms that bring the error under a bound are enough. For each term, a block filters its tile's rows into shared
// memory and adds the filtered columns to sums in registers, so no intermediate image exists.
// Traffic: (T+2r)²/T² loads per output once, whatever k; 2Mk multiplies instead of M².
// Limits: pays when k is well below M/2; the tile's halo rows are filtered by every block that needs them.
#include <cmath>

#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/constant_weights.cuh"
#include "kernels/device/cuda_raii.h"
#include "kernels/device/parts/wide_pixel.cuh"
#include "kernels/filter/separability.h"

namespace convoscope::CONVOSCOPE_TARGET::low_rank {
namespace {

constexpr int max_taps = max_filter_weights;
constexpr int tile_width = 32;
constexpr int block_height = 8;
constexpr int max_outputs = 8;  // rows of a thread, kept in registers

__constant__ float taps[max_taps];  // for each filter, for each term: row taps, then column taps
ConstantOwner taps_owner;

// Block: tile_width × block_height threads for tile_width × (outputs · block_height) outputs. terms: of each filter.
template <class Pixel, int Sums>
__global__ void filter_low_rank(ImageView<const Pixel> in, ImageView<Pixel> out, int rx, int ry, int terms_x,
                                int terms_y, int outputs_per_thread, Border border, Epilogue epilogue) {
  const int tile_height = outputs_per_thread * block_height;
  const int input_width = tile_width + 2 * rx, input_height = tile_height + 2 * ry;
  Shared<Wide<Pixel>> rows = shared_memory<Wide<Pixel>>(0, input_height * tile_width);
  Shared<Pixel> input =
      shared_memory<Pixel>(input_height * tile_width * sizeof(Wide<Pixel>), input_width * input_height);
  const int left = blockIdx.x * tile_width, top = blockIdx.y * tile_height;

  for (int j = threadIdx.y; j < input_height; j += block_height)
    for (int i = threadIdx.x; i < input_width; i += tile_width)
      input[j * input_width + i] = load_pixel(in, left - rx + i, top - ry + j, border);
  __syncthreads();

  Wide<Pixel> sums[max_outputs][Sums] = {};
  int tap = 0;
  CONVOSCOPE_UNROLL
  for (int s = 0; s < Sums; ++s) {
    const int terms = s == 0 ? terms_x : terms_y;
    for (int k = 0; k < terms; ++k, tap += 2 * rx + 1 + 2 * ry + 1) {
      for (int j = threadIdx.y; j < input_height; j += block_height) {
        Wide<Pixel> sum{};
        for (int d = 0; d <= 2 * rx; ++d) add(sum, input[j * input_width + threadIdx.x + d], taps[tap + d]);
        rows[j * tile_width + threadIdx.x] = sum;
      }
      __syncthreads();
      CONVOSCOPE_UNROLL
      for (int i = 0; i < max_outputs; ++i)
        if (i < outputs_per_thread)
          for (int d = 0; d <= 2 * ry; ++d)
            add(sums[i][s], rows[(i * block_height + threadIdx.y + d) * tile_width + threadIdx.x],
                taps[tap + 2 * rx + 1 + d]);
      __syncthreads();  // before the next term's rows overwrite these
    }
  }

  const int x = left + threadIdx.x;
  CONVOSCOPE_UNROLL
  for (int i = 0; i < max_outputs; ++i) {
    const int y = top + i * block_height + threadIdx.y;
    if (i >= outputs_per_thread || x >= out.width || y >= out.height) continue;
    carry_alpha(sums[i][0], input[(i * block_height + threadIdx.y + ry) * input_width + threadIdx.x + rx]);
    *pixel_at(out, x, y) = finish_pixel<Sums>(epilogue, sums[i]);
  }
}

constexpr int output_counts[] = {1, 2, 4, max_outputs};
constexpr Tunable tunables[] = {
    {"outputs_per_thread", "Outputs per thread",
     "How many times 8 rows a block's tile is high; a higher tile repeats less halo", output_counts, 4},
};

struct Terms {
  LowRankFactors x, y;  // y: of an edge magnitude's second filter, else of rank 0
  int total() const { return x.rank + y.rank; }
  double error() const { return x.error + y.error; }
};

// What the left-out terms may add to an output: a quarter of a code value for rgba8, and for gray32f as much as
// rounding one input to 16 bits would.
double permitted_error(const Filter& filter, PixelFormat format) {
  double largest = 0;
  for (const std::vector<float>* weights : {&filter.weights, &filter.weights_y}) {
    double sum = 0;
    for (float w : *weights) sum += std::abs(w);
    largest = std::max(largest, sum);
  }
  const double scale = std::abs(filter.gain) * largest;
  return format == PixelFormat::rgba8 ? 0.25 / std::max(255 * scale, 0.25) : 0x1p-16;  // relative to Σ|w|
}

// The newest answer is remembered: this is asked for every frame.
const Terms& low_rank_terms(const Problem& p) {
  struct Memory {
    std::vector<float> weights, weights_y;
    int width = 0;
    double permitted = 0;
    Terms terms;
  };
  thread_local Memory memory;
  const double permitted = permitted_error(p.filter, p.format);
  if (memory.width != p.filter.width || memory.permitted != permitted || memory.weights != p.filter.weights ||
      memory.weights_y != p.filter.weights_y) {
    const int w = p.filter.width, h = p.filter.height;
    memory = {p.filter.weights, p.filter.weights_y, w, permitted, {}};
    memory.terms.x = low_rank_factors(p.filter.weights.data(), w, h, permitted);
    if (p.filter.is_magnitude()) memory.terms.y = low_rank_factors(p.filter.weights_y.data(), w, h, permitted);
  }
  return memory.terms;
}

struct Shape {
  dim3 grid;
  int outputs_per_thread;
  std::size_t shared;
};

Shape shape(const Problem& p, const Tuned& tuning) {
  const int count = tuning["outputs_per_thread"], tile_height = count * block_height;
  const std::size_t rows = tile_height + 2 * p.filter.ry(), wide = p.format == PixelFormat::rgba8 ? 16 : 4;
  return {dim3(ceil_div(p.width, tile_width), ceil_div(p.height, tile_height)), count,
          rows * tile_width * wide + rows * (tile_width + 2 * p.filter.rx()) * bytes_per_pixel(p.format)};
}

class LowRankPlan final : public ImagePlan {
 public:
  LowRankPlan(const Problem& problem, const Tuned& tuning) : problem_(problem), shape_(shape(problem, tuning)) {
    each_kernel([&]<class Pixel>(auto kernel) { allow_shared(kernel, shape_.shared); });
    LowRankPlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    terms_ = low_rank_terms(problem_);
    std::vector<float> values;
    for (const LowRankFactors* factors : {&terms_.x, &terms_.y})
      for (int k = 0; k < factors->rank; ++k) {
        const auto row = factors->rows.begin() + k * filter.width,
                   column = factors->columns.begin() + k * filter.height;
        values.insert(values.end(), row, row + filter.width);
        values.insert(values.end(), column, column + filter.height);
      }
    taps_.set(std::move(values));
  }
  void prepare(Stream stream) override { taps_.upload(taps, taps_owner, stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    taps_.expect_in_place();
    each_kernel([&]<class Pixel>(auto kernel) {
      launch(kernel, shape_.grid, dim3(tile_width, block_height), shape_.shared, stream, in.view<const Pixel>(),
             out.view<Pixel>(), problem_.filter.rx(), problem_.filter.ry(), terms_.x.rank, terms_.y.rank,
             shape_.outputs_per_thread, problem_.border, make_epilogue(problem_.filter, problem_.format));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    each_kernel([&]<class Pixel>(auto kernel) {
      infos = {describe("filter_low_rank", kernel, shape_.grid, dim3(tile_width, block_height), shape_.shared)};
    });
    return taps_.described(std::move(infos));
  }
  std::string note() const override {
    double sum = 0;
    for (const std::vector<float>* weights : {&problem_.filter.weights, &problem_.filter.weights_y})
      for (float w : *weights) sum += std::abs(w);
    char error[32];
    std::snprintf(error, sizeof error, "%.2g", sum > 0 ? 100 * terms_.error() / sum : 0.0);
    const std::string ranks = problem_.filter.is_magnitude()
                                  ? "ranks " + std::to_string(terms_.x.rank) + " and " + std::to_string(terms_.y.rank)
                                  : "rank " + std::to_string(terms_.x.rank);
    return ranks + " of " + std::to_string(std::min(problem_.filter.width, problem_.filter.height)) +
           ", the weights are off by " + error + " %";
  }

 private:
  template <class F>
  void each_kernel(F&& f) const {
    dispatch(problem_.format, problem_.filter.is_magnitude(),
             [&]<class Pixel, int Sums>() { f.template operator()<Pixel>(filter_low_rank<Pixel, Sums>); });
  }

  Problem problem_;
  Shape shape_;
  Terms terms_;
  ConstantWeights taps_;
};

// What the terms left out can add, and the roundings of k passes of width + height terms each. The passes' own Σ|w| is
// that of the factors, Σₖ Σ|rowₖ| Σ|columnₖ|, which can exceed the filter's.
double low_rank_bound(const Problem& p) {
  constexpr double unit_roundoff = 0x1p-24;
  const Terms& terms = low_rank_terms(p);
  double squares = 0;
  for (const LowRankFactors* factors : {&terms.x, &terms.y}) {
    double absolute = 0;
    for (int k = 0; k < factors->rank; ++k) {
      double row = 0, column = 0;
      for (int i = 0; i < p.filter.width; ++i) row += std::abs(factors->rows[k * p.filter.width + i]);
      for (int i = 0; i < p.filter.height; ++i) column += std::abs(factors->columns[k * p.filter.height + i]);
      absolute += row * column;
    }
    const double roundings = p.filter.width + static_cast<double>(factors->rank) * p.filter.height;
    const double bound = factors->error + roundings * unit_roundoff * absolute;
    squares += bound * bound;  // |Δ sqrt(x² + y²)| ≤ sqrt(Δx² + Δy²)
  }
  return float32_sum_bound(p, 1) + std::sqrt(squares) * std::abs(p.filter.gain) * white_level(p.format);
}

}  // namespace

extern const Strategy strategy{
    .id = "low-rank",
    .title = "Low rank",
    .idea =
        "Any filter is a sum of columns times rows, largest first. Taking the first few until the error is below a "
        "quarter of a code value turns M² multiplies into 2Mk.",
    .reading = "Eckart & Young, 1936 (the best approximation of a rank); PMPP 4th ed., ch. 7.4",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = low_rank_bound,
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      const int terms = low_rank_terms(p).total(), count = terms * (p.filter.width + p.filter.height);
      if (count > max_taps)
        return "the filter needs " + std::to_string(terms) + " separable terms, " + std::to_string(count) +
               " taps; constant memory holds " + std::to_string(max_taps);
      return shared_memory_reason(shape(p, t).shared, device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<LowRankPlan>(p, t);
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const double tile_height = shape(p, t).outputs_per_thread * block_height, terms = low_rank_terms(p).total();
      const double repeated = (tile_height + p.filter.height - 1) / tile_height;  // row passes per row
      Cost cost = tiled_cost(p, tile_width, static_cast<int>(tile_height));
      cost.flop = 2 * terms * (p.filter.width * repeated + p.filter.height) * channels(p.format) * outputs(p);
      cost.shared_loads_per_output = terms * (p.filter.width * repeated + p.filter.height);
      return cost;
    },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const int count = shape(p, t).outputs_per_thread;
          KernelStep step = one_thread_per_output("filter_low_rank", tile_width, count * block_height, at.x, at.y);
          step.thread[1] %= block_height;
          step.block_size = {tile_width, block_height, 1};
          step.thread_outputs.clear();
          for (int i = 0; i < count; ++i)
            step.thread_outputs.push_back({at.x, step.outputs[0].y + i * block_height + step.thread[1], 1, 1});
          step.tile = {grown(step.outputs[0], p.filter.rx(), p.filter.ry())};
          const int terms = low_rank_terms(p).total();
          step.words = "The block loads its tile once. For each of " + std::to_string(terms) +
                       (terms == 1 ? " term" : " terms") +
                       " it filters the tile's rows into shared memory, and each thread adds the columns of its " +
                       std::to_string(count) + " outputs.";
          return Explanation{.steps = {std::move(step)},
                             .words =
                                 "The weights that are shown are the filter's; the terms that are used differ from "
                                 "them by less than a quarter of a code value in the output."};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::low_rank
