// Several outputs of many maps in one thread's registers. Idea: a thread makes 2, 4 or 8 outputs, one below the other,
// of 3, 8 or 16 maps. An element of the input that it has loaded goes into all maps and all outputs that it touches;
// the bank comes from constant memory, as an operand of the product itself. To the input the same with the bank turned
// about. To the weights a thread keeps the gradients of a few maps and channels while it walks down a strip.
// Traffic: (R+K−1)·K loads of each channel for R outputs of all the thread's maps, nearly all from L1.
// Limits: 64 KB of constant memory; loops unrolled for K = 3, 5 and 7, stride and dilation 1, else a slower path.
#include "kernels/strategies/shared/layer/correlation.cuh"
#include "kernels/strategies/shared/layer/explain.cuh"
#include "kernels/strategies/shared/layer/weight_sums.cuh"
#include "kernels/text/number_text.h"

namespace convoscope::CONVOSCOPE_TARGET::layer::register_tile {

namespace {

__constant__ float bank[max_filter_weights];
ConstantOwner bank_owner;

constexpr int block_threads = 128;

// A multiprocessor's first constant cache holds some 2 KB. Of a larger bank, warps at channels far apart would evict
// each other's weights, so the block's warps wait for each other.
constexpr int few_weights = 512;

// The filters of one launch as an argument of the kernel: all indices are known when it is compiled, so that a weight
// is an operand of its product, without an instruction of its own.
template <int Count>
struct Operands {
  float weight[Count];
};

// The thread's outputs: from (x, y) down, of the first filters of the chunk.
template <int Rows, int Maps>
struct Tile {
  int group, member, sample, x, y;
  float sums[Rows][Maps] = {};

