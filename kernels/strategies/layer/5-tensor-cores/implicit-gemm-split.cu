// Float32 layers on tensor cores that take float16. Idea: a number is nearly the sum of two such numbers, a high and a
// low one, and three products of these make up one of numbers; the fourth, low · low, is left out. A small kernel
// splits the input and puts its channels side by side; then the product is that of implicit-gemm-wgmma, three times as
// deep. Tensor cores cut off what they add, so a tap's sum over 64 channels is taken out of them and added in float32.
// To the weights the planes stay what they are, and one of dY meets one of X, shifted by a tap
// (split_gradient.cuh). Traffic: the input is read, written and read again as two halves, once for each 64 maps,
// and the halo of a block's rectangle. Limits: compute capability 9.0 alone; one group, stride 1; maps and channels in
// 64s; inputs up to 65,504; to the weights K = 3.
#include "kernels/strategies/shared/layer/quads.cuh"
#include "kernels/strategies/shared/layer/split_gradient.cuh"
#include "kernels/strategies/shared/layer/split_weights.cuh"
#include "kernels/strategies/shared/layer/warpgroup_launch.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_split {

namespace {

using warpgroups::best_launch, warpgroups::Factors;

constexpr Tunable tunables[] = {
    {"outputs", "Outputs of a warpgroup",
     "Outputs of an instruction, of 64 maps; a block has two warpgroups. 0: what keeps the multiprocessors busy for "
     "the shortest time",
     warpgroups::split_output_choices, 0},
};

// --- the bank ---

struct SplitBank {
  std::vector<ByteColumn> numbers;
  std::vector<float> inverse_scales;
};
SplitBank bank_of(const Problem& p, const Filter& filter) {
  const CorrelationWeights weights(p, filter);
  const std::vector<float> scales = split_scales(p, filter);
  return {warpgroups::swizzled_bank<Factors::split>(correlation_of(p),
                                                    [&](int map, int source, int tap, int product) {
                                                      const SplitWeight split =
                                                          split_weight(weights(map, source, tap),
                                                                       scales[static_cast<std::size_t>(map)]);
                                                      return product == warpgroups::low_high   ? split.for_low
                                                             : product == warpgroups::high_low ? split.low
                                                                                               : split.high;
                                                    }),
          inverse(scales)};
}

// --- the plan ---

class SplitPlan final : public Plan {
 public:
  SplitPlan(const Problem& problem, const warpgroups::Launch<Factors::split>& launch)
      : SplitPlan(problem, launch, bank_of(problem, problem.filter)) {}
  void set_filter(const Filter& filter) override {
    SplitBank bank = bank_of(problem_, filter);
    scales_.set(std::move(bank.inverse_scales));
    product_.set(filter, std::move(bank.numbers));
  }
  void prepare(Stream stream) override {
    scales_.send(stream);
    product_.send(stream);
  }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    SplitTask split = split_;
    split.in = planes_of<const float>(in[0]);
    split.out = halves_.data();
    launch(layer_split_sources<>, split.grid(), dim3(SplitTask::threads), SplitTask::shared_bytes, stream, split);

    auto task = product_.task();
    const Correlation& c = task.c;
    const std::ptrdiff_t column = split.chunks * static_cast<std::ptrdiff_t>(sizeof(uint4)), row = c.width * column;
    task.boxes =
        tensor_boxes(halves_.data(), {split.chunks * 8, c.width, c.height, 2 * c.samples, column, row, c.height * row},
                     task.halo_width, task.halo_height);
    task.out = strided<float>(out[0]);
    task.scales = scales_.data();
    task.planes = true;
    task.pairs = begins_at(planes_of<float>(out[0]), 2);
    product_.enqueue(task, stream);
  }
  std::vector<KernelInfo> kernels() const override {
    return {describe("layer_split_sources", layer_split_sources<>, split_.grid(), dim3(SplitTask::threads),
                     SplitTask::shared_bytes),
            product_.description()};
  }
  std::string note() const override {
    return "inputs and weights in two float16 numbers each, the inputs' in " + std::to_string(halves_.bytes() >> 20) +
           " MiB: three products; " + split_range("inputs") + "; " + product_.note();
  }

