// Threads over the terms of a sum, too, for layers with few outputs. Idea: where there are fewer outputs than a GPU has
// threads, several of them share one. Forward each product has a thread of its own; to the weights a warp has a row of
// dY for each weight. What they have is added to the output in memory with atomicAdd.
// Traffic: two loads and one atomic addition for each product; to the weights one addition for each row.
// Limits: additions to one address wait for each other, and their order differs from run to run, so the last digits do.
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/layer_launch.cuh"
#include "kernels/device/parts/warp.cuh"
#include "kernels/strategies/shared/layer/explain.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::atomic {

namespace {

constexpr int threads = 256, rows_of_block = 8;

// Outputs along x, terms along y, samples and maps along z.
__global__ void layer_atomic(LayerInputs in, Planes<float> y, LayerExtents e, const float* weights) {
  const int output = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (output >= e.out_height * e.out_width) return;

  const int term = static_cast<int>(blockIdx.y), taps = e.filter * e.filter;
  const int n = static_cast<int>(blockIdx.z) / e.maps, m = static_cast<int>(blockIdx.z) % e.maps;
  const int c = e.first_channel(m) + term / taps, i = term % taps / e.filter, j = term % e.filter;
  const int ho = output / e.out_width, wo = output % e.out_width;
  const int hi = e.input_index(ho, i), wi = e.input_index(wo, j);
  if (hi < 0 || hi >= e.height || wi < 0 || wi >= e.width) return;  // in the padding
  atomicAdd(&y.at(n * e.maps + m, ho, wo), weights[e.weight_index(m, c, i, j)] * in.x.at(n * e.channels + c, hi, wi));
}

// When all sums are complete.
__global__ void layer_atomic_epilogue(Planes<float> y, LayerExtents e, LayerEpilogue epilogue) {
  const int output = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (output >= e.out_height * e.out_width) return;
  float& value = y.at(static_cast<int>(blockIdx.z), output / e.out_width, output % e.out_width);
  value = epilogue.finish(value, static_cast<int>(blockIdx.z) % e.maps);
}

// Weights along x, rows of dY along y, a warp each.
__global__ void layer_atomic_to_weights(LayerInputs in, Planes<float> df, LayerExtents e) {
  const int weight = static_cast<int>(blockIdx.x), taps = e.filter * e.filter, lane = static_cast<int>(threadIdx.x);
  const int line = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int j = weight % e.filter, i = weight % taps / e.filter, plane = weight / taps;
  const int m = plane / e.group_channels(), c = e.first_channel(m) + plane % e.group_channels();
  const int n = line / e.out_height, ho = line % e.out_height, hi = e.input_index(ho, i);
  if (n >= e.samples || hi < 0 || hi >= e.height) return;  // all of the warp

  const float *x = in.x.at(n * e.channels + c, hi), *dy = in.dy.at(n * e.maps + m, ho);
  float sum = 0;
  for (int wo = lane; wo < e.out_width; wo += 32)
    if (const int wi = e.input_index(wo, j); wi >= 0 && wi < e.width) sum = fmaf(x[wi], dy[wo], sum);
  for (int distance = 16; distance > 0; distance /= 2) sum += shuffle_xor(sum, distance);
  if (lane == 0) atomicAdd(&df.at(plane, i, j), sum);
}

LaunchShape launch_of(const Problem& p) {
  const LayerExtents e = layer_extents(p);
  const int terms = e.group_channels() * e.filter * e.filter;
  if (p.layer.pass == Pass::to_weights)
    return {dim3(e.maps * terms, ceil_div(e.samples * e.out_height, rows_of_block)), dim3(32, rows_of_block)};
  return {dim3(ceil_div(e.out_height * e.out_width, threads), terms, e.samples * e.maps), dim3(threads)};
}

class AtomicPlan final : public Plan {
 public:
  explicit AtomicPlan(const Problem& problem)
      : pass_(problem.layer.pass),
        e_(layer_extents(problem)),
        weights_(problem.filter),
        biases_(problem),
        launch_(launch_of(problem)),
        epilogue_{dim3(launch_.grid.x, 1, launch_.grid.z), launch_.block} {}

