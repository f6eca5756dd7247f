// The implicit product with Hopper's instructions. Idea: 64 maps times up to 224 outputs of a tap's 16 channels are one
// instruction of a warpgroup (wgmma), which reads both factors from shared memory; TMA brings them there, whole windows
// and pieces of the bank with one instruction each, and writes zeros where a window reaches beyond the input. Sums
// alone are in registers, so what limits mma.sync, which takes its factors from there, does not limit this. Traffic: a
// source is loaded once for each 64 maps, and the halo of a block's rectangle. Limits: compute capability 9.0 alone;
// float16 in nhwc, one group, stride 1; maps and channels in 64s.
#include <cstring>

#include "kernels/contract/data/half.h"
#include "kernels/strategies/shared/layer/layer_held_window.cuh"
#include "kernels/strategies/shared/layer/layer_warpgroup_product.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_wgmma {

extern const Strategy strategy;

namespace {

constexpr int output_choices[] = {0, 64, 128, 192, 224};
constexpr Tunable tunables[] = {
    {"outputs", "Outputs of a warpgroup",
     "Outputs of an instruction, of 64 maps; a block has two warpgroups. 0: what keeps the multiprocessors busy for "
     "the "
     "shortest time",
     output_choices, 0},
};

// Calls f.template operator()<Tile>().
template <class F>
auto with_tile(int outputs, F&& f) {
  if (outputs <= 64) return f.template operator()<WarpgroupTile<64>>();
  if (outputs <= 128) return f.template operator()<WarpgroupTile<128>>();
  if (outputs <= 192) return f.template operator()<WarpgroupTile<192>>();
  return f.template operator()<WarpgroupTile<224>>();
}

// Everything of a task but where its numbers are, and how it is launched.
struct Launch {
  int outputs;
  WarpgroupTask task;
  std::size_t shared_bytes;
  int blocks;
  double time;  // of the busiest multiprocessor's tensor cores, in halves of a cycle
};

Launch launch_of(const Correlation& c, const Device& device, int outputs) {
  return with_tile(outputs, [&]<class Tile>() {
    Launch launch{Tile::pixels, {}, 0, 0, 0};
    WarpgroupTask& task = launch.task;
    task.c = c;
    task.across = ceil_div(c.out_width, Tile::width);
    task.down = ceil_div(c.out_height, Tile::height);
    task.map_tiles = ceil_div(c.targets, Tile::maps);
    task.slabs = ceil_div(c.sources, Tile::channels);
    task.halo_width = Tile::width + (c.filter - 1) * c.dilation;
    task.halo_height = Tile::height + (c.filter - 1) * c.dilation;
    launch.shared_bytes = swizzle_bytes +
                          sizeof(ByteColumn) * static_cast<std::size_t>(Tile::windows * task.window_chunks() +
                                                                        Tile::stages * Tile::step_chunks) +
                          sizeof(std::uint64_t) * WarpgroupBarriers<Tile>::count;
    const int multiprocessors = std::max(device.multiprocessors, 1);
    launch.blocks = std::min(task.tiles(), multiprocessors);
    constexpr int around_a_tile = 3000;
    launch.time = 1.0 * ceil_div(task.tiles(), multiprocessors) *
                  (8.0 * Tile::pixels * task.slabs * c.filter * c.filter + around_a_tile);
    return launch;
  });
}
bool fits(const Launch& launch, const Device& device) {
  return launch.shared_bytes <= device.shared_bytes_per_block && launch.task.halo_width <= most_box_pixels &&
         launch.task.halo_height <= most_box_pixels;
}

Launch best_launch(const Problem& p, const Device& device, int asked) {
  const Correlation c = correlation_of(p);
  Launch best = launch_of(c, device, asked);
  if (asked > 0) return best;
  for (const int outputs : output_choices)
    if (const Launch launch = launch_of(c, device, outputs); fits(launch, device) && launch.time < best.time)
      best = launch;
  return best;
}

// The bank in the order of its copies, filled up with zeros.
std::vector<ByteColumn> bank_of(const Problem& p, const Filter& filter) {
  using Tile = WarpgroupTile<64>;
  const Correlation c = correlation_of(p);
  const int map_tiles = ceil_div(c.targets, Tile::maps), slabs = ceil_div(c.sources, Tile::channels),
            taps = c.filter * c.filter;
  const CorrelationWeights weights(p, filter);
  std::vector<Half> numbers(static_cast<std::size_t>(map_tiles) * static_cast<std::size_t>(slabs * taps) *
                            (Tile::maps * Tile::channels));
  auto number = numbers.begin();
  for (int tile = 0; tile < map_tiles; ++tile)
    for (int slab = 0; slab < slabs; ++slab)
      for (int tap = 0; tap < taps; ++tap)
        for (int row = 0; row < Tile::maps; ++row)
          for (int i = 0; i < Tile::channels; ++i, ++number) {
            const int map = tile * Tile::maps + map_of_row(row),
                      source = slab * Tile::channels + (i / 8 ^ row % 8) * 8 + i % 8;
            if (map < c.targets && source < c.sources) *number = to_half(weights(map, source, tap));
          }
  std::vector<ByteColumn> chunks(numbers.size() * sizeof(Half) / sizeof(ByteColumn));
  std::memcpy(chunks.data(), numbers.data(), chunks.size() * sizeof(ByteColumn));
  return chunks;
}

class WarpgroupPlan final : public Plan {
 public:
  WarpgroupPlan(const Problem& problem, const Launch& launch)
      : problem_(problem), launch_(launch), biases_(problem), bank_(bank_of(problem, problem.filter)) {
    with_kernel([&](auto kernel, int) { allow_shared(kernel, launch_.shared_bytes); });
  }
  void set_filter(const Filter& filter) override {
    biases_.set(filter);
    bank_.set(bank_of(problem_, filter));
  }
  void prepare(Stream stream) override {
    biases_.send(stream);
    bank_.send(stream);
  }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    WarpgroupTask task = launch_.task;
    const Correlation& c = task.c;
    task.in = strided<const Half>(in[0]);
    task.out = strided<Half>(out[0]);
    task.epilogue = biases_.epilogue();
    task.forward = problem_.layer.pass == Pass::forward;
    task.boxed = aligned(in[0], 16);
    task.pairs = aligned(out[0], 4);
    task.bank = bank_.data();
    if (task.boxed)
      task.boxes = tensor_boxes(
          in[0].data, {c.sources, c.width, c.height, c.samples, in[0].stride[4], in[0].stride[3], in[0].stride[0]},
          task.halo_width, task.halo_height);
    with_kernel([&](auto kernel, int threads) {
      launch(kernel, grid(), dim3(static_cast<unsigned>(threads)), launch_.shared_bytes, stream, task);
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    with_kernel([&](auto kernel, int threads) {
      infos = {describe("layer_warpgroup_product", kernel, grid(), dim3(static_cast<unsigned>(threads)),
                        launch_.shared_bytes)};
    });
    return infos;
  }
  std::string note() const override {
    const WarpgroupTask& task = launch_.task;
    return "8 × " + std::to_string(launch_.outputs / 4) + " outputs of 64 maps a tile, from a window of " +
           std::to_string(task.halo_width * task.halo_height) + " sources, 64 channels at a time; " +
           std::to_string(task.tiles()) + " tiles";
  }

 private:
  template <class F>
  void with_kernel(F&& f) const {
    with_tile(launch_.outputs, [&]<class Tile>() { f(layer_warpgroup_product<Tile>, Tile::threads); });
  }
  dim3 grid() const { return dim3(static_cast<unsigned>(launch_.blocks)); }

  Problem problem_;
  Launch launch_;
  LayerBiases biases_;
  GlobalValues<ByteColumn> bank_;
};

// --- what it says of itself ---

#if defined(CONVOSCOPE_EMULATED) || defined(CONVOSCOPE_HAS_SM_90A)
constexpr bool built = true;
#else
constexpr bool built = false;
#endif

std::string unsupported(const Problem& p, const Device& device, const Tuning& t) {
  if (p.layer.precision != Precision::f16 || p.layer.layout != Layout::nhwc)
    return "Windows are copied with the channels of a pixel side by side and multiplied as float16; this layer's are " +
           std::string(to_string(p.layer.precision)) + " " + std::string(to_string(p.layer.layout)) +
           ". Choose the type f16 and the layout nhwc";
  if (p.layer.pass == Pass::to_weights) return "The pass to the weights is no correlation with the bank";
  const Correlation c = correlation_of(p);
  if (c.groups > 1)
    return "A window has all channels of its pixels, and here are " + std::to_string(c.groups) + " groups";
  if (c.stride > 1 || c.spread > 1)
    return "Neighbouring outputs must see neighbouring inputs; the stride is " + std::to_string(p.layer.stride);
  if (c.sources % 8 != 0)
    return "A pixel's channels must be a multiple of 16 bytes, 8 channels; here are " + std::to_string(c.sources);
  if (device.compute_capability != 90)
    return "wgmma is an instruction of compute capability 9.0 alone; this device has " +
           std::to_string(device.compute_capability / 10) + "." + std::to_string(device.compute_capability % 10);
  if (!built)
    return "This convoscope has no machine code for sm_90a, the only one with wgmma. Build it again with "
           "CMAKE_CUDA_ARCHITECTURES set to 90";
  const int outputs = tuned(strategy, t, "outputs");
  if (!std::ranges::count(output_choices, outputs))
    return std::to_string(outputs) + " outputs are not built: choose 64, 128, 192 or 224";
  if (1.0 * c.samples * c.out_height * c.out_width * ceil_div(c.targets, 64) > 0x7fffffff)
    return "The layer's outputs are too many to be counted in 32 bits";
  if (const Launch launch = best_launch(p, device, outputs); !fits(launch, device))
    return "Two windows of " + std::to_string(launch.task.halo_width) + " × " +
           std::to_string(launch.task.halo_height) + " pixels, 64 channels deep, and the bank's pieces need " +
           std::to_string(launch.shared_bytes) + " bytes of shared memory; a block has " +
           std::to_string(device.shared_bytes_per_block) + ", and a copy takes up to 256 rows and columns";
  return {};
}

// An instruction loses 2^-23 of the largest for each product and for the sum (layer_words.cuh).
double tolerance(const Problem& p) {
  const Correlation c = correlation_of(p);
  const int instructions = c.filter * c.filter * ceil_div(c.sources, 64) * 4;
  return float32_sum_bound(p, 2 * instructions * 17);
}

// Costs are those of a large device, whatever there is.
const Device modelled{.compute_capability = 90, .multiprocessors = 132, .shared_bytes_per_block = 227 * 1024};

Cost model(const Problem& p, const Tuning& t) {
  Cost cost = direct_cost(p);
  cost.on_matrix_units = true;
  const Launch launch = best_launch(p, modelled, tuned(strategy, t, "outputs"));
  const WarpgroupTask& task = launch.task;
  const double tiles = task.tiles(), depth = 64.0 * task.slabs * task.c.filter * task.c.filter;
  const double made = tiles * 2 * launch.outputs * 64 * depth;
  cost.flop = 2 * made;
  cost.global_loads_per_output = tiles * task.halo_width * task.halo_height * task.slabs * 64 / outputs(p);
  cost.weight_loads_per_output = tiles * 64 * depth / outputs(p);
  cost.shared_loads_per_output = made * (1.0 / 64 + 1.0 / launch.outputs) / outputs(p);
  cost.tile_width = task.halo_width;
  cost.tile_height = task.halo_height;
  return cost;
}

Explanation explain(const Problem& p, const Device& device, const Tuning& t, const OutputIndex& at) {
  const Correlation c = correlation_of(p);
  const MatrixProduct product = unrolled_product(c, at);
  const Launch launch = best_launch(p, device, tuned(strategy, t, "outputs"));
  const WarpgroupTask& task = launch.task;
  KernelStep step;
  step.kernel = "layer_warpgroup_product";
  with_tile(launch.outputs, [&]<class Tile>() {
    const int across = at.x / Tile::width, down = at.y / Tile::height, map_tile = at.channel / Tile::maps;
    const PixelArea made{across * Tile::width, down * Tile::height, Tile::width, Tile::height};
    const int tile = ((at.sample * task.down + down) * task.across + across) * task.map_tiles + map_tile;
    const int half = at.y % Tile::height / Tile::rows, map = at.channel % Tile::maps, first = at.channel / 2 * 2,
              first_of_tile = map_tile * Tile::maps;
    step.block = {tile % launch.blocks, 0, 0};
    step.thread = {half * 128 + map / 16 * 32 + map % 16 / 2 * 4 + at.x % Tile::width / 2, 0, 0};
    step.block_size = {Tile::threads, 1, 1};
    step.outputs = {made};
    step.output_planes =
        target_planes(c, at.sample, first_of_tile, std::min<int>(Tile::maps, c.targets - first_of_tile));
    step.thread_outputs = {{at.x / 2 * 2, made.y + half * Tile::rows, 2, Tile::rows}};
    step.thread_planes = target_planes(c, at.sample, first, std::min(2, c.targets - first));
    step.tile = {{made.x - c.padding, made.y - c.padding, task.halo_width, task.halo_height}};
  });
  step.input_planes = source_planes(c, at);
  step.words =
      " U is nowhere: of the window of the inputs that the tile's outputs see, 64 channels at a time, TMA puts a copy "
      "into shared memory, and for each tap an instruction of four warps reads it that tap's distance further on. The "
      "block's other tiles come before and after. ";
  return explain_from_window(c, step, product);
}

}  // namespace

const Strategy strategy{
    .id = "implicit-gemm-wgmma",
    .title = "Implicit GEMM, warpgroups",
    .idea =
        "The product of the unrolled input and the bank with Hopper's instructions: 64 maps times up to 224 outputs at "
        "a time, both factors straight from shared memory, where TMA puts the windows of the inputs and pieces of the "
        "bank. Two warps ask for copies, eight multiply.",
    .reading = "PMPP 4th ed., ch. 16.4; PTX ISA, wgmma.mma_async and cp.async.bulk.tensor",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = tolerance,
    .unsupported = unsupported,
    .plan = [](const Problem& p, const Device& device, const Tuning& t) -> std::unique_ptr<Plan> {
      return std::make_unique<WarpgroupPlan>(p, best_launch(p, device, tuned(strategy, t, "outputs")));
    },
    .model = model,
    .explain = explain,
    .kind = &layer_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_wgmma
