// Fewer multiplies by computing outputs together. Idea: of a 3×3 filter, a tile of m × m outputs needs (m+2)² products
// a channel once the inputs and the bank are transformed; at each of these (m+2)² places the channels are summed by a
// matrix product, the bank's transform times all tiles of the input. A layer shares the transforms: of an input among
// all maps, of an output among all channels. To the input is the same with dY and the bank turned about.
// Traffic: transformed inputs and sums are written and read once, (m+2)²/m² times the inputs and the outputs: 4 for
// F(2×2), 2.25 for F(4×4). Limits: 3×3, stride and dilation 1; few channels or maps, where the transforms are most of
// the work; F(4×4) multiplies rounding errors by up to a few hundred.
#include "kernels/strategies/shared/layer/explain.cuh"
#include "kernels/strategies/shared/layer/product.cuh"
#include "kernels/strategies/shared/winograd_tiles.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::winograd {

namespace {

using namespace winograd_tiles;

constexpr int threads = 128;

// The tiles of some samples, one after the other: what lies at their number in each row of the matrices.
struct Tiles {
  int across, of_plane, count, first_sample;
  int side;  // of a tile's outputs
};
struct TilePlace {
  int sample, y, x;  // of its first output
};
__device__ inline TilePlace place_of(const Tiles& tiles, int i) {
  const int own = i % tiles.of_plane;
  return {tiles.first_sample + i / tiles.of_plane, own / tiles.across * tiles.side, own % tiles.across * tiles.side};
}

// Bᵀ d B of a tile of a source: a thread, whose neighbours have the next tiles.
template <int Side>
__global__ void transform_sources(Planes<const float> in, float* transformed, Correlation c, Tiles tiles) {
  using W = Winograd<Side>;
  constexpr int n = Side + 2;
  const int tile = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  const int source = static_cast<int>(blockIdx.y);
  if (tile >= tiles.count) return;
  const TilePlace place = place_of(tiles, tile);
  float d[n][n], half[n][n];
  each<n, n>([&](int i, int j) {
    const int y = place.y - c.padding + i, x = place.x - c.padding + j;
    const bool there = y >= 0 && y < c.height && x >= 0 && x < c.width;
    d[i][j] = there ? __ldg(&in.at(place.sample * c.sources + source, y, x)) : 0.0f;
  });
  each<n, n>([&](int i, int j) {
    half[i][j] = combine<n>([&](int k) { return W::bt(i, k); }, [&](int k) { return d[k][j]; });
  });
  const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(c.sources) * tiles.count;
  float* const to = transformed + static_cast<std::ptrdiff_t>(source) * tiles.count + tile;
  each<n, n>([&](int i, int j) {
    to[(i * n + j) * step] = combine<n>([&](int k) { return W::bt(j, k); }, [&](int k) { return half[i][k]; });
  });
}

// Aᵀ m A of a tile of a target, and its epilogue.
template <int Side>
__global__ void transform_sums(const float* sums, Planes<float> out, Correlation c, Tiles tiles, LayerEpilogue epilogue,
                               int forward) {
  using W = Winograd<Side>;
  constexpr int n = Side + 2;
  const int tile = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  const int target = static_cast<int>(blockIdx.y);
  if (tile >= tiles.count) return;
  const TilePlace place = place_of(tiles, tile);
  const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(c.targets) * tiles.count;
  const float* const from = sums + static_cast<std::ptrdiff_t>(target) * tiles.count + tile;
  float m[n][n], folded[Side][n];
  each<n, n>([&](int i, int j) { m[i][j] = from[(i * n + j) * step]; });
  each<Side, n>([&](int i, int j) {
    folded[i][j] = combine<n>([&](int k) { return W::at(i, k); }, [&](int k) { return m[k][j]; });
  });
  each<Side, Side>([&](int i, int j) {
    const int y = place.y + i, x = place.x + j;
    const float sum = combine<n>([&](int k) { return W::at(j, k); }, [&](int k) { return folded[i][k]; });
    if (y < c.out_height && x < c.out_width)
      out.at(place.sample * c.targets + target, y, x) = forward ? epilogue.finish(sum, target) : sum;
  });
}

// A batch is a group at one of the (m+2)² places.
struct PlacesTask {
  int rows, columns, depth, part_depth;
  const float *bank, *transformed;
  float* sums;
  __device__ Operand<Steps, Steps, false> a(int batch) const {
    return {bank + static_cast<std::ptrdiff_t>(batch) * rows * depth, {1, rows}, {rows, depth}};
  }
  __device__ Operand<Steps, Steps, false> b(int batch) const {
    return {transformed + static_cast<std::ptrdiff_t>(batch) * depth * columns, {1, columns}, {columns, depth}};
  }
  __device__ Result<Steps> result(int batch, int) const {
    return {sums + static_cast<std::ptrdiff_t>(batch) * rows * columns, {columns, rows}, {1, columns}};
  }
};

constexpr int sides[] = {2, 4};
constexpr Tunable tunables[] = {
    {"outputs", "Output tile", "2: F(2×2,3×3), 16 multiplies instead of 36; 4: F(4×4,3×3), 36 instead of 144", sides,
     2},
    tile_tunable};

// Calls f.template operator()<Side>().
template <class F>
auto with_side(int side, F&& f) {
  return side == 2 ? f.template operator()<2>() : f.template operator()<4>();
}
int places(int side) { return (side + 2) * (side + 2); }
int tiles_of_plane(const Correlation& c, int side) {
  return ceil_div(c.out_height, side) * ceil_div(c.out_width, side);
}
// Samples whose tiles make one product: of small planes many, so that it is worth a launch.
int samples_at_once(const Correlation& c, int side) {
  constexpr int enough_tiles = 1 << 14;
  return std::min(c.samples, ceil_div(enough_tiles, tiles_of_plane(c, side)));
}
double matrix_bytes(const Correlation& c, int side, int planes) {
  return 1.0 * sizeof(float) * places(side) * planes * tiles_of_plane(c, side) * samples_at_once(c, side);
}

// G g Gᵀ of every filter: of each place and group the targets of each source.
template <int Side>
std::vector<float> transformed_bank(const Problem& p, const Filter& filter) {
  const Correlation c = correlation_of(p);
  const CorrelationWeights weight_of(p, filter);
  const std::size_t size = filter.weights.size() / 9;
  std::vector<float> bank(size * static_cast<std::size_t>(places(Side))), weights(9);
  for (int target = 0; target < c.targets; ++target)
    for (int source = 0; source < c.group_sources(); ++source) {
      for (int tap = 0; tap < 9; ++tap) weights[static_cast<std::size_t>(tap)] = weight_of(target, source, tap);
      const std::vector<double> u = transform_weights<Side>(weights);
      const int group = target / c.group_targets(), member = target % c.group_targets();
      const auto at = static_cast<std::size_t>((group * c.group_sources() + source) * c.group_targets() + member);
      for (std::size_t place = 0; place < u.size(); ++place) bank[place * size + at] = static_cast<float>(u[place]);
    }
  return bank;
}

class WinogradPlan final : public Plan {
 public:
  WinogradPlan(const Problem& problem, int side, int tile)
      : problem_(problem),
        side_(side),
        tile_(tile),
        correlation_(correlation_of(problem)),
        biases_(problem),
        bank_(problem.filter.weights.size() / 9 * static_cast<std::size_t>(places(side))),
        transformed_(floats(correlation_.sources)),
        sums_(floats(correlation_.targets)) {
    WinogradPlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    biases_.set(filter);
    with_side(side_, [&]<int Side>() { bank_.set(transformed_bank<Side>(problem_, filter)); });
  }
  void prepare(Stream stream) override {
    biases_.send(stream);
    bank_.send(stream);
  }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    const Correlation& c = correlation_;
    const int step = samples_at_once(c, side_);
    for (int first = 0; first < c.samples; first += step) {
      const Tiles tiles = tiles_from(first, std::min(step, c.samples - first));
      with_side(side_, [&]<int Side>() {
        launch(transform_sources<Side>, grid(tiles, c.sources), dim3(threads), 0, stream, planes_of<const float>(in[0]),
               transformed_.data(), c, tiles);
      });
      const PlacesTask task{c.group_targets(), tiles.count,         c.group_sources(), c.group_sources(),
                            bank_.data(),      transformed_.data(), sums_.data()};
      with_tile(tile_, task.rows, [&]<class Tile>() {
        launch(layer_product<Tile, PlacesTask>, product<Tile>(tiles), dim3(Tile::threads), Tile::shared_bytes, stream,
               task);
      });
      with_side(side_, [&]<int Side>() {
        launch(transform_sums<Side>, grid(tiles, c.targets), dim3(threads), 0, stream, sums_.data(),
               planes_of<float>(out[0]), c, tiles, biases_.epilogue(), problem_.layer.pass == Pass::forward);
      });
    }
  }
  // Of the samples that are made at once.
  std::vector<KernelInfo> kernels() const override {
    const Tiles tiles = tiles_from(0, samples_at_once(correlation_, side_));
    return with_side(side_, [&]<int Side>() -> std::vector<KernelInfo> {
      return {
          describe("transform_sources", transform_sources<Side>, grid(tiles, correlation_.sources), dim3(threads), 0),
          with_tile(tile_, correlation_.group_targets(),
                    [&]<class Tile>() {
                      return describe("layer_product", layer_product<Tile, PlacesTask>, product<Tile>(tiles),
                                      dim3(Tile::threads), Tile::shared_bytes);
                    }),
          describe("transform_sums", transform_sums<Side>, grid(tiles, correlation_.targets), dim3(threads), 0)};
    });
  }
  std::string note() const override {
    const auto mebibytes = [](std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; };
    return mebibytes(transformed_.bytes()) + " of transformed inputs and " + mebibytes(sums_.bytes()) + " of sums, " +
           std::to_string(samples_at_once(correlation_, side_)) + " of " + std::to_string(correlation_.samples) +
           " samples at once";
  }

