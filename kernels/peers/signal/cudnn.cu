// What a library for neural networks does with one row of taps. Idea: each channel as an image of one row and one
// feature, the taps as a layer of 1 × M weights, cudnnConvolutionForward in float32 without TF32.
// Traffic: depends on the algorithm that cuDNN picks. The signal is copied with its border written out before, and
// finished after; both kernels are part of the time shown, because a program cannot do without them.
// Limits: made for many features; with one, most of its tiles are empty.
#include <cmath>

#include "kernels/device/global_weights.cuh"
#include "kernels/peers/cudnn_forward.cuh"
#include "kernels/peers/planar.cuh"
#include "kernels/strategies/shared/signal_tile.cuh"

namespace convoscope::CONVOSCOPE_TARGET::signal::cudnn {

namespace {

// Channels are the rows of one plane here, and a batch of planes to cuDNN: the same floats.
class CudnnPlan final : public Plan {
 public:
  CudnnPlan(const Problem& problem, const Device& device, bool measure)
      : problem_(problem),
        padded_memory_(static_cast<std::size_t>(problem.width + 2 * problem.filter.rx()) * problem.height),
        sums_memory_(static_cast<std::size_t>(problem.width) * problem.height),
        padded_(plane(padded_memory_, problem.width + 2 * problem.filter.rx())),
        sums_(plane(sums_memory_, problem.width)),
        weights_(problem.filter),
        convolution_({problem.height, 1, padded_.width, 1, 1, problem.filter.width}, device, measure) {}
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    weights_.set(filter);
  }
  void prepare(Stream stream) override { weights_.send(stream); }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    launch(pad_to_planes<float>, planes_grid(padded_.width, padded_.height), planes_block(), 0, stream,
           SignalViews::in(in), padded_, problem_.filter.rx(), 0, problem_.border);
    convolution_.enqueue(padded_.data, weights_.data(), sums_.data, stream);
    launch(finish_planes<float, 1>, planes_grid(sums_.width, sums_.height), planes_block(), 0, stream, sums_,
           SignalViews::in(in), SignalViews::out(out[0]), 1, 1, make_epilogue(problem_.filter, problem_.format));
  }
  std::vector<KernelInfo> kernels() const override {
    return {
        describe("pad_to_planes", pad_to_planes<float>, planes_grid(padded_.width, padded_.height), planes_block(), 0),
        describe("finish_planes", finish_planes<float, 1>, planes_grid(sums_.width, sums_.height), planes_block(), 0)};
  }
  std::string note() const override { return convolution_.note(); }

 private:
  Planes plane(const DeviceBuffer<float>& memory, int width) const {
    return {memory.data(), width, problem_.height, width, memory.size()};
  }

  Problem problem_;
  DeviceBuffer<float> padded_memory_, sums_memory_;
  Planes padded_, sums_;
  GlobalWeights weights_;
  CudnnForward convolution_;
};

// A float32 sum, or, when cuDNN chooses an FFT, three transforms of at most the padded signal: the same reasoning as in
// overlap_save.h, with a peak of 8 times the root mean square.
double cudnn_bound(const Problem& p) {
  const double roundings = 8 * (3 * std::log2(static_cast<double>(p.width) + p.filter.width) + 2);
  return float32_sum_bound(p, std::max(p.filter.taps(), static_cast<int>(std::ceil(roundings))));
}

constexpr Tunable tunables[] = {measure_tunable};

}  // namespace

extern const Strategy strategy{
    .id = "cudnn",
    .title = "cuDNN",
    .idea =
        "Each channel is an image of one row, the taps are a layer with one output channel, and cuDNN chooses the "
        "algorithm. Writing out the border and finishing the sums is part of the time.",
    .reading = "Chetlur et al., cuDNN: Efficient Primitives for Deep Learning, 2014; PMPP 4th ed., ch. 16.5",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = cudnn_bound,
    .refuses = [](const Problem&, const Device&, const Tuned&) -> std::string {
      if (target_backend == Backend::emulated) return "calls cuDNN, which cannot be emulated";
      return libcudnn::Library::missing();
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<CudnnPlan>(p, device, t["measure"] != 0);
    },
    .costs = [](const Problem& p, const Tuned&) -> Cost {
      // As an implicit GEMM: the copy written and read once, sums written and read once.
      return {.flop = filter_flop(p),
              .global_loads_per_output = 1.0 + p.filter.taps() + 1,
              .global_stores_per_output = 3,
              .dram_bytes = 6 * frame_bytes(p)};
    },
    .peer = true,
    .calls_library = true,
    .open_library = libcudnn::Library::open,
    .kind = &signal_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::signal::cudnn
