// A sum of separable passes: the singular value decomposition writes any filter as Σ columnₖ · rowₖ.
// Traffic: (T+2r)²/T² loads per output once, whatever k; 2Mk multiplies instead of M².
// Limits: pays when k is well below M/2; the tile's halo rows are filtered by every block that needs them.
#include "kernels/device/one_kernel.cuh"
#include "kernels/device/parts/output_tile.h"
#include "kernels/device/parts/wide_pixel.cuh"
#include "kernels/strategies/shared/image/low_rank_terms.h"

namespace convoscope::CONVOSCOPE_TARGET::low_rank {
namespace {

constexpr int max_taps = max_filter_weights;
constexpr int tile_width = 32;
constexpr int block_height = 8;
constexpr int max_outputs = 8;  // rows of a thread, kept in registers

__constant__ float taps[max_taps];  // for each filter, for each term: row taps, then column taps

// Block: tile_width × block_height threads for tile_width × (outputs · block_height) outputs. terms: of each filter.
template <class Pixel, int Sums>
__global__ void filter_low_rank(ImageView<const Pixel> in, ImageView<Pixel> out, int rx, int ry, int terms_x,
                                int terms_y, int outputs_per_thread, Border border, Epilogue epilogue) {
  // A thread's outputs are a block's height apart, so that the threads of a warp stay in one row.
  const int tile_height = outputs_per_thread * block_height;
  const int input_width = tile_width + 2 * rx, input_height = tile_height + 2 * ry;
  Shared<Wide<Pixel>> rows = shared_memory<Wide<Pixel>>(0, input_height * tile_width);
  Shared<Pixel> input =
      shared_memory<Pixel>(input_height * tile_width * sizeof(Wide<Pixel>), input_width * input_height);
  const int left = blockIdx.x * tile_width, top = blockIdx.y * tile_height;

  // The input, halo included, once for all terms.
  for (int j = threadIdx.y; j < input_height; j += block_height)
    for (int i = threadIdx.x; i < input_width; i += tile_width)
      input[j * input_width + i] = load_pixel(in, left - rx + i, top - ry + j, border);
  __syncthreads();

  // The sums of all terms stay in registers. The loops over them have a constant count, so that each has its own.
  Wide<Pixel> sums[max_outputs][Sums] = {};
  int tap = 0;
  CONVOSCOPE_UNROLL
  for (int s = 0; s < Sums; ++s) {
    const int terms = s == 0 ? terms_x : terms_y;
    for (int k = 0; k < terms; ++k, tap += 2 * rx + 1 + 2 * ry + 1) {
      // Along the rows, also those of the halo above and below, which the columns need.
      for (int j = threadIdx.y; j < input_height; j += block_height) {
        Wide<Pixel> sum{};
        for (int d = 0; d <= 2 * rx; ++d) add(sum, input[j * input_width + threadIdx.x + d], taps[tap + d]);
        rows[j * tile_width + threadIdx.x] = sum;
      }
      __syncthreads();  // a column needs rows of other threads
      CONVOSCOPE_UNROLL
      for (int i = 0; i < max_outputs; ++i)
        if (i < outputs_per_thread)
          for (int d = 0; d <= 2 * ry; ++d)
            add(sums[i][s], rows[(i * block_height + threadIdx.y + d) * tile_width + threadIdx.x],
                taps[tap + 2 * rx + 1 + d]);
      __syncthreads();  // before the next term's rows overwrite these
    }
  }

  // All terms are in; those of the second filter belong to the magnitude of an edge.
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

OutputTile tile_of(const Problem& p, const Tuned& tuning) {
  const int count = tuning["outputs_per_thread"], height = count * block_height;
  const std::size_t rows = height + 2 * p.filter.ry(), pitch = tile_width + 2 * p.filter.rx();
  const std::size_t pixels = rows * pitch * bytes_per_pixel(p.format);
  return {tile_width, height, static_cast<int>(pitch), rows * tile_width * wide_pixel_bytes(p.format) + pixels, count};
}

struct LowRank : OneKernel<ConstantFilter> {
  int outputs_per_thread;
  LowRankTerms terms = {};

  static constexpr const char* name = "filter_low_rank";
  void take_filter() {
    terms = low_rank_terms(problem);
    memory.set(taps_of_terms(terms, problem.filter.width, problem.filter.height), upload_to<taps>);
  }
  template <class F>
  void with_kernel(F&& f) const {
    dispatch(problem, [&]<class Pixel, int Sums>() { f(filter_low_rank<Pixel, Sums>); });
  }
  auto arguments(const Image&, const Image&) const {
    return std::tuple(problem.filter.rx(), problem.filter.ry(), terms.x.rank, terms.y.rank, outputs_per_thread,
                      problem.border, epilogue());
  }
  std::string note() const { return ranks_text(problem.filter, terms); }
};

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
      return shared_memory_reason(tile_of(p, t).shared_bytes, device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      const OutputTile tile = tile_of(p, t);
      return one_kernel_plan<LowRank>(p, launch_of(tile, p), tile.outputs);
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const double tile_height = tile_of(p, t).height, terms = low_rank_terms(p).total();
      const double repeated = (tile_height + p.filter.height - 1) / tile_height;  // row passes per row
      Cost cost = tiled_cost(p, tile_width, static_cast<int>(tile_height));
      cost.flop = 2 * terms * (p.filter.width * repeated + p.filter.height) * channels(p.format) * outputs(p);
      cost.shared_loads_per_output = terms * (p.filter.width * repeated + p.filter.height);
      return cost;
    },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const OutputTile tile = tile_of(p, t);
          KernelStep step = output_tile_step(LowRank::name, tile, at);
          step.tile = {grown(step.outputs[0], p.filter.rx(), p.filter.ry())};
          const int terms = low_rank_terms(p).total();
          step.words = "The block loads its tile once. For each of " + std::to_string(terms) +
                       (terms == 1 ? " term" : " terms") +
                       " it filters the tile's rows into shared memory, and each thread adds the columns of its " +
                       std::to_string(tile.outputs) + " outputs.";
          return Explanation{.steps = {std::move(step)},
                             .words =
                                 "The weights that are shown are the filter's; the terms that are used differ from "
                                 "them by less than a quarter of a code value in the output."};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::low_rank