 private:
  SplitPlan(const Problem& problem, const warpgroups::Launch<Factors::split>& launch, SplitBank bank)
      : problem_(problem),
        split_(split_task(launch.task.c)),
        halves_(split_.count()),
        scales_(std::move(bank.inverse_scales)),
        product_(problem, launch, std::move(bank.numbers)) {}

  Problem problem_;
  SplitTask split_;
  DeviceBuffer<uint4> halves_;
  GlobalFloats scales_;
  warpgroups::ProductPlan<Factors::split> product_;
};

class SplitGradientPlan final : public Plan {
 public:
  SplitGradientPlan(const Problem& problem, const Device& device) : gradient_(problem, device.multiprocessors) {}
  void set_filter(const Filter&) override {}
  void prepare(Stream) override {}
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    gradient_.enqueue(in, out[0], stream);
  }
  std::vector<KernelInfo> kernels() const override { return gradient_.descriptions(); }
  std::string note() const override {
    return "inputs and gradients in two float16 numbers each, in " + std::to_string(gradient_.bytes() >> 20) +
           " MiB: three products; " + split_range("numbers") + "; " + std::to_string(gradient_.parts()) +
           " parts of the positions";
  }

 private:
  SplitGradient gradient_;
};

// --- what it says of itself ---

std::string gradient_reason(const Problem& p, const Device& device) {
  if (p.filter.width != GradientTile::filter)
    return "To the weights three warpgroups have three taps each, 3 × 3; here K is " + std::to_string(p.filter.width);
  const LayerExtents e = layer_extents(p);
  if (std::string reason = grid_reason(dim3(1, std::max(e.channels, e.maps) * e.samples)); !reason.empty())
    return reason;
  if (std::string reason = shared_memory_reason(GradientTile::shared_bytes, device); !reason.empty()) return reason;
  const GradientLaunch launch = gradient_launch(e, device.multiprocessors);
  const double rows =
      1.0 * e.samples * (1.0 * GradientTile::filter * e.channels * e.height + 1.0 * e.maps * e.out_height);
  return memory_reason(2 * sizeof(Half) * rows * launch.task.pitch + PartialSums::bytes(p, launch.parts), device,
                       "The halves of the inputs and the parts' sums");
}

std::string unsupported(const Problem& p, const Device& device, const Tuned& t) {
  if (std::string reason = float_planes_reason(p); !reason.empty()) return reason;
  if (std::string reason = warpgroups::reason_of<Factors::split>(p, device, t["outputs"]); !reason.empty())
    return reason;
  if (p.layer.pass == Pass::to_weights) return gradient_reason(p, device);
  const SplitTask split = split_task(correlation_of(p));
  if (std::string reason = grid_reason(split.grid()); !reason.empty()) return reason;
  return memory_reason(1.0 * sizeof(uint4) * static_cast<double>(split.count()), device, "The halves of the inputs");
}

// To the weights a sum over 64 positions ends in the tensor cores, see below; then as many are added as a part has
// steps, and the parts. Of the products what halves miss, of X and of dY, and low · low. A plain sum of 538 rows of 958
// has 1,496 roundings, this one 434.
double gradient_bound(const Problem& p) {
  const int steps = gradient_launch(layer_extents(p), 1).task.steps(), most = GradientLaunch::most_steps,
            parts = std::max(ceil_div(steps, most), std::min(steps, GradientLaunch::most_parts));
  return float32_sum_bound(p, 2 * (64 + 4) + 1 + std::min(steps, most) + PartialSums::roundings(parts)) +
         split_sums_bound(p);
}

// Tensor cores line an instruction's products and the sum so far up with the largest of them and cut off what is below
// 2^-23 of it (words.cuh), which is two roundings. A tap's sum over 64 channels ends there: 4 instructions with
// 17 numbers each, 136 roundings of its own Σ|w·x|. The 8 instructions before them add the small products, 2^-10 of
// that together, and lose less than one. Then every such sum is rounded where it is added: K²·⌈C/64⌉ times. With 64
// channels and 3 × 3 taps that makes 146 roundings, and what is missed 8 more at most (2 of inputs, 2 of weights, 4 of
// low · low); a plain float32 sum of these 576 products has 576, with 256 channels 2,304 for 173. Below some 150
// products this bound is the larger one: 138 for K = 1 and 64 channels, which have 64.
double tolerance(const Problem& p) {
  if (p.layer.pass == Pass::to_weights) return gradient_bound(p);
  const Correlation c = correlation_of(p);
  const int deep = std::min(c.sources, 64), instructions = ceil_div(deep, 16);
  return float32_sum_bound(p, 2 * (deep + instructions) + 1 + c.filter * c.filter * ceil_div(c.sources, 64)) +
         split_bound(p);
}

