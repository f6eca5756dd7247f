// The layer as a matrix product whose second matrix exists only on chip. Idea: Y = F · U with F the bank, M × C·K², and
// U the unrolled input, a column for each output; a block makes the slabs of U that it needs in shared memory, from the
// places of its columns and of the slab's taps, and throws them away. To the input is the same product with dY unrolled
// and the bank turned about; to the weights dY · Uᵀ, in parts of the outputs that a second kernel adds.
// Traffic: U is never stored; an element of it is loaded once for each tile of maps, nearly always from L1 or L2.
// Limits: index arithmetic beside each load; tiles of 16 maps for a layer of three leave most products unused.
#include "kernels/strategies/shared/layer/correlation.cuh"
#include "kernels/strategies/shared/layer/explain.cuh"
#include "kernels/strategies/shared/layer/product.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm {

namespace {

// A row of U: which source of the group, and how far its tap is from the first.
struct alignas(16) Tap {
  int source, y, x, there;
};
// A column of U: where the first tap of that output lies.
struct Place {
  int y, x;
};
constexpr int nowhere = -(1 << 30);

struct Taps {
  const Tap* table;
  int count;
  __device__ Tap at(int i) const { return i < count ? table[i] : Tap{0, 0, 0, 0}; }
};
struct Places {
  int width, count, stride, padding;
  __device__ Place at(int i) const {
    return i < count ? Place{i / width * stride - padding, i % width * stride - padding} : Place{nowhere, 0};
  }
};

// U, or its transpose: Deep, the taps are its depth. Spread: the sources' elements are.
template <bool Deep, bool Spread>
struct Unrolled {
  static constexpr bool along = !Deep;
  Planes<const float> in;
  int plane, height, width, spread;
  Taps taps;
  Places places;
  __device__ auto lane(int i) const {
    if constexpr (Deep)
      return places.at(i);
    else
      return taps.at(i);
  }
  __device__ auto depth(int k) const {
    if constexpr (Deep)
      return taps.at(k);
    else
      return places.at(k);
  }
  __device__ float load(const Place& place, const Tap& tap) const {
    int y = place.y + tap.y, x = place.x + tap.x;
    if (!tap.there || y < 0 || x < 0) return 0;
    if constexpr (Spread) {
      if (y % spread != 0 || x % spread != 0) return 0;
      y /= spread, x /= spread;
    }
    return y < height && x < width ? __ldg(in.at(plane + tap.source, y) + x) : 0.0f;
  }
  __device__ float load(const Tap& tap, const Place& place) const { return load(place, tap); }
};

template <bool Deep, bool Spread>
__device__ Unrolled<Deep, Spread> unrolled(const Planes<const float>& in, const Correlation& c, int sample, int group,
                                           const Tap* table) {
  return {in,
          sample * c.sources + group * c.group_sources(),
          c.height,
          c.width,
          c.spread,
          {table, c.group_sources() * c.filter * c.filter},
          {c.out_width, c.out_height * c.out_width, c.stride, c.padding}};
}

// A batch is a group of a sample.
template <bool Spread>
struct CorrelationTask {
  int rows, columns, depth, part_depth;
  Planes<const float> in;
  Planes<float> out;
  Correlation c;
  LayerEpilogue epilogue;
  int forward;
  const float* bank;  // of each group the targets of each row of U
  const Tap* table;

  __device__ Operand<Steps, Steps, false> a(int batch) const {
    const int group = batch % c.groups;
    return {bank + static_cast<std::ptrdiff_t>(group) * rows * depth, {1, rows}, {rows, depth}};
  }
  __device__ Unrolled<true, Spread> b(int batch) const {
    return unrolled<true, Spread>(in, c, batch / c.groups, batch % c.groups, table);
  }
  __device__ Result<Positions> result(int batch, int) const {
    const int first = batch % c.groups * c.group_targets();
    return {out.at(batch / c.groups * c.targets + first, 0),
            {out.plane, rows},
            {c.out_width, columns, out.row},
            epilogue,
            forward ? first : -1};
  }
};

struct WeightsTask {
  int rows, columns, depth, part_depth;
  LayerInputs in;
  Correlation c;
  float* partials;
  const Tap* table;