  __device__ Tile(const Correlation& c, int chunk, int n) : sample(n) {
    const int chunks = ceil_div(c.group_targets(), Maps);
    group = chunk / chunks, member = chunk % chunks * Maps;
    x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) * Rows;
  }
  __device__ const float* source(const Planes<const float>& in, const Correlation& c, int row, int column) const {
    return in.at(sample * c.sources + group * c.group_sources(), row) + column;
  }
  __device__ void store(const Planes<float>& out, const Correlation& c, const LayerEpilogue& epilogue,
                        bool forward) const {
    if (x >= c.out_width) return;
    const int first = group * c.group_targets() + member;
    float* at = out.at(sample * c.targets + first, y) + x;
    CONVOSCOPE_UNROLL
    for (int m = 0; m < Maps; ++m, at += out.plane) {
      if (member + m >= c.group_targets()) break;
      CONVOSCOPE_UNROLL
      for (int row = 0; row < Rows; ++row)
        if (y + row < c.out_height)
          at[row * out.row] = forward ? epilogue.finish(sums[row][m], first + m) : sums[row][m];
    }
  }
};

// Grid: columns, rows, and in z chunks of maps × samples, so that blocks at work together read the same weights.
// K = 0: any filter, stride and dilation, one output.
template <int K, int Rows, int Maps>
__global__ void __launch_bounds__(block_threads, 4)
    layer_register_tile(Planes<const float> in, Planes<float> out, Correlation c, LayerEpilogue epilogue, int forward) {
  const int chunk = static_cast<int>(blockIdx.z) / c.samples;
  Tile<Rows, Maps> tile(c, chunk, static_cast<int>(blockIdx.z) % c.samples);
  const bool together = c.group_sources() * c.filter * c.filter * Maps > few_weights;
  const auto sum = [&](const float* source, auto add) {
    const int taps = c.filter * c.filter;
    int first = chunk * c.group_sources() * taps * Maps;
    CONVOSCOPE_KEEP_LOOP
    for (int s = 0; s < c.group_sources(); ++s, source += in.plane, first += taps * Maps) {
      if (together) __syncthreads();
      add(source, [first](int tap, int map) { return bank[first + tap * Maps + map]; });
    }
  };
  if constexpr (K == 0) {
    sum(tile.source(in, c, 0, 0), [&](const float* source, auto weight) {
      add_source_anyhow(tile.sums, source, in.row, tile.y, tile.x, c, weight);
    });
  } else {
    const int top = tile.y - c.padding, left = tile.x - c.padding;
    const float* const first = tile.source(in, c, top, left);
    if (block_inside<K, Rows>(c))
      sum(first, [&](const float* source, auto weight) {
        add_source<K, true>(tile.sums, source, in.row, top, left, c.height, c.width, weight);
      });
    else
      sum(first, [&](const float* source, auto weight) {
        add_source<K, false>(tile.sums, source, in.row, top, left, c.height, c.width, weight);
      });
  }
  tile.store(out, c, epilogue, forward);
}

// One chunk of maps of so few sources that the loop over them is unrolled too.
template <int K, int Sources, int Rows, int Maps>
__global__ void __launch_bounds__(block_threads, 4)
    layer_register_tile_operands(Planes<const float> in, Planes<float> out, Correlation c, LayerEpilogue epilogue,
                                 int forward, int chunk, Operands<Sources * K * K * Maps> filters) {
  Tile<Rows, Maps> tile(c, chunk, static_cast<int>(blockIdx.z));
  const int top = tile.y - c.padding, left = tile.x - c.padding;
  const bool inside = block_inside<K, Rows>(c);
  const float* source = tile.source(in, c, top, left);
  CONVOSCOPE_UNROLL
  for (int s = 0; s < Sources; ++s, source += in.plane) {
    const auto weight = [&](int tap, int map) { return filters.weight[(s * K * K + tap) * Maps + map]; };
    if (inside)
      add_source<K, true>(tile.sums, source, in.row, top, left, c.height, c.width, weight);
    else
      add_source<K, false>(tile.sums, source, in.row, top, left, c.height, c.width, weight);
  }
  tile.store(out, c, epilogue, forward);
}

constexpr int row_choices[] = {0, 2, 4, 8}, map_choices[] = {0, 3, 8, 16}, widths[] = {32, 64, 128},
              no_or_yes[] = {0, 1};
constexpr Tunable tunables[] = {
    {"rows", "Outputs", "Outputs of a thread, one below the other. 0: as many as its maps leave registers for",
     row_choices, 0},
    {"maps", "Maps", "Maps (to the input: channels) of a thread. 0: 3 or 8 if there are no more, otherwise 16",
     map_choices, 0},
    {"block_width", "Block width", "Threads along a row, of the 128 of a block", widths, 32},
    {"operands", "Operands",
     "1: where 16 maps of three channels have 3 × 3 weights, one launch for each 16 maps, whose weights are operands "
     "of the products; 0: as in all other cases",
     no_or_yes, 1},
    strip_rows_tunable,
};

int maps_of(const Problem& p, const Tuned& t) {
  if (!unrolled(p)) return 8;
  const int chosen = t["maps"], targets = correlation_of(p).group_targets();
  if (chosen) return chosen;
  const int most = p.filter.width == 7 ? 8 : 16;
  return targets <= 3 ? 3 : targets <= 8 ? 8 : most;
}

int rows_of(const Problem& p, const Tuned& t) {
  if (!unrolled(p)) return 1;
  if (const int chosen = t["rows"]) return chosen;
  if (p.filter.width == 7) return maps_of(p, t) == 16 ? 2 : 4;
  return maps_of(p, t) == 3 ? 8 : 4;
}

// Those for which the kernel with operands is built.
constexpr int operand_size = 3, operand_sources = 3, operand_maps = 16;
bool by_operands(const Problem& p, const Tuned& t) {
  return t["operands"] != 0 && unrolled(p) && p.filter.width == operand_size &&
         correlation_of(p).group_sources() == operand_sources && maps_of(p, t) == operand_maps;
}

LaunchShape launch_of(const Problem& p, const Tuned& t) {
  const Correlation c = correlation_of(p);
  const int across = t["block_width"], down = block_threads / across;
  const int chunks = c.groups * ceil_div(c.group_targets(), maps_of(p, t));
  return {dim3(ceil_div(c.out_width, across), ceil_div(c.out_height, down * rows_of(p, t)),
               (by_operands(p, t) ? 1 : chunks) * c.samples),
          dim3(across, down)};
}

using Kernel = void (*)(Planes<const float>, Planes<float>, Correlation, LayerEpilogue, int);

template <int K>
Kernel kernel_for(int rows, int maps) {
  if (maps == 16) return rows == 2 ? layer_register_tile<K, 2, 16> : layer_register_tile<K, 4, 16>;
  if (maps == 8) return rows == 2 ? layer_register_tile<K, 2, 8> : layer_register_tile<K, 4, 8>;
  return rows == 2   ? layer_register_tile<K, 2, 3>
         : rows == 4 ? layer_register_tile<K, 4, 3>
                     : layer_register_tile<K, 8, 3>;
}

Kernel kernel_of(const Problem& p, const Tuned& t) {
  const int rows = rows_of(p, t), maps = maps_of(p, t);
  if (!unrolled(p)) return layer_register_tile<0, 1, 8>;
  return p.filter.width == 3   ? kernel_for<3>(rows, maps)
         : p.filter.width == 5 ? kernel_for<5>(rows, maps)
                               : kernel_for<7>(rows, maps);
}

using ChunkOperands = Operands<operand_sources * operand_size * operand_size * operand_maps>;
using OperandsKernel = void (*)(Planes<const float>, Planes<float>, Correlation, LayerEpilogue, int, int,
                                ChunkOperands);
OperandsKernel operands_kernel_of(const Problem& p, const Tuned& t) {
  if (!by_operands(p, t)) return nullptr;
  return rows_of(p, t) == 2 ? layer_register_tile_operands<operand_size, operand_sources, 2, operand_maps>
                            : layer_register_tile_operands<operand_size, operand_sources, 4, operand_maps>;
}

class RegisterTilePlan final : public Plan {
 public:
  RegisterTilePlan(const Problem& problem, const Tuned& tuning)
      : problem_(problem),
        correlation_(correlation_of(problem)),
        maps_(maps_of(problem, tuning)),
        launch_(launch_of(problem, tuning)),
        kernel_(kernel_of(problem, tuning)),
        operands_kernel_(operands_kernel_of(problem, tuning)),
        biases_(problem) {
    RegisterTilePlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    biases_.set(filter);
    const std::vector<float> weights = chunked_bank(problem_, filter, maps_);
    if (!operands_kernel_) return weights_.set(weights);
    operands_.resize(weights.size() / std::size(ChunkOperands{}.weight));
    const float* weight = weights.data();
    for (ChunkOperands& chunk : operands_)
      for (float& operand : chunk.weight) operand = *weight++;
  }
  void prepare(Stream stream) override {
    biases_.send(stream);
    if (!operands_kernel_) weights_.upload(bank, bank_owner, stream);
  }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    if (!operands_kernel_) weights_.expect_in_place();
    const auto from = planes_of<const float>(in[0]);
    const auto to = planes_of<float>(out[0]);
    const int forward = problem_.layer.pass == Pass::forward;
    if (!operands_kernel_)
      return launch(kernel_, launch_.grid, launch_.block, 0, stream, from, to, correlation_, biases_.epilogue(),
                    forward);
    for (std::size_t chunk = 0; chunk < operands_.size(); ++chunk)
      launch(operands_kernel_, launch_.grid, launch_.block, 0, stream, from, to, correlation_, biases_.epilogue(),
             forward, static_cast<int>(chunk), operands_[chunk]);
  }
  std::vector<KernelInfo> kernels() const override {
    if (!operands_kernel_)
      return weights_.described({describe("layer_register_tile", kernel_, launch_.grid, launch_.block, 0)});
    return std::vector(operands_.size(),
                       describe("layer_register_tile_operands", operands_kernel_, launch_.grid, launch_.block, 0));
  }

