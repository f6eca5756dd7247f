// Float32 layers of few channels on tensor cores that take float16, such as the first ones of a network that eats
// video. Idea: a number is nearly the sum of two such numbers, a high and a low one, and three products of these make
// up one of numbers; the fourth, low · low, is left out. Warps walk down strips of outputs; each lane splits the inputs
// that it multiplies and keeps its share of the bank, both parts of it, in registers. With up to 4 channels and K = 3,
// where most of the work is writing, outputs leave through shared memory, whole rows of a block at a time
// (split_window.cuh). To the weights dY is a matrix, and what lies above it of X another (split_sums.cuh).
// Traffic: an input once for each 16 or 64 maps, and the rows and columns between strips. Limits: one group, stride and
// dilation 1; forward and to the input up to 4 channels with K = 3, 5 or 7, up to 16 with K = 3; inputs up to 65,504.
#include "kernels/device/capability.h"
#include "kernels/strategies/shared/layer/held_window.cuh"
#include "kernels/strategies/shared/layer/split_bank.cuh"
#include "kernels/strategies/shared/layer/split_strips.cuh"
#include "kernels/strategies/shared/layer/split_sums.cuh"
#include "kernels/strategies/shared/layer/split_window_plan.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::strips_split {

namespace {

constexpr int row_choices[] = {0, 16, 32, 48, 64, 96, 128};
constexpr Tunable tunables[] = {{"rows", "Rows of a strip",
                                 "Rows of outputs that a warp makes, one after the other. 0: what keeps the "
                                 "multiprocessors busy for the shortest time",
                                 row_choices, 0}};

StripsLaunch launch_of(const Correlation& c, const Device& device, int rows) {
  return with_strip_tile(
      c, [&]<class Tile>() { return strips_launch_of<Tile>(c, std::min(64, c.targets), device, rows); });
}

// The bank as lanes hold it: of each group of maps, row, 8 maps, word and part one of each lane.
std::vector<unsigned> bank_of(const Problem& p, const Filter& filter, int groups) {
  const Correlation c = correlation_of(p);
  const CorrelationWeights weights(p, filter);
  const std::vector<float> scales = split_scales(p, filter);
  return with_strip_tile(c, [&]<class Tile>() {
    std::vector<unsigned> bank;
    const auto number = [&](int map, int row, int i, int part) -> unsigned {
      const int source = Tile::source_of(i);
      if (map >= c.targets || source >= c.sources) return 0;
      const SplitWeight split =
          split_weight(weights(map, source, row * c.filter + Tile::tap_of(i)), scales[static_cast<std::size_t>(map)]);
      return part == 0 ? split.high : split.scaled_low;
    };
    for (int group = 0; group < groups; ++group)
      for (int row = 0; row < Tile::filter; ++row)
        for (int column = 0; column < Tile::columns; ++column)
          for (int word = 0; word < Tile::words; ++word)
            for (int part = 0; part < Tile::parts; ++part)
              for (int lane = 0; lane < 32; ++lane) {
                const int map = group * Tile::maps +
                                implicit_gemm_tensor::MapOrder<Tile::maps>::map_of(column * 8 + lane / 4),
                          t = lane % 4;
                bank.push_back(number(map, row, Tile::number(t, word, 0), part) |
                               number(map, row, Tile::number(t, word, 1), part) << 16);
              }
    return bank;
  });
}

class StripsPlan final : public SplitBankPlan {
 public:
  StripsPlan(const Problem& problem, const StripsLaunch& launch)
      : SplitBankPlan(problem, [problem, groups = launch.map_tiles * launch.map_groups](
                                   const Filter& filter) { return bank_of(problem, filter, groups); }),
        launch_(launch) {}
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    const StripsTask task{planes_of<const float>(in[0]),
                          planes_of<float>(out[0]),
                          correlation_,
                          biases_.epilogue(),
                          scales_.data(),
                          problem_.layer.pass == Pass::forward,
                          launch_.rows,
                          launch_.map_groups,
                          bank_.data()};
    with_strip_tile(correlation_, [&]<class Tile>() {
      launch(layer_split_strips<Tile>, launch_.grid, dim3(Tile::threads), 0, stream, task);
    });
  }
  std::vector<KernelInfo> kernels() const override {
    return with_strip_tile(correlation_, [&]<class Tile>() -> std::vector<KernelInfo> {
      return {describe("layer_split_strips", layer_split_strips<Tile>, launch_.grid, dim3(Tile::threads), 0)};
    });
  }
  std::string note() const override { return note_of_strips(launch_.rows); }

 private:
  StripsLaunch launch_;
};

// --- what it says of itself ---

