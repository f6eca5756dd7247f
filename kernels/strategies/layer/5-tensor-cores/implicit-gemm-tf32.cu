// Layers in tf32 on tensor cores that take float16. Idea: tf32 and float16 both have 11 significant bits; tf32 has only
// the wider exponent. So a first kernel rounds the inputs to tf32 and stores them as float16, which loses nothing where
// exponents fit, at half the bytes and for instructions of twice the rate. Where exponents do not fit, a power of two
// for all inputs brings them there (rounded_sources.cuh), and one for each map its weights. That kernel also puts
// channels side by side; then the product is that of implicit-gemm-wgmma, or to the weights a sum over pixels
// (pixels_product.cuh), and the powers are taken out of the sums again. Traffic: the input is read, written as halves
// and read again once for each 64 maps, with the halo of a block's rectangle. Limits: compute capability 9.0 alone;
// tf32, one group, stride 1; maps and channels in 64s; to the weights K = 3; inputs 2^40 times smaller than the largest
// are lost.
#include "kernels/contract/data/half.h"
#include "kernels/contract/theory/type_rounding.h"
#include "kernels/strategies/shared/layer/pixels_product.cuh"
#include "kernels/strategies/shared/layer/quads.cuh"
#include "kernels/strategies/shared/layer/rounded_sources.cuh"
#include "kernels/strategies/shared/layer/split_weights.cuh"
#include "kernels/strategies/shared/layer/warpgroup_launch.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_tf32 {

namespace {

using warpgroups::best_launch, warpgroups::Factors;

constexpr Tunable tunables[] = {
    {"outputs", "Outputs of a warpgroup",
     "Outputs of an instruction, of 64 maps; a block has two warpgroups. 0: what keeps the multiprocessors busy for "
     "the shortest time",
     warpgroups::output_choices, 0},
};

// --- the bank ---

struct RoundedBank {
  std::vector<ByteColumn> numbers;
  std::vector<float> inverse_scales;
};
RoundedBank rounded_bank(const Problem& p, const Filter& filter) {
  const CorrelationWeights weights(p, filter);
  const std::vector<float> scales = split_scales(p, filter);
  std::vector<ByteColumn> numbers =
      warpgroups::swizzled_bank<Factors::rounded>(correlation_of(p), [&](int map, int source, int tap, int) {
        return to_half(round_to_tf32(weights(map, source, tap)) * scales[static_cast<std::size_t>(map)]);
      });
  return {std::move(numbers), inverse(scales)};
}

// --- the plans ---

std::string said_of_halves(const RoundedTensors& tensors) {
  return "rounded to 11 bits and stored as float16 in " + std::to_string(tensors.bytes() >> 20) +
         " MiB, times a power of two where they exceed 65504 or none reaches 2^-6";
}

class RoundedPlan final : public Plan {
 public:
  RoundedPlan(const Problem& problem, const Device& device, const warpgroups::Launch<Factors::rounded>& launch)
      : RoundedPlan(problem, device, launch, rounded_bank(problem, problem.filter)) {}
  void set_filter(const Filter& filter) override {
    RoundedBank bank = rounded_bank(problem_, filter);
    scales_.set(std::move(bank.inverse_scales));
    product_.set(filter, std::move(bank.numbers));
  }
  void prepare(Stream stream) override {
    scales_.send(stream);
    product_.send(stream);
  }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    rounded_.enqueue(in, stream);
    auto task = product_.task();
    task.boxes = rounded_.boxes(0, task.halo_width, task.halo_height);
    task.out = strided<float>(out[0]);
    task.scales = scales_.data();
    task.source_scale = rounded_.inverse(0);
    task.planes = problem_.layer.layout == Layout::nchw;
    task.pairs =
        task.planes ? begins_at(planes_of<float>(out[0]), 2) : implicit_gemm_tensor::aligned(out[0], 2 * sizeof(float));
    product_.enqueue(task, stream);
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos = rounded_.descriptions();
    infos.push_back(product_.description());
    return infos;
  }
  std::string note() const override { return "inputs " + said_of_halves(rounded_) + "; " + product_.note(); }

 private:
  RoundedPlan(const Problem& problem, const Device& device, const warpgroups::Launch<Factors::rounded>& launch,
              RoundedBank bank)
      : problem_(problem),
        rounded_({{sources_of(correlation_of(problem))}}, device),
        scales_(std::move(bank.inverse_scales)),
        product_(problem, launch, std::move(bank.numbers)) {}
  static RoundedTensors::Extents sources_of(const Correlation& c) { return {c.samples, c.sources, c.height, c.width}; }

  Problem problem_;
  RoundedTensors rounded_;
  GlobalFloats scales_;
  warpgroups::ProductPlan<Factors::rounded> product_;
};

class RoundedGradientPlan final : public Plan {
 public:
  RoundedGradientPlan(const Problem& problem, const Device& device)
      : rounded_(both(layer_extents(problem)), device), product_(problem, device) {}
  void set_filter(const Filter&) override {}
  void prepare(Stream) override {}
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    rounded_.enqueue(in, stream);
    PixelsTask task = product_.task();
    task.boxed = true;
    task.sources = rounded_.boxes(0, product_.halo(), product_.halo());
    task.gradients = rounded_.boxes(1, PixelsTile::width, PixelsTile::rows);
    product_.enqueue(task, PixelsWeights<float>{strided<float>(out[0]), rounded_.inverse(0), rounded_.inverse(1)},
                     stream);
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos = rounded_.descriptions();
    for (KernelInfo& info : product_.descriptions<float>()) infos.push_back(std::move(info));
    return infos;
  }
  std::string note() const override {
    return "inputs and gradients " + said_of_halves(rounded_) + "; " + std::to_string(product_.parts()) +
           " parts of the pixels";
  }

 private:
  static std::vector<RoundedTensors::Extents> both(const LayerExtents& e) {
    return {{e.samples, e.channels, e.height, e.width}, {e.samples, e.maps, e.out_height, e.out_width}};
  }
  RoundedTensors rounded_;
  PixelsProduct product_;
};