 private:
  Problem problem_;
  Correlation correlation_;
  int maps_;
  LaunchShape launch_;
  Kernel kernel_;
  OperandsKernel operands_kernel_;  // null where it is not built
  LayerBiases biases_;
  ConstantWeights weights_;
  std::vector<ChunkOperands> operands_;
};

// The bank in chunks of so many maps, zeros included.
std::string bank_reason(const Problem& p, int maps) {
  const Correlation c = correlation_of(p);
  const double count =
      1.0 * c.groups * ceil_div(c.group_targets(), maps) * maps * c.group_sources() * c.filter * c.filter;
  if (count <= max_filter_weights) return {};
  return rounded_text(count, 9) + " weights (in chunks of " + std::to_string(maps) + " maps) do not fit in the 64 KB " +
         "of constant memory; the most is " + std::to_string(max_filter_weights);
}

std::string unsupported(const Problem& p, const Device& device, const Tuned& t) {
  if (std::string reason = float_planes_reason(p); !reason.empty()) return reason;
  if (p.layer.pass == Pass::to_weights) return weight_sums_reason(p, device, many_weight_sums(p), t["strip_rows"]);
  const int rows = rows_of(p, t), maps = maps_of(p, t), width = t["block_width"];
  const auto among = [](int value, std::span<const int> choices) { return std::ranges::count(choices, value) > 0; };
  if (!among(width, widths))
    return "A block of " + std::to_string(width) + " columns is not built: choose 32, 64 or 128";
  if (unrolled(p) && (!among(rows, row_choices) || !among(maps, map_choices) || (rows == 8 && maps != 3)))
    return std::to_string(rows) + " outputs of " + std::to_string(maps) +
           " maps do not fit in registers: 2 or 4 outputs of 3, 8 or 16 maps do, and 8 outputs of 3 maps";
  if (std::string reason = bank_reason(p, maps); !reason.empty() && !by_operands(p, t)) return reason;
  return grid_reason(launch_of(p, t).grid);
}