std::string unsupported(const Problem& p, const Device& device, const Tuned& t) {
  if (std::string reason = float_planes_reason(p); !reason.empty()) return reason;
  const Correlation c = correlation_of(p);
  if (c.groups > 1) return "A lane has numbers of all channels, and here are " + std::to_string(c.groups) + " groups";
  if (!unrolled(p))
    return "The loops over the taps are unrolled for K = 3, 5 and 7 with stride and dilation 1; here K is " +
           std::to_string(c.filter) + ", the stride " + std::to_string(p.layer.stride) + " and the dilation " +
           std::to_string(c.dilation);
  if (device.usable_capability() < 80)
    return "The registers are those that matrix instructions of compute capability 8.0 take; " +
           capability_at_hand(device);
  if (p.layer.pass == Pass::to_weights) return sums_reason(p, device);
  if (const int most = c.filter == 3 ? most_channels : most_few_channels; c.sources > most)
    return "The bank is in registers, which have room for filters of " + std::to_string(c.filter) + " × " +
           std::to_string(c.filter) + " over " + std::to_string(most) + " planes; here are " +
           std::to_string(c.sources);
  const int rows = t["rows"];
  if (!std::ranges::count(row_choices, rows))
    return "Strips of " + std::to_string(rows) + " rows are not offered: choose 16, 32, 48, 64, 96 or 128";
  if (!by_windows(c)) return grid_reason(launch_of(c, device, rows).grid);
  for (const Reach reach : {Reach::quads, Reach::pairs})
    if (std::string reason = grid_reason(split_window_launch(c, reach, device, rows).grid); !reason.empty())
      return reason;
  return {};
}

// Tensor cores line an instruction's products and the sum so far up with the largest of them and cut off what is below
// 2^-23 of it (words.cuh), which is two roundings for each product that is not zero and for the sum. A row of
// taps ends there: C·K products, which is 48 at most, in as many instructions as they fill; those before them add the
// small products, 2^-10 of that together, and lose less than one. Then K such sums are rounded where they are added.
// With 3 channels that makes 24 roundings for K = 3 and 54 for K = 7, and what is missed 8 more at most (2 of inputs, 2
// of weights, 4 of low · low); a plain float32 sum has 27 and 147, with 16 channels and K = 3 144 for 106.
double tolerance(const Problem& p) {
  if (!unrolled(p)) return float32_sum_bound(p, layer_roundings(p));
  if (p.layer.pass == Pass::to_weights) return sums_bound(p);
  const Correlation c = correlation_of(p);
  const int products = c.sources * c.filter, instructions = c.sources > most_few_channels ? c.filter : 2;
  return float32_sum_bound(p, 2 * (products + instructions) + 1 + c.filter) + split_bound(p);
}

// Costs are those of a large device, whatever there is.
const Device modelled{.compute_capability = 90, .multiprocessors = 132};

Cost model(const Problem& p, const Tuned& t) {
  Cost cost = direct_cost(p);
  if (!unrolled(p)) return cost;
  if (p.layer.pass == Pass::to_weights) return sums_cost(p, modelled);
  cost.on_matrix_units = true;
  const Correlation c = correlation_of(p);
  if (by_windows(c)) return window_cost(p, modelled, t["rows"]);
  const StripsLaunch launch = launch_of(c, modelled, t["rows"]);
  with_strip_tile(c, [&]<class Tile>() {
    const double warps = 1.0 * launch.grid.x * launch.grid.y * launch.grid.z * Tile::warps,
                 rows = warps * (launch.rows + c.filter - 1);
    constexpr int instructions = Tile::filter * ((Tile::words + 1) / 2) * 3;
    cost.flop = 2 * rows * Tile::width * Tile::maps * 16 * instructions;
    cost.global_loads_per_output = rows * Tile::width * 4 * 2 * Tile::words / outputs(p);
    cost.weight_loads_per_output = warps * Tile::bank_words / outputs(p);
    cost.shared_loads_per_output = 0;
  });
  return cost;
}

Explanation explain(const Problem& p, const Device& device, const Tuned& t, const OutputIndex& at) {
  if (!is_explained(p)) return explain_weights_pass();
  const Correlation c = correlation_of(p);
  const MatrixProduct product = unrolled_product(c, at);
  if (by_windows(c)) return explain_window(c, device, t["rows"], product, at);
  const StripsLaunch launch = launch_of(c, device, t["rows"]);
  KernelStep step = with_strip_tile(c, [&]<class Tile>() { return explain_strips_of<Tile>(c, launch, product, at); });
  step.kernel = "layer_split_strips";
  step.words =
      " U is nowhere: each warp walks down a strip, without shared memory, and multiplies what it sees of a row with "
      "all rows of the bank. Each number is two float16 numbers: low · high, high · low and high · high. ";
  return explain_from_window(c, step, product);
}

}  // namespace

extern const Strategy strategy{
    .id = "strips-split",
    .title = "Strips, split fp16",
    .idea =
        "Tensor cores multiply float16, which has 11 bits where float32 has 24: every input and weight becomes the sum "
        "of two float16 numbers, and three products of these make up one. With few channels more is read and written "
        "than multiplied, so warps walk down strips, and bank, inputs and sums stay in their registers.",
    .reading =
        "PTX ISA, mma.m16n8k16; Ootomo & Yokota, Recovering Single Precision Accuracy from Tensor Cores, 2022; Fasi "
        "et al., Numerical Behavior of NVIDIA Tensor Cores, 2021",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = tolerance,
    .refuses = unsupported,
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      if (p.layer.pass == Pass::to_weights) return std::make_unique<SplitSumsPlan>(p, device);
      const Correlation c = correlation_of(p);
      const int rows = t["rows"];
      if (by_windows(c)) return std::make_unique<WindowPlan>(p, device, rows);
      return std::make_unique<StripsPlan>(p, launch_of(c, device, rows));
    },
    .costs = model,
    .explains = explain,
    .kind = &layer_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::strips_split
