// The naive kernel. Idea: one thread for each output; filter and image both lie in global memory, and ghost cells of
// the zero border are skipped.
// Traffic: M² loads of the input and as many of the filter per output for a filter of width M: 2 op for each 8 bytes,
// 0.25 op/B without caches.
// Limits: memory bandwidth; the caches are all that keeps it from waiting for DRAM at every tap.
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/global_weights.cuh"
#include "kernels/device/parts/output_block.h"

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
__global__ void __launch_bounds__(1024) filter_global(ImageView<const Pixel> in, ImageView<Pixel> out, int rx, int ry,
                                                      Border border, Epilogue epilogue, const float* weights) {
  filter_output<Pixel, Sums>(in, out, weights, rx, ry, border, epilogue);
}

// A promise that nobody writes the weights: they come through the read-only path.
template <class Pixel, int Sums>
__global__ void __launch_bounds__(1024)
    filter_global_read_only(ImageView<const Pixel> in, ImageView<Pixel> out, int rx, int ry, Border border,
                            Epilogue epilogue, const float* __restrict__ weights) {
  filter_output<Pixel, Sums>(in, out, weights, rx, ry, border, epilogue);
}

constexpr int no_or_yes[] = {0, 1};
constexpr Tunable tunables[] = {
    output_block_width,
    output_block_height,
    {"read_only", "Read-only weights",
     "1: the weights' pointer is const and __restrict__, so the compiler may load them through the read-only path",
     no_or_yes, 0},
};

constexpr const char* kernel_name(bool read_only) { return read_only ? "filter_global_read_only" : "filter_global"; }

}  // namespace

extern const Strategy strategy{
    .id = "global",
    .title = "Global memory",
    .idea =
        "One thread computes one output and loads everything from global memory: every input under the filter and "
        "every weight. 8 bytes for each multiply and add: 0.25 operations per byte (gray32f; 0.75 in rgba8).",
    .reading = "PMPP 4th ed., ch. 7.2",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem&, const Device& device, const Tuned& t) -> std::string {
      const dim3 block = output_block(t);
      return block_size_reason(block.x, block.y, device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      const bool read_only = t["read_only"] != 0;
      const auto kernels = [read_only]<class Pixel, int Sums>() {
        return read_only ? filter_global_read_only<Pixel, Sums> : filter_global<Pixel, Sums>;
      };
      return dispatch(p.format, false, [&]<class Pixel, int>() -> std::unique_ptr<Plan> {
        return std::make_unique<GlobalWeightsPlan<ImageViews<Pixel>>>(
            p, kernel_name(read_only), both_kernels<Pixel>(kernels), launch_of(output_block(t), p));
      });
    },
    .costs =
        [](const Problem& p, const Tuned& t) {
          Cost cost = output_block_cost(output_block(t), p);
          cost.weight_loads_per_output = cost.global_loads_per_output * (p.filter.is_magnitude() ? 2 : 1);
          return cost;
        },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          return explain_windows(kernel_name(t["read_only"]), t["block_width"], t["block_height"], p.filter.rx(),
                                 p.filter.ry(), p.width, p.height, at.x, at.y,
                                 "Each thread reads the inputs under the filter, and every weight, from global memory; "
                                 "neighbours read nearly the same ones again, and only L1 and L2 save loads.");
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::global