Cost gradient_cost(const Problem& p) {
  Cost cost = direct_cost(p);
  const GradientLaunch launch = gradient_launch(layer_extents(p), warpgroups::modelled.multiprocessors);
  const LayerExtents& e = launch.task.e;
  const double steps = 1.0 * launch.tiles * launch.task.steps(), made = steps * 64 * 64 * 64 * GradientTile::taps * 3,
               numbers = 1.0 * e.samples * launch.task.pitch *
                         (GradientTile::filter * e.channels * e.height + e.maps * e.out_height);
  cost.on_matrix_units = true;
  cost.flop = 2 * made;
  cost.dram_bytes += 4 * sizeof(Half) * numbers;
  cost.global_loads_per_output = (numbers + steps * 64 * 64 * (1 + GradientTile::taps)) / outputs(p);
  cost.global_stores_per_output = 1 + launch.parts + numbers / outputs(p);
  cost.shared_loads_per_output = made / 32 / outputs(p);
  return cost;
}

Cost model(const Problem& p, const Tuned& t) {
  if (p.layer.pass == Pass::to_weights) return gradient_cost(p);
  Cost cost = warpgroups::cost_of<Factors::split>(p, t["outputs"]);
  const SplitTask split = split_task(correlation_of(p));
  const double numbers = 8.0 * static_cast<double>(split.count());  // a source as two of two bytes
  cost.tile_width = cost.tile_height = 0;  // a block holds halves of what the first kernel leaves
  cost.dram_bytes += 2 * sizeof(Half) * numbers;
  cost.global_loads_per_output += numbers / 2 / outputs(p);
  cost.global_stores_per_output += numbers / 2 / outputs(p);
  cost.shared_loads_per_output += numbers / 2 / outputs(p);
  return cost;
}

Explanation explain(const Problem& p, const Device& device, const Tuned& t, const OutputIndex& at) {
  if (!is_explained(p)) return explain_weights_pass();
  const Correlation c = correlation_of(p);
  const MatrixProduct product = unrolled_product(c, at);
  const auto number = [](int i) { return std::to_string(i); };
  const KernelStep step = step_of(best_launch<Factors::split>(p, device, t["outputs"]), at);
  Explanation said = explain_from_window(c, step, product);
  said.words =
      "Every input is split in two float16 numbers, a high and a low one, which a first kernel puts channel by "
      "channel into a buffer; so is the bank. " +
      said.steps[0].words + " Each of these is three of halves, low · high, high · low and high · high. Block " +
      number(step.block[0]) + " makes them for the " + number(step.outputs[0].width) + " × " +
      number(step.outputs[0].height) + " outputs from (" + number(step.outputs[0].x) + ", " +
      number(step.outputs[0].y) + ") on and " + number(static_cast<int>(step.output_planes.size())) +
      " maps; a tap's sum over 64 channels is added in float32, in registers of thread " + number(step.thread[0]) +
      ", which stores it.";
  said.steps.clear();
  return said;
}

}  // namespace

extern const Strategy strategy{
    .id = "implicit-gemm-split",
    .title = "Implicit GEMM, split fp16",
    .idea =
        "Tensor cores multiply float16, which has 11 bits where float32 has 24: every input and weight becomes the sum "
        "of two float16 numbers, and three products of these, summed in float32, make up one. The products are those "
        "of warpgroups, with the channels of a pixel side by side, where a first kernel puts them.",
    .reading =
        "PTX ISA, wgmma.mma_async; Ootomo & Yokota, Recovering Single Precision Accuracy from Tensor Cores, 2022; Fasi "
        "et al., Numerical Behavior of NVIDIA Tensor Cores, 2021",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = tolerance,
    .refuses = unsupported,
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      if (p.layer.pass == Pass::to_weights) return std::make_unique<SplitGradientPlan>(p, device);
      return std::make_unique<SplitPlan>(p, best_launch<Factors::split>(p, device, t["outputs"]));
    },
    .costs = model,
    .explains = explain,
    .kind = &layer_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_split
