// What a library for neural networks does with one filter. Idea: the frame as a batch of one-channel images, the filter
// as a layer with one output channel (two for edge magnitude), cudnnConvolutionForward in float32 without TF32.
// Traffic: depends on the algorithm that cuDNN picks. The frame becomes padded float planes before and pixels after;
// both kernels are part of the time shown, because a program that filters frames cannot do without them.
// Limits: made for many channels; with one, most of its tiles are empty. Every border works: it is written out.
#include <cmath>

#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/global_weights.cuh"
#include "kernels/peers/cudnn_forward.cuh"
#include "kernels/peers/planar.cuh"

namespace convoscope::CONVOSCOPE_TARGET::cudnn {
namespace {

constexpr Tunable tunables[] = {measure_tunable};

int filter_count(const Problem& p) { return p.filter.is_magnitude() ? 2 : 1; }

class CudnnPlan final : public ImagePlan {
 public:
  CudnnPlan(const Problem& problem, const Device& device, bool measure)
      : problem_(problem),
        padded_{nullptr, problem.width + 2 * problem.filter.rx(), problem.height + 2 * problem.filter.ry()},
        sums_{nullptr, problem.width, problem.height},
        weights_(problem.filter),
        convolution_({channels(problem.format), padded_.height, padded_.width, filter_count(problem),
                      problem.filter.height, problem.filter.width},
                     device, measure) {
    shape(padded_, padded_memory_, channels(problem.format));
    shape(sums_, sums_memory_, channels(problem.format) * filter_count(problem));
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    weights_.set(filter);
  }
  void prepare(Stream stream) override { weights_.send(stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    dispatch(problem_.format, problem_.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
      launch(pad_to_planes<Pixel>, planes_grid(padded_.width, padded_.height), planes_block(), 0, stream,
             in.view<const Pixel>(), padded_, problem_.filter.rx(), problem_.filter.ry(), problem_.border);
      convolution_.enqueue(padded_.data, weights_.data(), sums_.data, stream);
      launch(finish_planes<Pixel, Sums>, planes_grid(sums_.width, sums_.height), planes_block(), 0, stream, sums_,
             in.view<const Pixel>(), out.view<Pixel>(), 1, Sums, make_epilogue(problem_.filter, problem_.format));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    return dispatch(problem_.format, problem_.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
      return std::vector<KernelInfo>{describe("pad_to_planes", pad_to_planes<Pixel>,
                                              planes_grid(padded_.width, padded_.height), planes_block(), 0),
                                     describe("finish_planes", finish_planes<Pixel, Sums>,
                                              planes_grid(sums_.width, sums_.height), planes_block(), 0)};
    });
  }
  std::string note() const override { return convolution_.note(); }

 private:
  static void shape(Planes& planes, DeviceBuffer<float>& memory, int count) {
    planes.pitch = planes.width;
    planes.stride = static_cast<std::size_t>(planes.width) * planes.height;
    memory = DeviceBuffer<float>(planes.stride * count);
    planes.data = memory.data();
  }

  Problem problem_;
  Planes padded_, sums_;
  DeviceBuffer<float> padded_memory_, sums_memory_;
  GlobalWeights weights_;
  CudnnForward convolution_;
};

// A float32 sum, or, when cuDNN chooses an FFT, three transforms of at most the padded frame: the same reasoning as in
// fft.cu, with a peak of 8 times the root mean square.
double cudnn_bound(const Problem& p) {
  const double points = (p.width + p.filter.width) * static_cast<double>(p.height + p.filter.height);
  const double roundings = 8 * (3 * std::log2(points) + 2);
  const int taps = p.filter.width * p.filter.height;
  return float32_sum_bound(p, std::max(taps, static_cast<int>(std::ceil(roundings))));
}

}  // namespace

extern const Strategy strategy{
    .id = "cudnn",
    .title = "cuDNN",
    .idea =
        "The frame's channels are a batch, the filter is a layer with one output channel, and cuDNN chooses the "
        "algorithm. Converting to float planes and back is part of the time.",
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
      // As an implicit GEMM: planes written and read once, sums written and read once.
      const double planes = channels(p.format), sums = planes * filter_count(p);
      const double taps = static_cast<double>(p.filter.width) * p.filter.height;
      return {.flop = filter_flop(p),
              .global_loads_per_output = 1 + taps * planes + sums,
              .global_stores_per_output = planes + sums + 1,
              .dram_bytes = 2 * frame_bytes(p) + 2 * (planes + sums) * sizeof(float) * outputs(p)};
    },
    .peer = true,
    .calls_library = true,
    .open_library = libcudnn::Library::open,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::cudnn