  void set_filter(const Filter& filter) override {
    weights_.set(filter);
    biases_.set(filter);
  }
  void prepare(Stream stream) override {
    weights_.send(stream);
    biases_.send(stream);
  }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    const Shape& shape = out[0].shape;
    CONVOSCOPE_CHECK(cudaMemset2DAsync(out[0].data, static_cast<std::size_t>(out[0].stride[3]), 0, shape.row_bytes(),
                                       shape.rows(), native(stream)));
    const LayerInputs inputs = layer_inputs(in, pass_);
    const Planes<float> sums = planes_of<float>(out[0]);
    if (pass_ == Pass::to_weights)
      return launch(layer_atomic_to_weights, launch_.grid, launch_.block, 0, stream, inputs, sums, e_);
    launch(layer_atomic, launch_.grid, launch_.block, 0, stream, inputs, sums, e_, weights_.data());
    if (!biases_.idle())
      launch(layer_atomic_epilogue, epilogue_.grid, epilogue_.block, 0, stream, sums, e_, biases_.epilogue());
  }
  std::vector<KernelInfo> kernels() const override {
    if (pass_ == Pass::to_weights)
      return {describe("layer_atomic_to_weights", layer_atomic_to_weights, launch_.grid, launch_.block, 0)};
    std::vector<KernelInfo> all{describe("layer_atomic", layer_atomic, launch_.grid, launch_.block, 0)};
    if (!biases_.idle())
      all.push_back(describe("layer_atomic_epilogue", layer_atomic_epilogue, epilogue_.grid, epilogue_.block, 0));
    return all;
  }

 private:
  const Pass pass_;
  const LayerExtents e_;
  GlobalWeights weights_;
  LayerBiases biases_;
  const LaunchShape launch_, epilogue_;
};

// In whatever order they come, a product passes at most all the others; to the weights those of its lane, the lanes of
// its warp, and then the rows.
int roundings(const Problem& p) {
  const LayerExtents e = layer_extents(p);
  if (p.layer.pass != Pass::to_weights) return layer_roundings(p);
  return ceil_div(e.out_width, 32) + 5 + e.samples * e.out_height;
}

}  // namespace

extern const Strategy strategy{
    .id = "atomic",
    .title = "Threads over channels and taps",
    .idea =
        "For layers with fewer outputs than a GPU has threads: the terms of each sum are shared among threads. They "
        "add theirs to the output with atomicAdd, in an order that differs from run to run.",
    .reading = "PMPP 4th ed., ch. 16.3 and 9.2",
    .backend = target_backend,
    .tunables = {},
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, roundings(p)); },
    .refuses = [](const Problem& p, const Device&, const Tuned&) -> std::string {
      if (std::string reason = float_planes_reason(p); !reason.empty()) return reason;
      if (p.layer.pass == Pass::to_input)
        return "It is for layers with few outputs; the pass to the input has as many as the input has elements, here " +
               std::to_string(layer_kind.outputs(p)[0].elements());
      return grid_reason(launch_of(p).grid);
    },
    .plans = [](const Problem& p, const Device&, const Tuned&) -> std::unique_ptr<Plan> {
      return std::make_unique<AtomicPlan>(p);
    },
    .costs =
        [](const Problem& p, const Tuned&) {
          const LayerExtents e = layer_extents(p);
          const bool forward = p.layer.pass == Pass::forward;
          Cost cost = direct_cost(p);
          if (forward) cost.weight_loads_per_output = cost.global_loads_per_output;
          cost.global_stores_per_output =
              forward ? cost.global_loads_per_output : static_cast<double>(e.samples) * e.out_height;
          return cost;
        },
    .explains =
        [](const Problem& p, const Device&, const Tuned&, const OutputIndex& at) {
          if (!is_explained(p)) return explain_weights_pass();
          const Correlation c = correlation_of(p);
          KernelStep adds = explain_run("layer_atomic", c, threads, at);
          adds.block[2] = at.sample * c.targets + at.channel;
          adds.blocks_along_y = static_cast<int>(launch_of(p).grid.y);
          adds.direct = windows_of(c, adds.outputs);
          adds.words = "The output has " + products_text(c) +
                       ". Each has a thread of its own, the same in as many blocks: blockIdx.y is the channel and the "
                       "tap. They add their products to the output with atomicAdd, in whatever order they come.";
          Explanation said{.steps = {std::move(adds)}, .words = {}};
          if (LayerBiases(p).idle()) return said;
          KernelStep ends = said.steps[0];
          ends.kernel = "layer_atomic_epilogue";
          ends.blocks_along_y = 1;
          ends.of_input = false;
          ends.direct = ends.outputs;
          ends.words = "When all sums are complete, a thread for each output adds the bias and applies ReLU.";
          said.steps.push_back(std::move(ends));
          return said;
        },
    .kind = &layer_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::atomic