 private:
  std::size_t floats(int planes) const {
    return static_cast<std::size_t>(matrix_bytes(correlation_, side_, planes) / sizeof(float));
  }
  Tiles tiles_from(int first, int samples) const {
    const int of_plane = tiles_of_plane(correlation_, side_);
    return {ceil_div(correlation_.out_width, side_), of_plane, of_plane * samples, first, side_};
  }
  static dim3 grid(const Tiles& tiles, int planes) { return dim3(ceil_div(tiles.count, threads), planes); }
  template <class Tile>
  dim3 product(const Tiles& tiles) const {
    return product_grid<Tile>(correlation_.group_targets(), tiles.count, 1, places(side_) * correlation_.groups);
  }

  Problem problem_;
  int side_, tile_;
  Correlation correlation_;
  LayerBiases biases_;
  GlobalFloats bank_;
  DeviceBuffer<float> transformed_, sums_;
};

std::string unsupported(const Problem& p, const Device& device, const Tuned& t) {
  if (std::string reason = float_planes_reason(p); !reason.empty()) return reason;
  if (p.layer.pass == Pass::to_weights)
    return "The transforms are those of the passes forward and to the input; of this one the outputs would be the 3 × "
           "3 weights";
  if (p.filter.width != 3 || p.layer.stride != 1 || p.layer.dilation != 1)
    return "The transforms are those of a 3 × 3 filter with stride and dilation 1; here K is " +
           std::to_string(p.filter.width) + ", the stride " + std::to_string(p.layer.stride) + " and the dilation " +
           std::to_string(p.layer.dilation);
  const int side = t["outputs"];
  if (side != 2 && side != 4) return "Tiles of " + std::to_string(side) + " outputs are not built: choose 2 or 4";
  if (std::string reason = tile_reason(t["tile"]); !reason.empty()) return reason;
  const Correlation c = correlation_of(p);
  if (std::string reason = grid_reason(dim3(1, std::max(c.sources, c.targets), places(side) * c.groups));
      !reason.empty())
    return reason;
  return memory_reason(matrix_bytes(c, side, c.sources + c.targets), device, "Transformed inputs and sums");
}

