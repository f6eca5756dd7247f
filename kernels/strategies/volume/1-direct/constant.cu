// The filter in constant memory, one thread an output. Idea: as for images, once for each of the 2·rt+1 frames: a warp
// reads one weight in one broadcast, and neighbouring pixels of one frame after the other.
// Traffic: M_x·M_y·M_t loads per output; caches save the DRAM from most of them.
// Limits: 64 KB of constant memory, so 16,129 weights; every pixel of every frame is loaded M_x·M_y times.
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/parts/output_block.h"
#include "kernels/kinds/volume.h"

namespace convoscope::CONVOSCOPE_TARGET::volume::constant {

namespace {

__constant__ float weights[max_filter_weights];
ConstantOwner weights_owner;

template <class Pixel>
__global__ void filter_volume_constant(Frames<Pixel> in, ImageView<Pixel> out, Radii r, Border border,
                                       Epilogue epilogue) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= out.width || y >= out.height) return;

  Accumulator<Pixel, 1> sum;
  int tap = 0;
  for (int t = 0; t <= 2 * r.t; ++t)
    for (int dy = -r.y; dy <= r.y; ++dy)
      for (int dx = -r.x; dx <= r.x; ++dx, ++tap) sum.add(load_pixel(in[t], x + dx, y + dy, border), weights[tap]);
  *pixel_at(out, x, y) = sum.finish(epilogue, *pixel_at(in[r.t], x, y));
}

}  // namespace

extern const Strategy strategy{
    .id = "constant",
    .title = "Constant memory",
    .idea =
        "One thread computes one output: it goes through the frames from the oldest to the newest and, in each, "
        "through the window. A warp reads each weight from constant memory in one broadcast.",
    .reading = "PMPP 4th ed., ch. 7.3 and exercise 9",
    .backend = target_backend,
    .tunables = output_block_tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (std::string reason = constant_memory_reason(p.filter); !reason.empty()) return reason;
      const dim3 block = output_block(t);
      return block_size_reason(block.x, block.y, device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      const LaunchShape launch = launch_of(output_block(t), p);
      return dispatch(p.format, false, [&]<class Pixel, int>() -> std::unique_ptr<Plan> {
        return std::make_unique<VolumePlan<Pixel>>(
            p, "filter_volume_constant", filter_volume_constant<Pixel>, launch,
            [](const ConstantWeights& w, Stream stream) { w.upload(weights, weights_owner, stream); });
      });
    },
    .costs = [](const Problem& p, const Tuned&) { return direct_cost(p); },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          return in_all_frames(
              p,
              explain_windows("filter_volume_constant", t["block_width"], t["block_height"], p.filter.rx(),
                              p.filter.ry(), p.width, p.height, at.x, at.y,
                              "Each thread reads the pixels under the filter in every frame from global memory; the "
                              "threads of a warp read one weight at a time from constant memory, in one broadcast."));
        },
    .kind = &volume_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::volume::constant
