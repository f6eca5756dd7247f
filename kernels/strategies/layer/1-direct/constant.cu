// The bank in constant memory, one thread an output. Idea: all threads of a block make the same map, so a warp reads
// each weight in one broadcast that costs no load.
// Traffic: C/g·K² loads of X per output: 2 op for each 4 bytes, 0.5 op/B; caches save the DRAM from most of them.
// Limits: 64 KB of constant memory, so 16,129 weights; every map reads all of X again.
#include "kernels/strategies/shared/layer/explain.cuh"
#include "kernels/strategies/shared/layer/tiles.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::constant {

namespace {

__constant__ float weights[max_filter_weights];
ConstantOwner weights_owner;

// Filter: K where the compiler knows it, so that the loops over the window become straight code; 0 for any.
template <int Filter>
__global__ void layer_constant(LayerInputs in, Planes<float> y, LayerExtents e, LayerEpilogue epilogue) {
  if (Filter > 0) e.filter = Filter;
  const auto [m, ho, wo] = place_in_tile(e.out_width);
  if (ho >= e.out_height || wo >= e.out_width) return;

  const int n = static_cast<int>(blockIdx.z), first = e.first_channel(m), left = e.input_index(wo, 0);
  const bool whole = left >= 0 && e.input_index(wo, e.filter - 1) < e.width;  // no column lies in the padding
  float sum = 0;
  for (int c = first; c < first + e.group_channels(); ++c)
    for (int i = 0; i < e.filter; ++i) {
      const int hi = e.input_index(ho, i), weight = e.weight_index(m, c, i, 0);
      if (hi < 0 || hi >= e.height) continue;
      const float* x = in.x.at(n * e.channels + c, hi) + left;
      for (int j = 0; j < e.filter; ++j) {
        const int step = j * e.dilation;
        if (whole || (left + step >= 0 && left + step < e.width)) sum = fmaf(weights[weight + j], read(x + step), sum);
      }
    }
  y.at(n * e.maps + m, ho, wo) = epilogue.finish(sum, m);
}

template <int Filter>
__global__ void layer_constant_to_input(LayerInputs in, Planes<float> dx, LayerExtents e, LayerEpilogue) {
  if (Filter > 0) e.filter = Filter;
  const auto [c, hi, wi] = place_in_tile(e.width);
  if (hi >= e.height || wi >= e.width) return;

  const int n = static_cast<int>(blockIdx.z), first = e.first_map(c);
  float sum = 0;
  for (int m = first; m < first + e.group_maps(); ++m)
    for (int i = 0; i < e.filter; ++i) {
      const int ho = e.output_index(hi, i, e.out_height), weight = e.weight_index(m, c, i, 0);
      if (ho < 0) continue;
      const float* dy = in.dy.at(n * e.maps + m, ho);
      for (int j = 0; j < e.filter; ++j)
        if (const int wo = e.output_index(wi, j, e.out_width); wo >= 0)
          sum = fmaf(weights[weight + j], read(dy + wo), sum);
    }
  dx.at(n * e.channels + c, hi, wi) = sum;
}

template <int Filter>
LayerViews::Kernel<> kernel_of(Pass pass) {
  return pass == Pass::forward ? layer_constant<Filter> : layer_constant_to_input<Filter>;
}
LayerViews::Kernel<> kernel_of(const Problem& p) {
  return with_number<1, 3, 5, 7, 0>(p.filter.width, [&]<int Filter>() { return kernel_of<Filter>(p.layer.pass); });
}

constexpr int block_widths[] = {8, 16, 32, 64};
constexpr int block_heights[] = {4, 8, 16};
constexpr Tunable tunables[] = {
    {"block_width", "Block width", "Threads of a block along x; a warp reads neighbouring inputs when this is 32",
     block_widths, 32},
    {"block_height", "Block height", "Threads of a block along y", block_heights, 8},
};

dim3 block_of(const Tuned& t) { return dim3(t["block_width"], t["block_height"]); }

}  // namespace

extern const Strategy strategy{
    .id = "constant",
    .title = "Constant memory",
    .idea =
        "One thread computes one output. The whole bank lies in constant memory: the threads of a warp make the same "
        "map and read each weight in one broadcast, so that only the inputs are loaded.",
    .reading = "PMPP 4th ed., ch. 7.3 and 16.3",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, layer_roundings(p)); },
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (std::string reason = float_planes_reason(p); !reason.empty()) return reason;
      if (std::string reason = no_bank_reason(p); !reason.empty()) return reason;
      if (std::string reason = constant_memory_reason(p.filter); !reason.empty()) return reason;
      const dim3 block = block_of(t);
      if (std::string reason = block_size_reason(block.x, block.y, device); !reason.empty()) return reason;
      return grid_reason(launch_tiles(p, block).grid);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      const bool forward = p.layer.pass == Pass::forward;
      return std::make_unique<LayerPlan<>>(
          p, forward ? "layer_constant" : "layer_constant_to_input", kernel_of(p), launch_tiles(p, block_of(t)),
          [](const ConstantWeights& w, Stream stream) { w.upload(weights, weights_owner, stream); });
    },
    .costs = [](const Problem& p, const Tuned&) { return direct_cost(p); },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const Correlation c = correlation_of(p);
          KernelStep step = explain_tile_of_windows(
              p.layer.pass == Pass::forward ? "layer_constant" : "layer_constant_to_input", c, block_of(t), at);
          step.words = "Each thread adds " + products_text(c) +
                       ". It reads the inputs from global memory; the threads of a warp, which make the same plane, "
                       "read one weight at a time from constant memory, in one broadcast.";
          return Explanation{.steps = {std::move(step)}, .words = {}};
        },
    .kind = &layer_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::constant