  __device__ Operand<Steps, Positions, true> a(int batch) const {
    const int first = batch / c.groups * c.targets + batch % c.groups * c.group_targets();
    return {in.dy.at(first, 0), {in.dy.plane, rows}, {c.out_width, depth, in.dy.row}};
  }
  __device__ Unrolled<false, false> b(int batch) const {
    return unrolled<false, false>(in.x, c, batch / c.groups, batch % c.groups, table);
  }
  __device__ Result<Steps> result(int batch, int part) const {
    const std::ptrdiff_t buffer = static_cast<std::ptrdiff_t>(batch / c.groups) * gridDim.y + part;
    const std::ptrdiff_t first = buffer * c.targets + batch % c.groups * c.group_targets();
    return {partials + first * columns, {columns, rows}, {1, columns}};
  }
};

constexpr Tunable tunables[] = {tile_tunable};

Correlation forward_of(Problem p) {
  p.layer.pass = Pass::forward;
  return correlation_of(p);
}

class TapTable {
 public:
  explicit TapTable(const Correlation& c) : memory_(static_cast<std::size_t>(c.group_sources() * c.filter * c.filter)) {
    for (int s = 0; s < c.group_sources(); ++s)
      for (int i = 0; i < c.filter; ++i)
        for (int j = 0; j < c.filter; ++j) taps_.push_back({s, i * c.dilation, j * c.dilation, 1});
  }
  void send(Stream stream) {
    if (std::exchange(sent_, true)) return;
    CONVOSCOPE_CHECK(
        cudaMemcpyAsync(memory_.data(), taps_.data(), memory_.bytes(), cudaMemcpyHostToDevice, native(stream)));
  }
  const Tap* data() const { return memory_.data(); }

 private:
  std::vector<Tap> taps_;
  DeviceBuffer<Tap> memory_;
  bool sent_ = false;
};

// Forward and to the input.
class CorrelationPlan final : public Plan {
 public:
  CorrelationPlan(const Problem& problem, int tile)
      : problem_(problem),
        tile_(tile),
        correlation_(correlation_of(problem)),
        biases_(problem),
        bank_(problem.filter.weights.size()),
        table_(correlation_) {
    CorrelationPlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    biases_.set(filter);
    bank_.set(chunked_bank(problem_, filter, correlation_.group_targets()));
  }
  void prepare(Stream stream) override {
    biases_.send(stream);
    bank_.send(stream);
    table_.send(stream);
  }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    const Correlation& c = correlation_;
    const int depth = c.group_sources() * c.filter * c.filter;
    with_kernel([&]<class Tile, bool Spread>() {
      launch(layer_product<Tile, CorrelationTask<Spread>>, grid<Tile>(), dim3(Tile::threads), Tile::shared_bytes,
             stream,
             CorrelationTask<Spread>{c.group_targets(), c.out_height * c.out_width, depth, depth,
                                     planes_of<const float>(in[0]), planes_of<float>(out[0]), c, biases_.epilogue(),
                                     problem_.layer.pass == Pass::forward, bank_.data(), table_.data()});
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    with_kernel([&]<class Tile, bool Spread>() {
      infos = {describe("layer_product", layer_product<Tile, CorrelationTask<Spread>>, grid<Tile>(),
                        dim3(Tile::threads), Tile::shared_bytes)};
    });
    return infos;
  }

 private:
  template <class F>
  void with_kernel(F&& f) const {
    with_tile(tile_, correlation_.group_targets(), [&]<class Tile>() {
      correlation_.spread > 1 ? f.template operator()<Tile, true>() : f.template operator()<Tile, false>();
    });
  }
  template <class Tile>
  dim3 grid() const {
    const Correlation& c = correlation_;
    return product_grid<Tile>(c.group_targets(), c.out_height * c.out_width, 1, c.samples * c.groups);
  }

  Problem problem_;
  int tile_;
  Correlation correlation_;
  LayerBiases biases_;
  GlobalFloats bank_;
  TapTable table_;
};

class WeightsPlan final : public Plan {
 public:
  WeightsPlan(const Problem& problem, int tile)
      : tile_(tile),
        correlation_(forward_of(problem)),
        extents_(layer_extents(problem)),
        table_(correlation_),
        partials_(problem, extents_.samples * position_parts(extents_)) {}
  void set_filter(const Filter&) override {}
  void prepare(Stream stream) override { table_.send(stream); }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    const WeightsTask task{rows(),
                           columns(),
                           position_count(extents_),
                           part_positions,
                           layer_inputs(in, Pass::to_weights),
                           correlation_,
                           partials_.data(),
                           table_.data()};
    with_deep_tile(tile_, rows(), [&]<class Tile>() {
      launch(layer_product<Tile, WeightsTask>, grid<Tile>(), dim3(Tile::threads), Tile::shared_bytes, stream, task);
    });
    partials_.add(out[0], stream);
  }
  std::vector<KernelInfo> kernels() const override {
    return with_deep_tile(tile_, rows(), [&]<class Tile>() -> std::vector<KernelInfo> {
      return {describe("layer_product", layer_product<Tile, WeightsTask>, grid<Tile>(), dim3(Tile::threads),
                       Tile::shared_bytes),
              partials_.kernel()};
    });
  }

