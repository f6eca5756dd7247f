// The implicit product on tensor cores. Idea: Y = U · F, U the unrolled input with a row for each output, F the bank; a
// block makes the slabs of U that it needs in shared memory and its warps multiply them 16 × 8 outputs at a time, from
// float16 or tf32 numbers into float32 sums. Depth runs over the channels of a tap, then over the taps: channel by
// channel (nhwc) 8 float16 numbers of a tap are one load of 16 bytes, where the group has a multiple of so many
// channels. To the input is the same product with dY unrolled and the bank turned about; to the weights Uᵀ · dY, in
// parts of the outputs that a second kernel adds.
// Traffic: an element of U is loaded once for each tile of maps, nearly always from L1 or L2.
// Limits: tiles of 128 outputs and 16 maps; numbers of 11 significant bits; a slab is on its way through registers.
// From compute capability 8.0 on, float16 in nhwc does without U: of what a block's outputs see, cp.async keeps a
// window in shared memory (window_product.cuh), and for few channels nothing (few_channels.cuh).
#include <cmath>
#include <cstring>

#include "kernels/contract/data/half.h"
#include "kernels/contract/theory/type_rounding.h"
#include "kernels/device/capability.h"
#include "kernels/strategies/shared/layer/explain.cuh"
#include "kernels/strategies/shared/layer/product.cuh"
#include "kernels/strategies/shared/layer/unrolled_words.cuh"
#include "kernels/strategies/shared/layer/window_explain.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_tensor {

