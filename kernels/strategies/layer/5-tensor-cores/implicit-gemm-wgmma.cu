// The implicit product with Hopper's instructions. Idea: 64 maps times up to 224 outputs of a tap's 16 channels are one
// instruction of a warpgroup (wgmma), which reads both factors from shared memory; TMA brings them there, whole windows
// and pieces of the bank with one instruction each, and writes zeros where a window reaches beyond the input. Sums
// alone are in registers, so what limits mma.sync, which takes its factors from there, does not limit this. Traffic: a
// source is loaded once for each 64 maps, and the halo of a block's rectangle. Limits: compute capability 9.0 alone;
// float16 in nhwc, one group, stride 1; maps and channels in 64s. To the weights the sum goes over pixels, K = 3
// (pixels_product.cuh).
#include "kernels/strategies/shared/layer/pixels_product.cuh"
#include "kernels/strategies/shared/layer/warpgroup_launch.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_wgmma {

namespace {

using warpgroups::best_launch, warpgroups::Factors;

constexpr Tunable tunables[] = {
    {"outputs", "Outputs of a warpgroup",
     "Outputs of an instruction, of 64 maps; a block has two warpgroups. 0: what keeps the multiprocessors busy for "
     "the shortest time",
     warpgroups::output_choices, 0},
};

std::vector<ByteColumn> bank_of(const Problem& p, const Filter& filter) {
  const CorrelationWeights weights(p, filter);
  return warpgroups::swizzled_bank<Factors::halves>(
      correlation_of(p), [&](int map, int source, int tap, int) { return to_half(weights(map, source, tap)); });
}

class WarpgroupPlan final : public Plan {
 public:
  WarpgroupPlan(const Problem& problem, const warpgroups::Launch<Factors::halves>& launch)
      : problem_(problem), product_(problem, launch, bank_of(problem, problem.filter)) {}
  void set_filter(const Filter& filter) override { product_.set(filter, bank_of(problem_, filter)); }
  void prepare(Stream stream) override { product_.send(stream); }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    auto task = product_.task();
    const Correlation& c = task.c;
    task.in = strided<const Half>(in[0]);
    task.out = strided<Half>(out[0]);
    task.boxed = implicit_gemm_tensor::aligned(in[0], 16);
    task.pairs = implicit_gemm_tensor::aligned(out[0], 4);
    if (task.boxed)
      task.boxes = tensor_boxes(
          in[0].data, {c.sources, c.width, c.height, c.samples, in[0].stride[4], in[0].stride[3], in[0].stride[0]},
          task.halo_width, task.halo_height);
    product_.enqueue(task, stream);
  }
  std::vector<KernelInfo> kernels() const override { return {product_.description()}; }
  std::string note() const override { return product_.note(); }

 private:
  Problem problem_;
  warpgroups::ProductPlan<Factors::halves> product_;
};

class WarpgroupGradientPlan final : public Plan {
 public:
  WarpgroupGradientPlan(const Problem& problem, const Device& device)
      : extents_(layer_extents(problem)), product_(problem, device) {}
  void set_filter(const Filter&) override {}
  void prepare(Stream) override {}
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    const LayerExtents& e = extents_;
    PixelsTask task = product_.task();
    task.x = strided<const Half>(in[0]);
    task.dy = strided<const Half>(in[1]);
    task.boxed = implicit_gemm_tensor::aligned(in[0], 16) && implicit_gemm_tensor::aligned(in[1], 16);
    if (task.boxed) {
      task.sources = boxes_of(in[0], e.channels, e.width, e.height, product_.halo(), product_.halo());
      task.gradients = boxes_of(in[1], e.maps, e.out_width, e.out_height, PixelsTile::width, PixelsTile::rows);
    }
    product_.enqueue(task, PixelsWeights<Half>{strided<Half>(out[0]), nullptr, nullptr}, stream);
  }
  std::vector<KernelInfo> kernels() const override { return product_.descriptions<Half>(); }
  std::string note() const override { return std::to_string(product_.parts()) + " parts of the pixels"; }

 private:
  TensorBoxes boxes_of(const Tensor& tensor, int channels, int width, int height, int box_width, int box_height) const {
    return tensor_boxes(
        tensor.data, {channels, width, height, extents_.samples, tensor.stride[4], tensor.stride[3], tensor.stride[0]},
        box_width, box_height);
  }
  LayerExtents extents_;
  PixelsProduct product_;
};

// --- what it says of itself ---

std::string unsupported(const Problem& p, const Device& device, const Tuned& t) {
  if (p.layer.precision != Precision::f16 || p.layer.layout != Layout::nhwc)
    return "Windows are copied with the channels of a pixel side by side and multiplied as float16; this layer's are " +
           std::string(to_string(p.layer.precision)) + " " + std::string(to_string(p.layer.layout)) +
           ". Choose the type f16 and the layout nhwc";
  if (const Correlation c = correlation_of(p); p.layer.pass != Pass::to_weights && c.groups == 1 && c.sources % 8 != 0)
    return "A pixel's channels must be a multiple of 16 bytes, 8 channels; here are " + std::to_string(c.sources);
  if (std::string reason = warpgroups::reason_of<Factors::halves>(p, device, t["outputs"]); !reason.empty())
    return reason;
  return p.layer.pass == Pass::to_weights ? pixels_reason(p, device) : std::string();
}

// An instruction loses 2^-23 of the largest for each product and for the sum (words.cuh).
double tolerance(const Problem& p) {
  if (p.layer.pass == Pass::to_weights) return float32_sum_bound(p, pixels_roundings(layer_extents(p)));
  const Correlation c = correlation_of(p);
  const int instructions = c.filter * c.filter * ceil_div(c.sources, 64) * 4;
  return float32_sum_bound(p, 2 * instructions * 17);
}

Explanation explain(const Problem& p, const Device& device, const Tuned& t, const OutputIndex& at) {
  if (!is_explained(p)) return explain_weights_pass();
  const Correlation c = correlation_of(p);
  KernelStep step = step_of(best_launch<Factors::halves>(p, device, t["outputs"]), at);
  step.words =
      " U is nowhere: TMA puts a copy of the window of the inputs that the tile's outputs see into shared memory, 64 "
      "channels at a time. For each tap an instruction of four warps reads it that tap's distance further on. The "
      "block's other tiles come before and after. ";
  return explain_from_window(c, step, unrolled_product(c, at));
}

}  // namespace

extern const Strategy strategy{
    .id = "implicit-gemm-wgmma",
    .title = "Implicit GEMM, warpgroups",
    .idea =
        "The product of the unrolled input and the bank with Hopper's instructions: 64 maps times up to 224 outputs at "
        "a time. Both factors come straight from shared memory, where TMA puts the windows of the inputs and pieces of "
        "the bank. Two warps ask for copies, eight multiply.",
    .reading = "PMPP 4th ed., ch. 16.4; PTX ISA, wgmma.mma_async and cp.async.bulk.tensor",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = tolerance,
    .refuses = unsupported,
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      if (p.layer.pass == Pass::to_weights) return std::make_unique<WarpgroupGradientPlan>(p, device);
      return std::make_unique<WarpgroupPlan>(p, best_launch<Factors::halves>(p, device, t["outputs"]));
    },
    .costs =
        [](const Problem& p, const Tuned& t) {
          return p.layer.pass == Pass::to_weights ? pixels_cost(p)
                                                  : warpgroups::cost_of<Factors::halves>(p, t["outputs"]);
        },
    .explains = explain,
    .kind = &layer_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_wgmma