// --- what it says of itself ---

double numbers_of(const LayerExtents& e, bool x, bool y) {  // that are made into halves
  return 1.0 * e.samples *
         ((x ? 1.0 * e.channels * e.height * e.width : 0) + (y ? 1.0 * e.maps * e.out_height * e.out_width : 0));
}
double numbers_of(const Problem& p) {
  return numbers_of(layer_extents(p), p.layer.pass != Pass::to_input, p.layer.pass != Pass::forward);
}

std::string unsupported(const Problem& p, const Device& device, const Tuned& t) {
  if (p.layer.precision != Precision::tf32)
    return "It multiplies the first 11 significant bits of float32 numbers; this layer's are " +
           whole_number_format(p.layer) + ". Choose the type tf32";
  if (std::string reason = warpgroups::reason_of<Factors::rounded>(p, device, t["outputs"]); !reason.empty())
    return reason;
  if (p.layer.pass == Pass::to_weights)
    if (std::string reason = pixels_reason(p, device); !reason.empty()) return reason;
  return memory_reason(sizeof(Half) * numbers_of(p), device, "The halves of the inputs");
}

// What rounding to tf32 moves is in the reference. A float16 holds the same number but below 2^-14, where it may be off
// by 2^-25: of inputs up to 1, and of weights brought to 2^15 by a power of two. In the tensor cores an instruction
// loses 2^-23 of the largest of its 16 products and the sum so far for each of these (words.cuh).
double tolerance(const Problem& p) {
  if (p.layer.pass == Pass::to_weights)
    return rounded_factors_bound(p, pixels_roundings(layer_extents(p))) + 2.001 * rounded_least * layer_absolute_sum(p);
  const Correlation c = correlation_of(p);
  const CorrelationWeights weights(p, p.filter);
  const std::vector<float> scales = split_scales(p, p.filter);
  double largest = 0;
  for (int map = 0; map < c.targets; ++map) {
    const double least = rounded_least / scales[static_cast<std::size_t>(map)];
    double error = 0;
    for (int source = 0; source < c.sources; ++source)
      for (int tap = 0; tap < c.filter * c.filter; ++tap)
        error += rounded_least * std::abs(weights(map, source, tap)) + least;
    largest = std::max(largest, error);
  }
  const int instructions = c.filter * c.filter * ceil_div(c.sources, 64) * 4;
  return rounded_factors_bound(p, 2 * instructions * 17) + 1.001 * largest;
}

Cost model(const Problem& p, const Tuned& t) {
  const double numbers = numbers_of(p);
  const bool to_weights = p.layer.pass == Pass::to_weights;
  Cost cost = to_weights ? pixels_cost(p) : warpgroups::cost_of<Factors::rounded>(p, t["outputs"]);
  cost.tile_width = cost.tile_height = 0;         // a block holds halves of what the first kernel leaves
  cost.dram_bytes += 2 * sizeof(Half) * numbers;  // written and read
  cost.global_loads_per_output += numbers / outputs(p);
  cost.global_stores_per_output += numbers / 2 / outputs(p);
  cost.shared_loads_per_output += numbers / 2 / outputs(p);
  return cost;
}

Explanation explain(const Problem& p, const Device& device, const Tuned& t, const OutputIndex& at) {
  if (!is_explained(p)) return explain_weights_pass();
  const Correlation c = correlation_of(p);
  const auto number = [](int i) { return std::to_string(i); };
  const KernelStep step = step_of(best_launch<Factors::rounded>(p, device, t["outputs"]), at);
  Explanation said = explain_from_window(c, step, unrolled_product(c, at));
  said.words =
      "Every input is rounded to 11 significant bits and stored as float16, which a first kernel puts channel by "
      "channel into a buffer; so is the bank. " +
      said.steps[0].words + " Block " + number(step.block[0]) + " makes them for the " + number(step.outputs[0].width) +
      " × " + number(step.outputs[0].height) + " outputs from (" + number(step.outputs[0].x) + ", " +
      number(step.outputs[0].y) + ") on and " + number(static_cast<int>(step.output_planes.size())) +
      " maps, in registers of thread " + number(step.thread[0]) + ", which stores it.";
  said.steps.clear();
  return said;
}

}  // namespace

extern const Strategy strategy{
    .id = "implicit-gemm-tf32",
    .title = "Implicit GEMM, tf32 as fp16",
    .idea =
        "tf32 keeps 11 significant bits of a number, and float16 has as many: where the exponent fits, one is the "
        "other, at half the bytes and twice the rate. A first kernel rounds the inputs, puts the channels of a pixel "
        "side by side, and scales by a power of two where exponents do not fit; then warpgroups multiply.",
    .reading = "PTX ISA, wgmma.mma_async; Fasi et al., Numerical Behavior of NVIDIA Tensor Cores, 2021",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = tolerance,
    .refuses = unsupported,
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      if (p.layer.pass == Pass::to_weights) return std::make_unique<RoundedGradientPlan>(p, device);
      return std::make_unique<RoundedPlan>(p, device, best_launch<Factors::rounded>(p, device, t["outputs"]));
    },
    .costs = model,
    .explains = explain,
    .kind = &layer_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_tf32