namespace {

constexpr int map_choices[] = {0, 16, 32, 64, 128}, output_choices[] = {0, 128, 256},
              channel_choices[] = {0, 16, 32, 64}, stage_choices[] = {0, 2, 3, 4};
constexpr Tunable tunables[] = {
    {"maps", "Maps of a tile",
     "Maps, or channels to the input, of a block's tile of the product; it has 128 outputs of each, to the weights 64 "
     "weights. 0: as few as the maps fit in",
     map_choices, 0},
    {"outputs", "Outputs of a tile",
     "Outputs of a block's rectangle of float16. 0: 128 of 128 maps, otherwise what leaves fewer multiprocessors idle",
     output_choices, 0},
    {"channels", "Channels of a slab", "Channels of a float16 window that are in shared memory at a time. 0: 16 or 32",
     channel_choices, 0},
    {"stages", "Stages",
     "How many steps of the bank, of a float16 window, are in shared memory: all but one on their way. 0: 2 for tiles "
     "of 128 maps, otherwise 3",
     stage_choices, 0},
};

// Calls f.template operator()<Tile>().
template <class F>
auto with_word_tile(int asked, int maps, F&& f) {
  const int tile = asked ? asked : maps;
  if (tile <= 16) return f.template operator()<WordTile<128, 16, 4, 1>>();
  if (tile <= 32) return f.template operator()<WordTile<128, 32, 4, 1>>();
  return f.template operator()<WordTile<128, 64, 4, 1>>();
}
template <class F>
auto with_weights_tile(int asked, int maps, F&& f) {
  if ((asked ? asked : maps) <= 32) return f.template operator()<WordTile<64, 32, 2, 2>>();
  return f.template operator()<WordTile<64, 64, 2, 2>>();
}

template <class Tile>
dim3 words_grid(int rows, int columns, int parts, int batches) {
  return dim3(
      static_cast<unsigned>(ceil_div(rows, Tile::rows)) * static_cast<unsigned>(ceil_div(columns, Tile::columns)),
      parts, batches);
}

Correlation forward_of(Problem p) {
  p.layer.pass = Pass::forward;
  return correlation_of(p);
}
int depth_of(const Correlation& c) { return c.group_sources() * c.filter * c.filter; }

GlobalValues<Tap> tap_table(const Correlation& c) {
  std::vector<Tap> taps;
  for (int i = 0; i < c.filter; ++i)
    for (int j = 0; j < c.filter; ++j)
      for (int s = 0; s < c.group_sources(); ++s) taps.push_back({s, i * c.dilation, j * c.dilation, 1});
  return GlobalValues<Tap>(std::move(taps));
}

// The correlation's bank as words: of each group `lanes` targets of `depth` numbers, filled up with zeros.
template <class T>
std::vector<unsigned> bank_words(const Problem& p, const Filter& filter, int lanes, int depth) {
  const Correlation c = correlation_of(p);
  const CorrelationWeights weights(p, filter);
  std::vector<T> numbers(static_cast<std::size_t>(c.groups) * static_cast<std::size_t>(lanes) *
                         static_cast<std::size_t>(depth));
  for (int group = 0; group < c.groups; ++group)
    for (int member = 0; member < c.group_targets(); ++member) {
      T* number = &numbers[(static_cast<std::size_t>(group) * static_cast<std::size_t>(lanes) +
                            static_cast<std::size_t>(member)) *
                           static_cast<std::size_t>(depth)];
      for (int tap = 0; tap < c.filter * c.filter; ++tap)
        for (int source = 0; source < c.group_sources(); ++source) {
          const float weight = weights(group * c.group_targets() + member, source, tap);
          if constexpr (sizeof(T) == 2)
            *number++ = to_half(weight);
          else
            *number++ = round_to_tf32(weight);
        }
    }
  std::vector<unsigned> words(numbers.size() / word_elements<T>);
  std::memcpy(words.data(), numbers.data(), words.size() * sizeof(unsigned));
  return words;
}

// Forward and to the input.
template <class T>
class CorrelationPlan final : public Plan {
 public:
  CorrelationPlan(const Problem& problem, int asked)
      : problem_(problem),
        asked_(asked),
        correlation_(correlation_of(problem)),
        bank_lanes_(with_tile(
            [&]<class Tile>() { return ceil_div(correlation_.group_targets(), Tile::columns) * Tile::columns; })),
        bank_depth_(ceil_div(depth_of(correlation_), slab_depth<T>) * slab_depth<T>),
        biases_(problem),
        bank_(static_cast<std::size_t>(correlation_.groups) * static_cast<std::size_t>(bank_lanes_) *
              static_cast<std::size_t>(bank_depth_ / word_elements<T>)),
        table_(tap_table(correlation_)) {
    CorrelationPlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    biases_.set(filter);
    bank_.set(bank_words<T>(problem_, filter, bank_lanes_, bank_depth_));
  }
  void prepare(Stream stream) override {
    biases_.send(stream);
    bank_.send(stream);
    table_.send(stream);
  }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    const Correlation& c = correlation_;
    const bool pairs = aligned(out[0], 4) && c.group_targets() % 2 == 0;
    with_kernel(may_be_wide() && aligned(in[0], 16), [&]<class Tile, bool Wide>() {
      launch(layer_product_tensor<T, Tile, CorrelationTask<T, Wide>>, grid<Tile>(), dim3(Tile::threads),
             Tile::shared_bytes, stream,
             CorrelationTask<T, Wide>{c.group_targets(), depth_of(c), bank_depth_, strided<const T>(in[0]),
                                      strided<T>(out[0]), c, biases_.epilogue(), problem_.layer.pass == Pass::forward,
                                      pairs, reinterpret_cast<const uint4*>(bank_.data()), bank_lanes_,
                                      bank_depth_ / chunk_elements<T>, table_.data()});
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    with_kernel(may_be_wide(), [&]<class Tile, bool Wide>() {
      infos = {describe("layer_product_tensor", layer_product_tensor<T, Tile, CorrelationTask<T, Wide>>, grid<Tile>(),
                        dim3(Tile::threads), Tile::shared_bytes)};
    });
    return infos;
  }
  std::string note() const override {
    if (may_be_wide()) return "inputs are loaded " + std::to_string(chunk_elements<T>) + " channels at a time";
    return "inputs are loaded one by one: 16 bytes at a time takes nhwc and a multiple of " +
           std::to_string(chunk_elements<T>) + " channels a group; here are " +
           std::to_string(correlation_.group_sources()) + " in " + std::string(to_string(problem_.layer.layout));
  }

 private:
  bool may_be_wide() const {
    return problem_.layer.layout == Layout::nhwc && correlation_.group_sources() % chunk_elements<T> == 0;
  }
  template <class F>
  auto with_tile(F&& f) const {
    return with_word_tile(asked_, correlation_.group_targets(), f);
  }
  template <class F>
  void with_kernel(bool wide, F&& f) const {
    with_tile([&]<class Tile>() { wide ? f.template operator()<Tile, true>() : f.template operator()<Tile, false>(); });
  }
  template <class Tile>
  dim3 grid() const {
    const Correlation& c = correlation_;
    return words_grid<Tile>(c.out_height * c.out_width, c.group_targets(), 1, c.samples * c.groups);
  }

  Problem problem_;
  int asked_;
  Correlation correlation_;
  int bank_lanes_, bank_depth_;
  LayerBiases biases_;
  GlobalValues<unsigned> bank_;
  GlobalValues<Tap> table_;
};

template <class T>
class WeightsPlan final : public Plan {
 public:
  WeightsPlan(const Problem& problem, int asked)
      : asked_(asked),
        correlation_(forward_of(problem)),
        extents_(layer_extents(problem)),
        table_(tap_table(correlation_)),
        partials_(problem, extents_.samples * position_parts(extents_)) {}
  void set_filter(const Filter&) override {}
  void prepare(Stream stream) override { table_.send(stream); }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    const WeightsTask<T> task{extents_.group_maps(),   position_count(extents_),
                              part_positions,          strided<const T>(in[0]),
                              strided<const T>(in[1]), correlation_,
                              partials_.data(),        table_.data()};
    with_tile([&]<class Tile>() {
      launch(layer_product_tensor<T, Tile, WeightsTask<T>>, grid<Tile>(), dim3(Tile::threads), Tile::shared_bytes,
             stream, task);
    });
    partials_.add_into(WeightNumbers<T>{strided<T>(out[0])}, stream);
  }
  std::vector<KernelInfo> kernels() const override {
    return with_tile([&]<class Tile>() -> std::vector<KernelInfo> {
      return {describe("layer_product_tensor", layer_product_tensor<T, Tile, WeightsTask<T>>, grid<Tile>(),
                       dim3(Tile::threads), Tile::shared_bytes),
              partials_.kernel_into<WeightNumbers<T>>()};
    });
  }

