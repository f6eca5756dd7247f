// The layer as the book's kernel has it. Idea: one thread for each output; a block makes a 16 × 16 tile of one map, the
// grid is (maps, tiles, samples). To the input the same with dY and the bank turned about; to the weights a thread has
// one weight and walks over all outputs.
// Traffic: C/g·K² loads of X and as many of weights per output: 2 op for each 8 bytes, 0.25 op/B without caches.
// Limits: memory bandwidth; every map reads all of X again. To the weights there are but M·C/g·K² threads.
#include "kernels/strategies/shared/layer/explain.cuh"
#include "kernels/strategies/shared/layer/tiles.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::direct {

namespace {

constexpr int tile = 16;

__global__ void layer_direct(LayerInputs in, Planes<float> y, LayerExtents e, LayerEpilogue epilogue,
                             const float* weights) {
  const auto [m, ho, wo] = place_in_tile(e.out_width);
  if (ho >= e.out_height || wo >= e.out_width) return;

  const int n = static_cast<int>(blockIdx.z), first = e.first_channel(m);
  float sum = 0;
  for (int c = first; c < first + e.group_channels(); ++c)
    for (int i = 0; i < e.filter; ++i)
      for (int j = 0; j < e.filter; ++j) {
        const int hi = e.input_index(ho, i), wi = e.input_index(wo, j);
        if (hi < 0 || hi >= e.height || wi < 0 || wi >= e.width) continue;  // in the padding
        sum = fmaf(weights[e.weight_index(m, c, i, j)], in.x.at(n * e.channels + c, hi, wi), sum);
      }
  y.at(n * e.maps + m, ho, wo) = epilogue.finish(sum, m);
}

// The grid's maps are channels here: each element of dX gathers from the outputs that it went into.
__global__ void layer_direct_to_input(LayerInputs in, Planes<float> dx, LayerExtents e, LayerEpilogue,
                                      const float* weights) {
  const auto [c, hi, wi] = place_in_tile(e.width);
  if (hi >= e.height || wi >= e.width) return;

  const int n = static_cast<int>(blockIdx.z), first = e.first_map(c);
  float sum = 0;
  for (int m = first; m < first + e.group_maps(); ++m)
    for (int i = 0; i < e.filter; ++i)
      for (int j = 0; j < e.filter; ++j) {
        const int ho = e.output_index(hi, i, e.out_height), wo = e.output_index(wi, j, e.out_width);
        if (ho < 0 || wo < 0) continue;  // the stride leaves it out, or the output is none
        sum = fmaf(weights[e.weight_index(m, c, i, j)], in.dy.at(n * e.maps + m, ho, wo), sum);
      }
  dx.at(n * e.channels + c, hi, wi) = sum;
}

// One thread a weight, along x; rows are summed alone, so that no sum grows too long.
__global__ void layer_direct_to_weights(LayerInputs in, Planes<float> df, LayerExtents e, LayerEpilogue) {
  const int taps = e.filter * e.filter, weight = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (weight >= e.maps * e.group_channels() * taps) return;

  const int j = weight % e.filter, i = weight % taps / e.filter, plane = weight / taps;
  const int m = plane / e.group_channels(), c = e.first_channel(m) + plane % e.group_channels();
  float sum = 0;
  for (int n = 0; n < e.samples; ++n)
    for (int ho = 0; ho < e.out_height; ++ho) {
      const int hi = e.input_index(ho, i);
      if (hi < 0 || hi >= e.height) continue;
      const float *x = in.x.at(n * e.channels + c, hi), *dy = in.dy.at(n * e.maps + m, ho);
      float row = 0;
      for (int wo = 0; wo < e.out_width; ++wo)
        if (const int wi = e.input_index(wo, j); wi >= 0 && wi < e.width) row = fmaf(x[wi], dy[wo], row);
      sum += row;
    }
  df.at(plane, i, j) = sum;
}

LaunchShape launch_of(const Problem& p) {
  if (p.layer.pass != Pass::to_weights) return launch_tiles(p, dim3(tile, tile));
  return {dim3(ceil_div(static_cast<int>(layer_kind.outputs(p)[0].elements()), tile * tile)), dim3(tile * tile)};
}

}  // namespace

extern const Strategy strategy{
    .id = "direct",
    .title = "One thread per output",
    .idea =
        "The book's kernel: a block makes a 16 × 16 tile of one map of one sample, one thread for each output. It "
        "loads the window of every channel and every weight from global memory, and each map does so again.",
    .reading = "PMPP 4th ed., ch. 16.3",
    .backend = target_backend,
    .tunables = {},
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, layer_roundings(p)); },
    .refuses = [](const Problem& p, const Device&, const Tuned&) -> std::string {
      if (std::string reason = float_planes_reason(p); !reason.empty()) return reason;
      return grid_reason(launch_of(p).grid);
    },
    .plans = [](const Problem& p, const Device&, const Tuned&) -> std::unique_ptr<Plan> {
      if (p.layer.pass == Pass::to_weights)
        return std::make_unique<LayerPlan<>>(p, "layer_direct_to_weights", layer_direct_to_weights, launch_of(p),
                                             nullptr);
      const bool forward = p.layer.pass == Pass::forward;
      return std::make_unique<GlobalWeightsPlan<LayerViews>>(p, forward ? "layer_direct" : "layer_direct_to_input",
                                                             forward ? layer_direct : layer_direct_to_input,
                                                             launch_of(p));
    },
    .costs =
        [](const Problem& p, const Tuned&) {
          Cost cost = direct_cost(p);
          if (p.layer.pass != Pass::to_weights) cost.weight_loads_per_output = cost.global_loads_per_output;
          return cost;
        },
    .explains =
        [](const Problem& p, const Device&, const Tuned&, const OutputIndex& at) {
          if (!is_explained(p)) return explain_weights_pass();
          const Correlation c = correlation_of(p);
          KernelStep step = explain_tile_of_windows(
              p.layer.pass == Pass::forward ? "layer_direct" : "layer_direct_to_input", c, launch_of(p).block, at);
          step.words = "Each thread adds " + products_text(c) +
                       " and reads both factors of each from global memory. Only the caches know that its neighbours, "
                       "and the same block of every other plane, read nearly the same inputs.";
          return Explanation{.steps = {std::move(step)}, .words = {}};
        },
    .kind = &layer_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::direct