// What Σ|w| is to the direct sum, every path counted with its absolute coefficients, over all sources of a target.
template <int Side>
double largest_path(const Problem& p) {
  const Correlation c = correlation_of(p);
  const CorrelationWeights weight_of(p, p.filter);
  std::vector<float> weights(9);
  double largest = 0;
  for (int target = 0; target < c.targets; ++target) {
    std::vector<double> sums(static_cast<std::size_t>(places(Side)));
    for (int source = 0; source < c.group_sources(); ++source) {
      for (int tap = 0; tap < 9; ++tap) weights[static_cast<std::size_t>(tap)] = weight_of(target, source, tap);
      const std::vector<double> u = transform_weights<Side>(weights);
      for (std::size_t place = 0; place < u.size(); ++place) sums[place] += std::abs(u[place]);
    }
    largest = std::max(largest, path_weight<Side>(sums));
  }
  return largest;
}

// Each path from an input to an output passes so many roundings: one per term of two data and two output transforms,
// one for the float32 form of U, and those of the sum over the sources; and one for the bias. The plan's tile is not
// known here, so the larger path is assumed.
double bound(const Problem& p) {
  if (p.layer.pass == Pass::to_weights || p.filter.width != 3) return float32_sum_bound(p, layer_roundings(p));
  const int roundings = 2 * longest_row<4>(true) + 2 * longest_row<4>(false) + 2 + correlation_of(p).group_sources();
  const double gamma = std::expm1(roundings * std::log1p(0x1p-24));
  return float32_sum_bound(p, 1) + gamma * std::max(largest_path<2>(p), largest_path<4>(p));
}