 private:
  template <class F>
  auto with_tile(F&& f) const {
    return with_weights_tile(asked_, extents_.group_maps(), f);
  }
  template <class Tile>
  dim3 grid() const {
    return words_grid<Tile>(depth_of(correlation_), extents_.group_maps(), position_parts(extents_),
                            extents_.samples * extents_.groups);
  }

  int asked_;
  Correlation correlation_;
  LayerExtents extents_;
  GlobalValues<Tap> table_;
  PartialSums partials_;
};

// --- what it says of itself ---

WindowTuning window_tuning(const Tuned& t) { return {t["outputs"], t["maps"], t["channels"], t["stages"]}; }

bool halves(const Problem& p) { return p.layer.precision == Precision::f16; }

std::string unsupported(const Problem& p, const Device& device, const Tuned& t) {
  if (p.layer.precision == Precision::f32)
    return "Tensor cores multiply numbers of 11 significant bits, and this layer's are float32 with 24. Give it the "
           "type tf32 or f16";
  const int maps = t["maps"], least = halves(p) ? 75 : 80;
  if (!std::ranges::count(map_choices, maps))
    return "A tile of " + std::to_string(maps) + " maps is not built: choose 16, 32, 64 or 128";
  if (device.usable_capability() < least)
    return std::string(to_string(p.layer.precision)) + " matrix instructions need compute capability " +
           capability_text(least) + "; " + capability_at_hand(device);
  const LayerExtents e = layer_extents(p);
  const bool to_weights = p.layer.pass == Pass::to_weights;
  if (std::string reason = grid_reason(dim3(1, to_weights ? position_parts(e) : 1, e.samples * e.groups));
      !reason.empty())
    return reason;
  if (!to_weights) return {};
  return memory_reason(PartialSums::bytes(p, e.samples * position_parts(e)), device, "The parts' sums");
}

template <class T>
int roundings(const Problem& p) {
  const LayerExtents e = layer_extents(p);
  if (p.layer.pass != Pass::to_weights)
    return std::max(tensor_roundings<T>(depth_of(correlation_of(p))), halves(p) ? window_roundings(p) : 0);
  return tensor_roundings<T>(std::min(part_positions, position_count(e))) +
         PartialSums::roundings(e.samples * position_parts(e));
}

// Of tiles that are multiplied whole, zeros included; sums that are loaded belong to a warp's 16 × 8 outputs.
template <class Tile>
void count_tiles(Cost& cost, double rows, double columns, double depth, double batches, int slab, double outputs) {
  const double down = std::ceil(rows / Tile::rows), across = std::ceil(columns / Tile::columns);
  const double made = down * Tile::rows * across * Tile::columns * std::ceil(depth / slab) * slab * batches;
  cost.flop = 2 * made;
  cost.global_loads_per_output = made / Tile::columns / outputs;
  cost.weight_loads_per_output = made / Tile::rows / outputs;
  cost.shared_loads_per_output = made * (1.0 / Tile::warp_rows + 1.0 / Tile::warp_columns) / outputs;
}

// Costs are those of a large device, whatever there is.
const Device modelled{.compute_capability = 90, .multiprocessors = 132, .shared_bytes_per_block = 227 * 1024};

Cost model(const Problem& p, const Tuned& t) {
  Cost cost = direct_cost(p);
  cost.on_matrix_units = true;
  const LayerExtents e = layer_extents(p);
  const int asked = t["maps"], slab = halves(p) ? slab_depth<Half> : slab_depth<float>;
  const double batches = 1.0 * e.samples * e.groups;
  if (p.layer.pass == Pass::to_weights) {
    with_weights_tile(asked, e.group_maps(), [&]<class Tile>() {
      count_tiles<Tile>(cost, depth_of(forward_of(p)), e.group_maps(), position_count(e), batches, slab, outputs(p));
    });
    cost.global_loads_per_output += std::exchange(cost.weight_loads_per_output, 0);  // both are inputs
    return cost;
  }
  const Correlation c = correlation_of(p);
  if (few_channels(p, modelled)) return count_strips(cost, c, strips_launch(c, asked, modelled), outputs(p));
  if (const auto window = window_launch(p, modelled, window_tuning(t))) {
    count_window(cost, c, *window, outputs(p));
    return cost;
  }
  with_word_tile(asked, c.group_targets(), [&]<class Tile>() {
    count_tiles<Tile>(cost, 1.0 * c.out_height * c.out_width, c.group_targets(), depth_of(c), batches, slab,
                      outputs(p));
  });
  return cost;
}

// The outputs that a lane has of a warp's rows and columns: rows 8 apart, and two of each 8 columns.
template <class Tile>
KernelStep explain_words(const Correlation& c, const MatrixProduct& product, const OutputIndex& at) {
  const PixelArea& tile = product.tile;  // of Y = F · U; the kernel makes Yᵀ
  const int row = product.column - tile.x, warp = row / Tile::warp_rows, g = row % 8,
            t = (product.row - tile.y) % 8 / 2;
  const int first_target = at.sample * c.targets + at.channel - product.row;
  const auto run = [&](int first, int count) {
    return run_of_pixels(static_cast<std::size_t>(first),
                         static_cast<std::size_t>(std::max(std::min(count, product.columns - first), 0)), c.out_width);
  };
  KernelStep step;
  step.kernel = "layer_product_tensor";
  step.block = {tile.x / Tile::rows * ceil_div(product.rows, Tile::columns) + tile.y / Tile::columns, 0,
                at.sample * c.groups + at.channel / c.group_targets()};
  step.thread = {warp * 32 + g * 4 + t, 0, 0};
  step.block_size = {Tile::threads, 1, 1};
  step.outputs = run(tile.x, tile.width);
  step.output_planes = run_of_planes(first_target + tile.y, std::min(tile.height, product.rows - tile.y));
  for (int i = g; i < Tile::warp_rows; i += 8)
    for (const PixelArea& area : run(tile.x + warp * Tile::warp_rows + i, 1)) step.thread_outputs.push_back(area);
  step.thread_planes.clear();
  for (int j = tile.y + 2 * t; j < std::min(tile.y + tile.height, product.rows); j += 8)
    for (int pair = j; pair < std::min(j + 2, product.rows); ++pair) step.thread_planes.push_back(first_target + pair);
  step.input_planes = source_planes(c, at);
  return step;
}

Explanation explain(const Problem& p, const Device& device, const Tuned& t, const OutputIndex& at) {
  if (!is_explained(p)) return explain_weights_pass();
  const Correlation c = correlation_of(p);
  MatrixProduct product = unrolled_product(c, at);
  if (few_channels(p, device))
    return explain_from_window(c, explain_strips(c, strips_launch(c, t["maps"], device), product, at), product);
  if (const auto window = window_launch(p, device, window_tuning(t)))
    return explain_from_window(c, explain_window(c, *window, product, at), product);
  KernelStep step = with_word_tile(t["maps"], c.group_targets(), [&]<class Tile>() {
    product.tile = {product.column / Tile::rows * Tile::rows, product.row / Tile::columns * Tile::columns, Tile::rows,
                    Tile::columns};
    return explain_words<Tile>(c, product, at);
  });
  step.tile = windows_of(c, step.outputs);
  step.words = meeting_text(product) +
               " U is nowhere: slab by slab, 16 words of 32 bits deep, the threads of the block put " +
               (halves(p) ? "its float16 numbers, two in a word, " : "its numbers, rounded to tf32, ") +
               "into shared memory, straight from the inputs. Each of the " + std::to_string(step.block_size[0] / 32) +
               " warps multiplies 16 × 8 outputs with an instruction: " + products_text(c) +
               " for each output, summed in the registers of the thread that is named here, which stores it.";
  return {.steps = {std::move(step)}, .words = {}, .launches_before = 0, .product = product};
}

}  // namespace