 private:
  int rows() const { return extents_.group_maps(); }
  int columns() const { return extents_.group_channels() * extents_.filter * extents_.filter; }
  template <class Tile>
  dim3 grid() const {
    return product_grid<Tile>(rows(), columns(), position_parts(extents_), extents_.samples * extents_.groups);
  }

  int tile_;
  Correlation correlation_;
  LayerExtents extents_;
  TapTable table_;
  PartialSums partials_;
};

std::string unsupported(const Problem& p, const Device& device, const Tuned& t) {
  if (std::string reason = float_planes_reason(p); !reason.empty()) return reason;
  if (std::string reason = tile_reason(t["tile"]); !reason.empty()) return reason;
  const LayerExtents e = layer_extents(p);
  if (std::string reason = grid_reason(dim3(1, position_parts(e), e.samples * e.groups)); !reason.empty())
    return reason;
  if (p.layer.pass != Pass::to_weights) return {};
  return memory_reason(PartialSums::bytes(p, e.samples * position_parts(e)), device, "The parts' sums");
}

Cost model(const Problem& p, const Tuned& t) {
  Cost cost = direct_cost(p);
  const LayerExtents e = layer_extents(p);
  const int tile = t["tile"];
  if (p.layer.pass == Pass::to_weights) {
    with_deep_tile(tile, e.group_maps(), [&]<class Tile>() {
      cost.global_loads_per_output = layer_terms(p) * (1.0 / Tile::rows + 1.0 / Tile::columns);
    });
    return cost;
  }
  const Correlation c = correlation_of(p);
  const double depth = 1.0 * c.group_sources() * c.filter * c.filter;
  with_tile(tile, c.group_targets(), [&]<class Tile>() {
    cost.global_loads_per_output = depth / std::min(Tile::rows, c.group_targets());
    cost.weight_loads_per_output = depth / Tile::columns;
    cost.shared_loads_per_output = 2 * depth / Tile::side;
  });
  return cost;
}

Explanation explain(const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
  if (!is_explained(p)) return explain_weights_pass();
  const Correlation c = correlation_of(p);
  MatrixProduct product = unrolled_product(c, at);
  KernelStep step = with_tile(t["tile"], product.rows, [&]<class Tile>() {
    product.tile = tile_of_product<Tile>(product);
    return explain_product<Tile>(c, product, at.sample * c.groups + at.channel / c.group_targets(), at);
  });
  step.tile = windows_of(c, step.outputs);
  step.words = meeting_text(product) +
               " U is nowhere: slab by slab, the threads of the block put the elements of its "
               "columns into shared memory, straight from the inputs, and add " +
               products_text(c) + " for each output.";
  return {.steps = {std::move(step)}, .words = {}, .launches_before = 0, .product = product};
}

}  // namespace

extern const Strategy strategy{
    .id = "implicit-gemm",
    .title = "Implicit GEMM",
    .idea =
        "A matrix product, the bank times the unrolled input, in which the unrolled matrix is never stored: each block "
        "makes the pieces that it needs in shared memory. The three passes are one scheme of index maps.",
    .reading = "PMPP 4th ed., ch. 16.4; Chetlur et al., cuDNN: Efficient Primitives for Deep Learning, 2014",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance =
        [](const Problem& p) {
          return float32_sum_bound(p, p.layer.pass == Pass::to_weights ? product_roundings(p) : layer_roundings(p));
        },
    .refuses = unsupported,
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      const int tile = t["tile"];
      if (p.layer.pass == Pass::to_weights) return std::make_unique<WeightsPlan>(p, tile);
      return std::make_unique<CorrelationPlan>(p, tile);
    },
    .costs = model,
    .explains = explain,
    .kind = &layer_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm
