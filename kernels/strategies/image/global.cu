// The naive kernel. Idea: one thread for each output; filter and image both lie in global memory, and ghost cells of
// the zero border are skipped.
// Traffic: M² loads of the input and as many of the filter per output for a filter of width M: 2 op for each 8 bytes,
// 0.25 op/B without caches.
// Limits: memory bandwidth; the caches are all that keeps it from waiting for DRAM at every tap.
#include "kernels/contract/image_plan.h"
#include "kernels/contract/model.h"
#include "kernels/contract/tolerance.h"
#include "kernels/device/global_weights.cuh"
#include "kernels/device/pixel.cuh"

namespace convoscope::CONVOSCOPE_TARGET::global {
namespace {

template <class Pixel, int Sums>
__device__ inline void filter_output(const ImageView<const Pixel>& in, const ImageView<Pixel>& out,
                                     const float* weights, int rx, int ry, Border border, const Epilogue& epilogue) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= out.width || y >= out.height) return;

  const int count = (2 * rx + 1) * (2 * ry + 1);
  Accumulator<Pixel, Sums> sums;
  int tap = 0;
  for (int dy = -ry; dy <= ry; ++dy) {
    const int sy = border_index(y + dy, in.height, border);
    for (int dx = -rx; dx <= rx; ++dx, ++tap) {
      const int sx = border_index(x + dx, in.width, border);
      if (sx < 0 || sy < 0) continue;  // a ghost cell of the zero border
      const Pixel pixel = *pixel_at(in, sx, sy);
      for (int s = 0; s < Sums; ++s) sums.add(pixel, weights[s * count + tap], s);
    }
  }
  *pixel_at(out, x, y) = sums.finish(epilogue, *pixel_at(in, x, y));
}

// The compiler may not assume that what it stores is no weight, so every weight is loaded as data that may change.
template <class Pixel, int Sums>
__global__ void __launch_bounds__(1024)
    filter_global(ImageView<const Pixel> in, ImageView<Pixel> out, const float* weights, int rx, int ry, Border border,
                  Epilogue epilogue) {
  filter_output<Pixel, Sums>(in, out, weights, rx, ry, border, epilogue);
}

// A promise that nobody writes the weights: they come through the read-only path.
template <class Pixel, int Sums>
__global__ void __launch_bounds__(1024)
    filter_global_read_only(ImageView<const Pixel> in, ImageView<Pixel> out, const float* __restrict__ weights, int rx,
                            int ry, Border border, Epilogue epilogue) {
  filter_output<Pixel, Sums>(in, out, weights, rx, ry, border, epilogue);
}

constexpr int block_widths[] = {4, 8, 16, 32, 64};
constexpr int block_heights[] = {4, 8, 16};
constexpr int no_or_yes[] = {0, 1};
constexpr Tunable tunables[] = {
    {"block_width", "Block width", "Threads of a block along x; a warp reads neighbouring pixels when this is 32",
     block_widths, 32},
    {"block_height", "Block height", "Threads of a block along y", block_heights, 8},
    {"read_only", "Read-only weights",
     "1: the weights' pointer is const and __restrict__, so the compiler may load them through the read-only path",
     no_or_yes, 0},
};

constexpr const char* kernel_name(bool read_only) { return read_only ? "filter_global_read_only" : "filter_global"; }

class GlobalPlan final : public ImagePlan {
 public:
  GlobalPlan(const Problem& problem, const Tuning& tuning);
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    weights_.set(filter);
  }
  void prepare(Stream stream) override { weights_.send(stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    each_kernel([&]<class Pixel>(auto kernel) {
      launch(kernel, grid_, block_, 0, stream, in.view<const Pixel>(), out.view<Pixel>(), weights_.data(),
             problem_.filter.rx(), problem_.filter.ry(), problem_.border,
             make_epilogue(problem_.filter, problem_.format));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    each_kernel(
        [&]<class Pixel>(auto kernel) { infos = {describe(kernel_name(read_only_), kernel, grid_, block_, 0)}; });
    return infos;
  }

 private:
  template <class F>
  void each_kernel(F&& f) const {
    dispatch(problem_.format, problem_.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
      f.template operator()<Pixel>(read_only_ ? filter_global_read_only<Pixel, Sums> : filter_global<Pixel, Sums>);
    });
  }

  Problem problem_;
  dim3 block_, grid_;
  bool read_only_;
  GlobalWeights weights_;
};

}  // namespace

extern const Strategy strategy;
const Strategy strategy{
    .id = "global",
    .title = "Global memory",
    .idea =
        "One thread computes one output and loads everything from global memory: every input under the filter and "
        "every weight. 8 bytes for each multiply and add: 0.25 operations per byte.",
    .reading = "PMPP 4th ed., ch. 7.2",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .unsupported = [](const Problem&, const Device& device, const Tuning& t) -> std::string {
      return block_size_reason(tuned(strategy, t, "block_width"), tuned(strategy, t, "block_height"), device);
    },
    .plan = [](const Problem& p, const Device&, const Tuning& t) -> std::unique_ptr<Plan> {
      return std::make_unique<GlobalPlan>(p, t);
    },
    .model =
        [](const Problem& p, const Tuning&) {
          Cost cost = direct_cost(p);
          cost.weight_loads_per_output = cost.global_loads_per_output * (p.filter.is_magnitude() ? 2 : 1);
          return cost;
        },
    .explain =
        [](const Problem& p, const Device&, const Tuning& t, int x, int y) {
          return explain_windows(kernel_name(tuned(strategy, t, "read_only")), tuned(strategy, t, "block_width"),
                                 tuned(strategy, t, "block_height"), p.filter.rx(), p.filter.ry(), p.width, p.height, x,
                                 y,
                                 "Each thread reads the inputs under the filter, and every weight, from global memory; "
                                 "neighbours read nearly the same ones again, and only L1 and L2 save loads.");
        },
};

namespace {
GlobalPlan::GlobalPlan(const Problem& problem, const Tuning& tuning)
    : problem_(problem),
      block_(tuned(strategy, tuning, "block_width"), tuned(strategy, tuning, "block_height")),
      grid_(ceil_div(problem.width, block_.x), ceil_div(problem.height, block_.y)),
      read_only_(tuned(strategy, tuning, "read_only") != 0),
      weights_(problem.filter) {}

}  // namespace

}  // namespace convoscope::CONVOSCOPE_TARGET::global
