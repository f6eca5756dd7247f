// What a library for neural networks does with a layer, in each of its passes: its own descriptors of N, C, M, groups,
// stride, padding, dilation, type and layout, and the algorithm that its trial run or its heuristics put first. float32
// is without TF32; tf32 and float16 are summed in float32.
// Traffic: depends on that algorithm. Rows with gaps between are copied together before and after.
// Limits: made for many channels; a layer that eats video leaves most of its tiles empty.
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/contract/theory/type_rounding.h"
#include "kernels/kinds/layer.h"
#include "kernels/libraries/cudnn_gradients.h"
#include "kernels/peers/cudnn_forward.cuh"
#include "kernels/peers/dense_planes.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::cudnn {

namespace {

constexpr std::size_t most_workspace_bytes = std::size_t{1} << 31;
constexpr int most_algorithms = 10;

// Of each pass, in cuDNN's order. Those with transforms err by more than a float32 sum and are left out.
struct Algorithm {
  const char* name;
  bool sums;
};
constexpr Algorithm forward_algorithms[] = {{"implicit GEMM", true}, {"implicit GEMM with precomputed offsets", true},
                                            {"GEMM", true},          {"direct", true},
                                            {"FFT", false},          {"tiled FFT", false},
                                            {"Winograd", false},     {"Winograd, not fused", false}};
constexpr Algorithm input_algorithms[] = {{"algorithm 0", true}, {"algorithm 1", true}, {"FFT", false},
                                          {"tiled FFT", false},  {"Winograd", false},   {"Winograd, not fused", false}};
constexpr Algorithm weight_algorithms[] = {{"algorithm 0", true}, {"algorithm 1", true}, {"FFT", false},
                                           {"algorithm 3", true}, {"Winograd", false},   {"Winograd, not fused", false},
                                           {"tiled FFT", false}};
std::span<const Algorithm> algorithms_of(Pass pass) {
  if (pass == Pass::forward) return forward_algorithms;
  if (pass == Pass::to_input) return input_algorithms;
  return weight_algorithms;
}

class CudnnLayer {
 public:
  CudnnLayer(const Problem& problem, const Device& device, bool measure)
      : pass_(problem.layer.pass),
        halves_(problem.layer.precision == Precision::f16),
        math_(problem.layer.precision == Precision::f32 ? libcudnn::fma_math : libcudnn::tensor_math),
        device_(device.ordinal) {
    const LayerExtents e = layer_extents(problem);
    const libcudnn::Api& api = libcudnn::api();
    const int layout = problem.layer.layout == Layout::nchw ? libcudnn::nchw : libcudnn::nhwc;
    const int type = halves_ ? libcudnn::data_half : libcudnn::data_float;
    libcudnn::check(api.set_tensor(x_, layout, type, e.samples, e.channels, e.height, e.width),
                    "cudnnSetTensor4dDescriptor");
    libcudnn::check(api.set_tensor(y_, layout, type, e.samples, e.maps, e.out_height, e.out_width),
                    "cudnnSetTensor4dDescriptor");
    libcudnn::check(api.set_weights(bank_, type, layout, e.maps, e.group_channels(), e.filter, e.filter),
                    "cudnnSetFilter4dDescriptor");
    libcudnn::check(api.set_convolution(convolution_, e.padding, e.padding, e.stride, e.stride, e.dilation, e.dilation,
                                        libcudnn::cross_correlation, libcudnn::data_float),
                    "cudnnSetConvolution2dDescriptor");
    libcudnn::check(libcudnn::layer_api().set_groups(convolution_, e.groups), "cudnnSetConvolutionGroupCount");
    libcudnn::check(api.set_math_type(convolution_, math_), "cudnnSetConvolutionMathType");
    choose_algorithm(problem, measure);
  }

  // first, second: the bank before dY to the input, X before dY to the weights.
  void enqueue(const void* first, const void* second, void* out, Stream stream) const {
    const float one = 1, zero = 0;
    const auto [a, b, c] = descriptors();
    const libcudnn::HandleLease handle(device_, stream.handle);
    libcudnn::check(functions().run(handle, &one, a, first, b, second, convolution_, algorithm_, workspace_.data(),
                                    workspace_.bytes(), &zero, c, out),
                    "the layer");
  }
  std::string note() const {
    return std::string("cuDNN's algorithm: ") + algorithms_of(pass_)[static_cast<std::size_t>(algorithm_)].name +
           ", workspace " + std::to_string(workspace_.bytes() >> 20) + " MiB";
  }

