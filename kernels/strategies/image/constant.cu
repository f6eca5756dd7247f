// The filter in constant memory. Idea: all threads of a warp read the same weight at the same time, which the constant
// cache serves in one broadcast, so only the image costs global loads.
// Traffic: M² loads of the input per output for a filter of width M, 2 op for each 4 bytes: 0.5 op/B without caches.
// Limits: 64 KB of constant memory, so 127 × 127 weights; neighbouring outputs load the same input again and again
// and only L1 and L2 save the DRAM from it.
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/parts/output_block.h"

namespace convoscope::CONVOSCOPE_TARGET::constant {
namespace {

__constant__ float weights[max_filter_weights];
ConstantOwner weights_owner;

template <class Pixel, int Sums>
__global__ void filter_constant(ImageView<const Pixel> in, ImageView<Pixel> out, int rx, int ry, Border border,
                                Epilogue epilogue) {
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

}  // namespace

extern const Strategy strategy{
    .id = "constant",
    .title = "Constant memory",
    .idea =
        "The weights sit in constant memory: a warp reads one weight in one broadcast, so only the image is loaded "
        "from global memory, M² times per output.",
    .reading = "PMPP 4th ed., ch. 7.3",
    .backend = target_backend,
    .tunables = output_block_tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (std::string reason = constant_memory_reason(p.filter); !reason.empty()) return reason;
      const dim3 block = output_block(t);
      return block_size_reason(block.x, block.y, device);
    },
    .plans =
        [](const Problem& p, const Device&, const Tuned& t) {
          return plan_for_image(
              p, "filter_constant", []<class Pixel, int Sums>() { return filter_constant<Pixel, Sums>; },
              launch_of(output_block(t), p),
              [](const ConstantWeights& w, Stream stream) { w.upload(weights, weights_owner, stream); });
        },
    .costs = [](const Problem& p, const Tuned& t) { return output_block_cost(output_block(t), p); },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          return explain_windows("filter_constant", t["block_width"], t["block_height"], p.filter.rx(), p.filter.ry(),
                                 p.width, p.height, at.x, at.y,
                                 "Each thread reads the inputs under the filter from global memory; the threads of a "
                                 "warp read one weight at a time from constant memory, in one broadcast.");
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::constant
