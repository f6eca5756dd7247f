// The unrolled input in memory, and a matrix product of ours. Idea: a kernel writes the neighbourhood of every output
// as a column of a matrix U, C·K² × Hₒ·Wₒ; then the layer is a product that any good kernel can make: Y = F · U. To the
// input Fᵀ · dY gives the columns, which another kernel adds up where they overlap; to the weights dY · Uᵀ.
// Traffic: U is written and read once for each sample, K² times the input; one buffer serves all samples.
// Limits: that traffic, with few maps; memory for the buffer, K² times a sample.
#include "kernels/strategies/shared/layer/explain.cuh"
#include "kernels/strategies/shared/layer/product.cuh"
#include "kernels/strategies/shared/layer/unroll.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::im2col_own_gemm {

namespace {

// Of one sample; a batch is a group.
struct ForwardTask {
  int rows, columns, depth, part_depth;
  const float *bank, *unrolled;
  Planes<float> y;
  LayerExtents e;
  LayerEpilogue epilogue;
  int sample;
  __device__ Operand<Steps, Steps, true> a(int group) const {
    return {bank + static_cast<std::ptrdiff_t>(group) * rows * depth, {depth, rows}, {1, depth}};
  }
  __device__ Operand<Steps, Steps, false> b(int group) const {
    return {unrolled + static_cast<std::ptrdiff_t>(group) * depth * columns, {1, columns}, {columns, depth}};
  }
  __device__ Result<Positions> result(int group, int) const {
    const int first = group * rows;
    return {y.at(sample * e.maps + first, 0), {y.plane, rows}, {e.out_width, columns, y.row}, epilogue, first};
  }
};

struct InputTask {
  int rows, columns, depth, part_depth;
  const float* bank;
  float* unrolled;
  Planes<const float> dy;
  LayerExtents e;
  int sample;
  __device__ Operand<Steps, Steps, false> a(int group) const {
    return {bank + static_cast<std::ptrdiff_t>(group) * rows * depth, {1, rows}, {rows, depth}};
  }
  __device__ Operand<Positions, Steps, false> b(int group) const {
    return {dy.at(sample * e.maps + group * depth, 0), {e.out_width, columns, dy.row}, {dy.plane, depth}};
  }
  __device__ Result<Steps> result(int group, int) const {
    return {unrolled + static_cast<std::ptrdiff_t>(group) * rows * columns, {columns, rows}, {1, columns}};
  }
};

struct WeightsTask {
  int rows, columns, depth, part_depth;
  const float* unrolled;
  float* partials;
  Planes<const float> dy;
  LayerExtents e;
  int sample;
  __device__ Operand<Steps, Positions, true> a(int group) const {
    return {dy.at(sample * e.maps + group * rows, 0), {dy.plane, rows}, {e.out_width, depth, dy.row}};
  }
  __device__ Operand<Steps, Steps, true> b(int group) const {
    return {unrolled + static_cast<std::ptrdiff_t>(group) * columns * depth, {depth, columns}, {1, depth}};
  }
  __device__ Result<Steps> result(int group, int part) const {
    const std::ptrdiff_t buffer = static_cast<std::ptrdiff_t>(sample) * gridDim.y + part;
    return {partials + (buffer * e.maps + group * rows) * columns, {columns, rows}, {1, columns}};
  }
};

constexpr Tunable tunables[] = {tile_tunable};

class Im2colPlan final : public Plan {
 public:
  Im2colPlan(const Problem& problem, int tile)
      : problem_(problem),
        extents_(layer_extents(problem)),
        tile_(tile),
        unrolled_(problem),
        biases_(problem),
        bank_(problem.filter.weights.size()),
        partials_(problem, to_weights() ? extents_.samples * position_parts(extents_) : 0) {
    Im2colPlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    biases_.set(filter);
    if (!to_weights()) bank_.set(filter.weights);
  }
  void prepare(Stream stream) override {
    biases_.send(stream);
    bank_.send(stream);
  }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    const LayerInputs inputs = layer_inputs(in, problem_.layer.pass);
    const auto result = planes_of<float>(out[0]);
    for (int n = 0; n < extents_.samples; ++n) switch (problem_.layer.pass) {
        case Pass::forward:
          unrolled_.unroll(inputs.x, n, stream);
          product(ForwardTask{extents_.group_maps(), positions(), bank_depth(), bank_depth(), bank_.data(),
                              unrolled_.data(), result, extents_, biases_.epilogue(), n},
                  stream);
          break;
        case Pass::to_input:
          product(InputTask{bank_depth(), positions(), extents_.group_maps(), extents_.group_maps(), bank_.data(),
                            unrolled_.data(), inputs.dy, extents_, n},
                  stream);
          unrolled_.gather(result, n, stream);
          break;
        case Pass::to_weights:
          unrolled_.unroll(inputs.x, n, stream);
          product(WeightsTask{extents_.group_maps(), bank_depth(), positions(), part_positions, unrolled_.data(),
                              partials_.data(), inputs.dy, extents_, n},
                  stream);
      }
    if (to_weights()) partials_.add(out[0], stream);
  }
  // Of one sample, and what all have at the end.
  std::vector<KernelInfo> kernels() const override {
    if (problem_.layer.pass == Pass::forward)
      return {unrolled_.unroll_kernel(), product_kernel<ForwardTask>(extents_.group_maps(), positions())};
    if (problem_.layer.pass == Pass::to_input)
      return {product_kernel<InputTask>(bank_depth(), positions()), unrolled_.gather_kernel()};
    return {unrolled_.unroll_kernel(), product_kernel<WeightsTask>(extents_.group_maps(), bank_depth()),
            partials_.kernel()};
  }
  std::string note() const override {
    return std::to_string(static_cast<long>(UnrolledInput::bytes(problem_) / 0x1p20)) +
           " MiB of unrolled input, one sample after the other";
  }

