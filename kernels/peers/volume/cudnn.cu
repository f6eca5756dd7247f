// What a library for neural networks does with one filter over frames. Idea: the frames are the input channels of a
// layer with one output channel, whose 2-D convolution sums over all of them: exactly a filter over x, y and t. The
// colours are a batch. cudnnConvolutionForward in float32 without TF32.
// Traffic: depends on the algorithm that cuDNN picks. All frames become padded float planes before, and the sums pixels
// after; both kernels are part of the time shown, because a program that filters frames cannot do without them.
// Limits: made for many output channels; with one, most of its tiles are empty. Every border works: it is written out.
#include <cmath>
#include <limits>

#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/global_weights.cuh"
#include "kernels/kinds/volume.h"
#include "kernels/peers/cudnn_forward.cuh"
#include "kernels/peers/planar.cuh"

namespace convoscope::CONVOSCOPE_TARGET::volume::cudnn {

namespace {

// Plane c · frames + t is channel c of frame t with the border around it. Block z: a frame.
template <class Pixel>
__global__ void pad_frames(Frames<Pixel> in, Planes planes, int frames, Radii r, Border border) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, t = blockIdx.z;
  if (x >= planes.width || y >= planes.height) return;
  store_channels(load_pixel(in[t], x - r.x, y - r.y, border),
                 planes.data + t * planes.stride + static_cast<std::size_t>(y) * planes.pitch + x,
                 frames * planes.stride);
}

constexpr Tunable tunables[] = {measure_tunable};

// `count` planes one after the other, in memory of their own.
struct PlaneBuffer : Planes {
  PlaneBuffer(int columns, int rows, int count)
      : Planes{nullptr, columns, rows, columns, static_cast<std::size_t>(columns) * rows}, memory(stride * count) {
    data = memory.data();
  }
  DeviceBuffer<float> memory;
};

class CudnnPlan final : public Plan {
 public:
  CudnnPlan(const Problem& problem, const Device& device, bool measure)
      : problem_(problem),
        padded_(problem.width + 2 * problem.filter.rx(), problem.height + 2 * problem.filter.ry(),
                channels(problem.format) * problem.filter.depth),
        sums_(problem.width, problem.height, channels(problem.format)),
        weights_(problem.filter),
        forward_({channels(problem.format), padded_.height, padded_.width, 1, problem.filter.height,
                  problem.filter.width, problem.filter.depth},
                 device, measure) {}
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    weights_.set(filter);
  }
  void prepare(Stream stream) override { weights_.send(stream); }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    const Filter& filter = problem_.filter;
    dispatch(problem_.format, false, [&]<class Pixel, int>() {
      using Views = VolumeViews<Pixel>;
      launch(pad_frames<Pixel>, padded_grid(), planes_block(), 0, stream, Views::in(in), padded_, filter.depth,
             Radii{filter.rt(), filter.ry(), filter.rx()}, problem_.border);
      forward_.enqueue(padded_.data, weights_.data(), sums_.data, stream);
      launch(finish_planes<Pixel, 1>, planes_grid(sums_.width, sums_.height), planes_block(), 0, stream, sums_,
             rows_of(in[static_cast<std::size_t>(filter.rt())]).view<const Pixel>(), Views::out(out[0]), 1, 1,
             make_epilogue(filter, problem_.format));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    return dispatch(problem_.format, false, [&]<class Pixel, int>() {
      return std::vector<KernelInfo>{describe("pad_frames", pad_frames<Pixel>, padded_grid(), planes_block(), 0),
                                     describe("finish_planes", finish_planes<Pixel, 1>,
                                              planes_grid(sums_.width, sums_.height), planes_block(), 0)};
    });
  }
  std::string note() const override { return forward_.note(); }

 private:
  dim3 padded_grid() const {
    dim3 grid = planes_grid(padded_.width, padded_.height);
    grid.z = static_cast<unsigned>(problem_.filter.depth);
    return grid;
  }

  Problem problem_;
  PlaneBuffer padded_, sums_;
  GlobalWeights weights_;
  CudnnForward forward_;
};

double padded_floats(const Problem& p) {
  return static_cast<double>(channels(p.format)) * p.filter.depth * (p.width + p.filter.width - 1) *
         (p.height + p.filter.height - 1);
}

// A float32 sum, or, when cuDNN chooses an FFT, three transforms of at most the padded frame, as for images, and a sum
// over the frames.
double cudnn_bound(const Problem& p) {
  const double points = (p.width + p.filter.width) * static_cast<double>(p.height + p.filter.height);
  const double roundings = 8 * (3 * std::log2(points) + 2) + p.filter.depth;
  return float32_sum_bound(p, std::max(p.filter.taps(), static_cast<int>(std::ceil(roundings))));
}

}  // namespace

extern const Strategy strategy{
    .id = "cudnn",
    .title = "cuDNN",
    .idea =
        "The frames are the input channels of a layer with one output channel, the colours are a batch, and cuDNN "
        "chooses the algorithm. Converting to float planes and back is part of the time.",
    .reading = "Chetlur et al., cuDNN: Efficient Primitives for Deep Learning, 2014; PMPP 4th ed., ch. 16.5",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = cudnn_bound,
    .refuses = [](const Problem& p, const Device&, const Tuned&) -> std::string {
      if (target_backend == Backend::emulated) return "calls cuDNN, which cannot be emulated";
      constexpr int most = std::numeric_limits<int>::max();
      if (const double floats = padded_floats(p); floats > most)
        return "The padded frames are " + std::to_string(static_cast<long long>(floats)) +
               " numbers; cuDNN takes at most " + std::to_string(most);
      return libcudnn::Library::missing();
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<CudnnPlan>(p, device, t["measure"] != 0);
    },
    .costs = [](const Problem& p, const Tuned&) -> Cost {
      // As an implicit GEMM: planes written and read once, sums written and read once.
      const double sums = channels(p.format), planes = sums * p.filter.depth;
      Cost cost = direct_cost(p);
      cost.global_loads_per_output = p.filter.depth + p.filter.taps() * sums + sums;
      cost.global_stores_per_output = planes + sums + 1;
      cost.dram_bytes += 2 * (planes + sums) * sizeof(float) * outputs(p);
      return cost;
    },
    .peer = true,
    .calls_library = true,
    .open_library = libcudnn::Library::open,
    .kind = &volume_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::volume::cudnn