 private:
  const libcudnn::PassApi& functions() const { return libcudnn::layer_api().passes[static_cast<int>(pass_)]; }
  std::array<libcudnn::Descriptor, 3> descriptors() const {
    const auto x = static_cast<libcudnn::Tensor>(x_), y = static_cast<libcudnn::Tensor>(y_);
    const auto bank = static_cast<libcudnn::Weights>(bank_);
    if (pass_ == Pass::forward) return {x, bank, y};
    if (pass_ == Pass::to_input) return {bank, y, x};
    return {x, y, bank};
  }
  void choose_algorithm(const Problem& problem, bool measure) {
    const auto [a, b, c] = descriptors();
    const libcudnn::HandleLease handle(device_, nullptr);
    libcudnn::Performance found[most_algorithms] = {};
    int count = 0;
    const int status = (measure ? functions().measure : functions().choose)(handle, a, b, convolution_, c,
                                                                            most_algorithms, &count, found);
    for (int i = 0; status == 0 && i < count; ++i)
      if (found[i].status == 0 && allowed(found[i].math_type) &&
          try_algorithm(handle, found[i].algorithm, found[i].math_type))
        return;
    for (const int algorithm : {1, 0})
      if (try_algorithm(handle, algorithm, math_)) return;
    throw Error("cuDNN has no algorithm for the layer " + layer_kind.describe(problem) + "; choose another strategy");
  }
  // With tensor cores one may do without; none may turn float32 into float16.
  bool allowed(int math_type) const {
    return math_type == math_ || (math_ != libcudnn::fma_math && math_type != libcudnn::converting_math);
  }
  // Gradients whose order is left to chance are added up in memory, which is too short for it in float16.
  bool adds_in_memory(int algorithm) const { return pass_ != Pass::forward && algorithm != 1; }
  bool try_algorithm(libcudnn::Handle handle, int algorithm, int math_type) {
    const std::span<const Algorithm> known = algorithms_of(pass_);
    if (algorithm < 0 || algorithm >= static_cast<int>(known.size()) ||
        !known[static_cast<std::size_t>(algorithm)].sums || (halves_ && adds_in_memory(algorithm)))
      return false;
    libcudnn::check(libcudnn::api().set_math_type(convolution_, math_type), "cudnnSetConvolutionMathType");
    const auto [a, b, c] = descriptors();
    std::size_t bytes = 0;
    if (functions().workspace_size(handle, a, b, convolution_, c, algorithm, &bytes) != 0) return false;
    if (bytes > most_workspace_bytes) return false;
    workspace_ = DeviceBuffer<unsigned char>(bytes);
    algorithm_ = algorithm;
    return true;
  }

  Pass pass_;
  bool halves_;
  int math_;  // that is asked for
  int device_;
  libcudnn::Owned<libcudnn::Tensor> x_{libcudnn::api().create_tensor, libcudnn::api().destroy_tensor};
  libcudnn::Owned<libcudnn::Tensor> y_{libcudnn::api().create_tensor, libcudnn::api().destroy_tensor};
  libcudnn::Owned<libcudnn::Weights> bank_{libcudnn::api().create_weights, libcudnn::api().destroy_weights};
  libcudnn::Owned<libcudnn::Convolution> convolution_{libcudnn::api().create_convolution,
                                                      libcudnn::api().destroy_convolution};
  DeviceBuffer<unsigned char> workspace_;
  int algorithm_ = 0;
};

class CudnnPlan final : public LibraryPlan {
 public:
  CudnnPlan(const Problem& problem, const Device& device, bool measure)
      : LibraryPlan(problem), layer_(problem, device, measure) {}
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    const void* const first = in_[0].read<void>(in[0], stream);
    void* const result = out_.write<void>(out[0]);
    if (problem_.layer.pass == Pass::forward)
      layer_.enqueue(first, bank_.data(), result, stream);
    else if (problem_.layer.pass == Pass::to_input)
      layer_.enqueue(bank_.data(), first, result, stream);
    else
      layer_.enqueue(first, in_[1].read<void>(in[1], stream), result, stream);
    out_.written(out[0], stream);
    finish(out[0], stream);
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    describe_finish(infos);
    return infos;
  }
  std::string note() const override { return layer_.note(); }

 private:
  CudnnLayer layer_;
};

constexpr Tunable tunables[] = {
    {"measure", "Choose by measuring",
     "0: the algorithm that cuDNN's heuristics suggest; 1: the fastest of a trial run when the plan is made",
     no_or_yes_to_measuring, 1}};

// In whatever order cuDNN sums. Tensor cores cut off where float32 rounds, and take a sum for each 8 products at least.
// cuDNN does not say how it makes tf32 of a float32: either factor may lie a unit of its last place, 2^-10, from ours.
// Bias and ReLU come after the sums are stored, and are stored again.
double bound(const Problem& p) {
  const int terms = static_cast<int>(layer_terms(p));
  const Precision precision = p.layer.precision;
  if (precision == Precision::f32) return float32_sum_bound(p, terms);
  const double sum = rounded_factors_bound(p, 2 * terms + 2 * (terms / 8 + 1)), most = layer_absolute_sum(p);
  if (precision == Precision::tf32) return sum + (2 * 0x1p-10 + 0x1p-20) * (1 + 0x1p-11) * most;
  return sum + (p.layer.pass == Pass::forward ? 0x1p-11 * (1 + 0x1p-9) * most + 0x1p-25 : 0);
}

}  // namespace

extern const Strategy strategy{
    .id = "cudnn",
    .title = "cuDNN",
    .idea =
        "The library for neural networks, with the algorithm that it finds fastest for this layer and pass among those "
        "that sum products in float32; on tensor cores where its numbers are float16 or tf32.",
    .reading = "Chetlur et al., cuDNN: Efficient Primitives for Deep Learning, 2014; PMPP 4th ed., ch. 16.5",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = bound,
    .refuses = [](const Problem& p, const Device&, const Tuned&) -> std::string {
      if (target_backend == Backend::emulated) return "calls cuDNN, which cannot be emulated";
      if (std::string missing = libcudnn::LayerLibrary::missing(); !missing.empty()) return missing;
      return finish_reason(p);
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<CudnnPlan>(p, device, t["measure"] != 0);
    },
    .costs = [](const Problem& p, const Tuned&) { return direct_cost(p); },  // as an implicit GEMM
    .peer = true,
    .calls_library = true,
    .open_library = libcudnn::LayerLibrary::open,
    .kind = &layer_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::cudnn