extern const Strategy strategy{
    .id = "implicit-gemm-tensor",
    .title = "Implicit GEMM, tensor cores",
    .idea =
        "The product of the unrolled input and the bank on tensor cores: each block makes the pieces of the unrolled "
        "matrix that it needs in shared memory. A warp multiplies 16 × 8 outputs with one instruction. Factors are "
        "float16 or tf32, sums float32. Channel by channel in memory, a load brings 8 of them.",
    .reading =
        "PMPP 4th ed., ch. 16.4; PTX ISA, mma.m16n8k16; Fasi et al., Numerical Behavior of NVIDIA Tensor Cores, "
        "2021",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance =
        [](const Problem& p) { return rounded_factors_bound(p, halves(p) ? roundings<Half>(p) : roundings<float>(p)); },
    .refuses = unsupported,
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      const int asked = t["maps"];
      if (p.layer.pass == Pass::to_weights) {
        if (halves(p)) return std::make_unique<WeightsPlan<Half>>(p, asked);
        return std::make_unique<WeightsPlan<float>>(p, asked);
      }
      if (!halves(p)) return std::make_unique<CorrelationPlan<float>>(p, asked);
      auto plain = std::make_unique<CorrelationPlan<Half>>(p, asked);
      if (few_channels(p, device))
        return std::make_unique<StripsPlan>(p, strips_launch(correlation_of(p), asked, device), std::move(plain));
      if (const auto window = window_launch(p, device, window_tuning(t)))
        return std::make_unique<WindowPlan>(p, *window, std::move(plain));
      return plain;
    },
    .costs = model,
    .explains = explain,
    .kind = &layer_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_tensor
