// The naive kernel. Idea: one thread for each output; frames and weights all lie in global memory, and ghost cells of
// the zero border are skipped.
// Traffic: M_x·M_y·M_t loads of inputs and as many of weights per output: 2 op for each 8 bytes, 0.25 op/B without
// caches.
// Limits: memory bandwidth; the caches are all that keeps it from waiting for DRAM at every tap.
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/global_weights.cuh"
#include "kernels/device/parts/output_block.h"
#include "kernels/kinds/volume.h"

namespace convoscope::CONVOSCOPE_TARGET::volume::global {

namespace {

template <class Pixel>
__global__ void __launch_bounds__(1024) filter_volume_global(Frames<Pixel> in, ImageView<Pixel> out, Radii r,
                                                             Border border, Epilogue epilogue, const float* weights) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= out.width || y >= out.height) return;

  Accumulator<Pixel, 1> sum;
  int tap = 0;
  for (int t = 0; t <= 2 * r.t; ++t)
    for (int dy = -r.y; dy <= r.y; ++dy) {
      const int sy = border_index(y + dy, out.height, border);
      for (int dx = -r.x; dx <= r.x; ++dx, ++tap) {
        const int sx = border_index(x + dx, out.width, border);
        if (sx < 0 || sy < 0) continue;  // a ghost cell of the zero border
        sum.add(*pixel_at(in[t], sx, sy), weights[tap]);
      }
    }
  *pixel_at(out, x, y) = sum.finish(epilogue, *pixel_at(in[r.t], x, y));
}

dim3 block_of(const Tuned& t) { return output_block(t); }

}  // namespace

extern const Strategy strategy{
    .id = "global",
    .title = "Global memory",
    .idea =
        "One thread computes one output and loads everything from global memory: every pixel under the filter in every "
        "frame, and every weight. 8 bytes for each multiply and add: 0.25 operations per byte (gray32f).",
    .reading = "PMPP 4th ed., ch. 7.2 and exercise 8",
    .backend = target_backend,
    .tunables = output_block_tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem&, const Device& device, const Tuned& t) -> std::string {
      const dim3 block = block_of(t);
      return block_size_reason(block.x, block.y, device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      const LaunchShape launch = launch_of(block_of(t), p);
      return dispatch(p.format, false, [&]<class Pixel, int>() -> std::unique_ptr<Plan> {
        return std::make_unique<GlobalWeightsPlan<VolumeViews<Pixel>>>(p, "filter_volume_global",
                                                                       filter_volume_global<Pixel>, launch);
      });
    },
    .costs =
        [](const Problem& p, const Tuned& t) {
          Cost cost = output_block_cost(block_of(t), p);
          cost.weight_loads_per_output = cost.global_loads_per_output;
          return cost;
        },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const dim3 block = block_of(t);
          return in_all_frames(
              p,
              explain_windows(
                  "filter_volume_global", block.x, block.y, p.filter.rx(), p.filter.ry(), p.width, p.height, at.x, at.y,
                  "Each thread reads the pixels under the filter in every frame, and every weight, from global memory; "
                  "neighbours read nearly the same ones again, and only L1 and L2 save loads."));
        },
    .kind = &volume_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::volume::global