 private:
  bool to_weights() const { return problem_.layer.pass == Pass::to_weights; }
  int positions() const { return position_count(extents_); }
  int bank_depth() const { return extents_.group_channels() * extents_.filter * extents_.filter; }

  template <class Task, class F>
  auto with_tile_of(int rows, F&& f) const {
    if constexpr (std::is_same_v<Task, WeightsTask>)
      return with_deep_tile(tile_, rows, f);
    else
      return with_tile(tile_, rows, f);
  }
  template <class Tile>
  dim3 grid(int rows, int columns) const {
    return product_grid<Tile>(rows, columns, to_weights() ? position_parts(extents_) : 1, extents_.groups);
  }
  template <class Task>
  void product(const Task& task, Stream stream) const {
    with_tile_of<Task>(task.rows, [&]<class Tile>() {
      launch(layer_product<Tile, Task>, grid<Tile>(task.rows, task.columns), dim3(Tile::threads), Tile::shared_bytes,
             stream, task);
    });
  }
  template <class Task>
  KernelInfo product_kernel(int rows, int columns) const {
    return with_tile_of<Task>(rows, [&]<class Tile>() {
      return describe("layer_product", layer_product<Tile, Task>, grid<Tile>(rows, columns), dim3(Tile::threads),
                      Tile::shared_bytes);
    });
  }

  Problem problem_;
  LayerExtents extents_;
  int tile_;
  UnrolledInput unrolled_;
  LayerBiases biases_;
  GlobalFloats bank_;
  PartialSums partials_;
};

std::string unsupported(const Problem& p, const Device& device, const Tuned& t) {
  if (std::string reason = float_planes_reason(p); !reason.empty()) return reason;
  if (std::string reason = tile_reason(t["tile"]); !reason.empty()) return reason;
  if (std::string reason = unrolled_reason(p, device); !reason.empty()) return reason;
  const LayerExtents e = layer_extents(p);
  const bool to_weights = p.layer.pass == Pass::to_weights;
  if (std::string reason = grid_reason(dim3(1, to_weights ? position_parts(e) : 1, e.groups)); !reason.empty())
    return reason;
  if (!to_weights) return {};
  return memory_reason(PartialSums::bytes(p, e.samples * position_parts(e)), device, "The parts' sums");
}

Explanation explain(const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
  if (p.layer.pass != Pass::forward)
    return in_words_alone(
        "Blocks and threads are told of the forward pass. To the input, each element of dX is added up from the "
        "columns of Fᵀ · dY; to the weights, the product is dY · Uᵀ.");
  const Correlation c = correlation_of(p);
  MatrixProduct product = unrolled_product(c, at);
  KernelStep multiplies = with_tile(t["tile"], product.rows, [&]<class Tile>() {
    product.tile = tile_of_product<Tile>(product);
    return explain_product<Tile>(c, product, at.channel / c.group_targets(), at);
  });
  multiplies.of_input = false;
  multiplies.direct = multiplies.outputs;
  multiplies.words = meeting_text(product) +
                     " The block brings slabs of its rows of F and its columns of U into shared memory; the thread "
                     "adds " +
                     products_text(c) + " for each output of its own.";
  return {.steps = {explain_unrolling(c, at), std::move(multiplies)},
          .words = {},
          .launches_before = 2 * at.sample,
          .product = product};
}

}  // namespace

extern const Strategy strategy{
    .id = "im2col-own-gemm",
    .title = "im2col + our GEMM",
    .idea =
        "Unroll the input so that every output's neighbourhood is a column of a matrix, then multiply it by the bank "
        "in tiles. Any good kernel can compute that product, at the cost of sending K² times the input through "
        "memory.",
    .reading = "PMPP 4th ed., ch. 16.4",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance =
        [](const Problem& p) {
          return float32_sum_bound(p, p.layer.pass == Pass::to_weights ? product_roundings(p) : unrolled_roundings(p));
        },
    .refuses = unsupported,
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<Im2colPlan>(p, t["tile"]);
    },
    .costs = [](const Problem& p, const Tuned&) { return unrolled_cost(p); },
    .explains = explain,
    .kind = &layer_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::im2col_own_gemm