Cost model(const Problem& p, const Tuned& t) {
  Cost cost = direct_cost(p);
  if (p.layer.pass == Pass::to_weights) return cost;
  const Correlation c = correlation_of(p);
  const int side = t["outputs"];
  const double tiles = 1.0 * tiles_of_plane(c, side) * c.samples, all = outputs(p);
  const double transformed = places(side) * tiles * c.sources, sums = places(side) * tiles * c.targets;
  const double products = sums * c.group_sources();
  with_side(side, [&]<int Side>() {
    cost.flop = 2 * products + tiles * (c.sources * data_flop<Side>() + c.targets * output_flop<Side>());
  });
  with_tile(t["tile"], c.group_targets(), [&]<class Tile>() {
    cost.global_loads_per_output = (transformed + sums + products / std::min(Tile::rows, c.group_targets())) / all;
    cost.weight_loads_per_output = products / Tile::columns / all;
    cost.shared_loads_per_output = 2 * products / Tile::side / all;
  });
  cost.global_stores_per_output = (transformed + sums) / all + 1;
  cost.dram_bytes += 2 * sizeof(float) * (transformed + sums);
  return cost;
}

Explanation explain(const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
  const Correlation c = correlation_of(p);
  const int side = t["outputs"], m = side + 2;
  const std::string n = std::to_string(side), all = std::to_string(m) + " × " + std::to_string(m);
  return in_words_alone(
      "The output is in tile (" + std::to_string(at.x / side) + ", " + std::to_string(at.y / side) + ") of " + n +
      " × " + n + " outputs. Of each of the " + std::to_string(c.group_sources()) + " planes that it sees, " + all +
      " inputs are transformed. At each of the " + std::to_string(m * m) +
      " places a matrix product sums them, weighted with the transformed bank. The sums are transformed back: " +
      std::to_string(m * m * c.group_sources()) + " products for " + std::to_string(side * side) +
      " outputs, where the definition has " + std::to_string(9 * side * side * c.group_sources()) + ".");
}

}  // namespace

extern const Strategy strategy{
    .id = "winograd",
    .title = "Winograd",
    .idea =
        "Transforming tiles of the input and the bank turns the 9 multiplies of each output and channel into 4 "
        "(F(2×2,3×3)) or 2.25 (F(4×4,3×3)). The price is additions, memory for what is transformed, and larger "
        "rounding errors. Matrix products sum over the channels.",
    .reading = "Lavin & Gray, Fast Algorithms for Convolutional Neural Networks, 2016, sec. 4",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = bound,
    .refuses = unsupported,
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<WinogradPlan>(p, t["outputs"], t["tile"]);
    },
    .costs = model,
    .explains = explain,
    .kind = &layer_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::winograd