Cost model(const Problem& p, const Tuned& t) {
  if (p.layer.pass == Pass::to_weights) return weight_sums_cost(p, many_weight_sums(p));
  Cost cost = direct_cost(p);
  const double rows = rows_of(p, t), maps = std::min(maps_of(p, t), correlation_of(p).group_targets());
  if (unrolled(p)) cost.global_loads_per_output *= (rows + p.filter.width - 1) / (rows * p.filter.width);
  cost.global_loads_per_output /= maps;
  return cost;
}

Explanation explain(const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
  if (!is_explained(p)) return explain_weights_pass();
  const Correlation c = correlation_of(p);
  const int maps = maps_of(p, t), group = at.channel / c.group_targets(),
            member = at.channel % c.group_targets() / maps * maps,
            chunk = group * ceil_div(c.group_targets(), maps) + member / maps;
  KernelStep step = explain_rows_below(by_operands(p, t) ? "layer_register_tile_operands" : "layer_register_tile", c,
                                       launch_of(p, t).block, rows_of(p, t), at);
  step.block[2] = by_operands(p, t) ? at.sample : chunk * c.samples + at.sample;
  step.output_planes = step.thread_planes =
      target_planes(c, at.sample, group * c.group_targets() + member, std::min(maps, c.group_targets() - member));
  step.direct = explain_sliding(c, unrolled(p), step.outputs[0]);
  step.words = "Each thread makes " + std::to_string(rows_of(p, t)) + " outputs, one below the other, of " +
               std::to_string(step.output_planes.size()) +
               " planes at once: an input that it has loaded goes into all of them. For each it adds " +
               products_text(c) + ".";
  return {.steps = {std::move(step)}, .words = {}, .launches_before = by_operands(p, t) ? chunk : 0};
}

}  // namespace

extern const Strategy strategy{
    .id = "register-tile",
    .title = "Register tile",
    .idea =
        "A thread makes several outputs, one below the other, of up to 16 maps at once: what it has loaded goes into "
        "all of them, and the bank comes from constant memory. To the weights it keeps gradients in registers while it "
        "walks down a strip.",
    .reading = "PMPP 4th ed., ch. 6.3 (thread coarsening) and 16.3",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = sums_or_strips_bound,
    .refuses = unsupported,
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      if (p.layer.pass != Pass::to_weights) return std::make_unique<RegisterTilePlan>(p, t);
      return std::make_unique<WeightSumsPlan>(p, device, many_weight_sums(p), t["strip_rows"]);
    },
    .costs = model,
    .explains = explain,
    .kind = &layer_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::register_tile
