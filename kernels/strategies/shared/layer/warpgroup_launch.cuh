#pragma once
// Launches of layer_warpgroup_product(): how many outputs a warpgroup makes, the bank in its order, what a plan of it
// sends and says, and which layers it does not take.
#include <cstring>

#include "kernels/contract/data/half.h"
#include "kernels/strategies/shared/layer/held_window.cuh"
#include "kernels/strategies/shared/layer/warpgroup_product.cuh"
#include "kernels/strategies/shared/warpgroups.h"

namespace convoscope::CONVOSCOPE_TARGET::layer::warpgroups {

// What is built. 0: what keeps the multiprocessors busy for the shortest time. Split layers have two sums of each
// output in registers.
inline constexpr int output_choices[] = {0, 64, 128, 192, 224}, split_output_choices[] = {0, 64, 96, 128};
template <Factors Kind>
constexpr std::span<const int> choices() {
  if constexpr (Kind == Factors::split) return split_output_choices;
  return output_choices;
}

// Calls f.template operator()<Tile>().
template <Factors Kind, class F>
auto with_tile(int outputs, F&& f) {
  if (outputs <= 64) return f.template operator()<WarpgroupTile<64, Kind>>();
  if constexpr (Kind == Factors::split) {
    if (outputs <= 96) return f.template operator()<WarpgroupTile<96, Kind>>();
    return f.template operator()<WarpgroupTile<128, Kind>>();
  } else {
    if (outputs <= 128) return f.template operator()<WarpgroupTile<128, Kind>>();
    if (outputs <= 192) return f.template operator()<WarpgroupTile<192, Kind>>();
    return f.template operator()<WarpgroupTile<224, Kind>>();
  }
}

// Everything of a task but where its numbers are, and how it is launched.
template <Factors Kind>
struct Launch {
  int outputs;
  TaskOf<WarpgroupTile<64, Kind>> task;
  std::size_t shared_bytes;
  int blocks;
  double time;  // of the busiest multiprocessor's tensor cores, in halves of a cycle
};

template <Factors Kind>
Launch<Kind> launch_of(const Correlation& c, const Device& device, int outputs) {
  return with_tile<Kind>(outputs, [&]<class Tile>() {
    Launch<Kind> launch{Tile::pixels, {}, 0, 0, 0};
    TaskOf<Tile>& task = launch.task;
    task.c = c;
    task.across = ceil_div(c.out_width, Tile::width);
    task.down = ceil_div(c.out_height, Tile::height);
    task.map_tiles = ceil_div(c.targets, Tile::maps);
    task.slabs = ceil_div(c.sources, Tile::channels);
    task.halo_width = Tile::width + (c.filter - 1) * c.dilation;
    task.halo_height = Tile::height + (c.filter - 1) * c.dilation;
    launch.shared_bytes = swizzle_bytes +
                          sizeof(ByteColumn) * static_cast<std::size_t>(Tile::windows * window_chunks<Tile>(task) +
                                                                        Tile::stages * Tile::step_chunks) +
                          sizeof(std::uint64_t) * WarpgroupBarriers<Tile>::count;
    const int multiprocessors = std::max(device.multiprocessors, 1);
    launch.blocks = std::min(task.tiles(), multiprocessors);
    constexpr int around_a_tile = 3000;
    launch.time = 1.0 * ceil_div(task.tiles(), multiprocessors) *
                  (8.0 * Tile::products * Tile::pixels * task.slabs * c.filter * c.filter + around_a_tile);
    return launch;
  });
}
template <Factors Kind>
bool fits(const Launch<Kind>& launch, const Device& device) {
  return launch.shared_bytes <= device.shared_bytes_per_block && launch.task.halo_width <= most_box_pixels &&
         launch.task.halo_height <= most_box_pixels;
}

template <Factors Kind>
Launch<Kind> best_launch(const Problem& p, const Device& device, int asked) {
  const Correlation c = correlation_of(p);
  Launch<Kind> best = launch_of<Kind>(c, device, asked);
  if (asked > 0) return best;
  for (const int outputs : choices<Kind>())
    if (const auto launch = launch_of<Kind>(c, device, outputs); fits(launch, device) && launch.time < best.time)
      best = launch;
  return best;
}

// Of what a large device has; costs are its, whatever there is.
inline const Device modelled{.compute_capability = 90, .multiprocessors = 132, .shared_bytes_per_block = 227 * 1024};

// Why no such product, empty when there is one; what its numbers are is the strategy's to ask.
template <Factors Kind>
std::string reason_of(const Problem& p, const Device& device, int outputs) {
  const Correlation c = correlation_of(p);
  if (c.groups > 1)
    return "A window has all channels of its pixels, and here are " + std::to_string(c.groups) + " groups";
  if (c.stride > 1 || c.spread > 1)
    return "Neighbouring outputs must see neighbouring inputs; the stride is " + std::to_string(p.layer.stride);
  if (const std::string reason = reason_without_warpgroups(device); !reason.empty()) return reason;
  if (!std::ranges::count(choices<Kind>(), outputs))
    return std::to_string(outputs) + " outputs are not built: choose " +
           (Kind == Factors::split ? "64, 96 or 128" : "64, 128, 192 or 224");
  if (p.layer.pass == Pass::to_weights) return {};  // which is another kernel's
  if (1.0 * c.samples * c.out_height * c.out_width * ceil_div(c.targets, 64) > 0x7fffffff)
    return "The layer's outputs are too many to be counted in 32 bits";
  if (const auto launch = best_launch<Kind>(p, device, outputs); !fits(launch, device))
    return std::string(Kind == Factors::split ? "Four" : "Two") + " windows of " +
           std::to_string(launch.task.halo_width) + " × " + std::to_string(launch.task.halo_height) +
           " pixels, 64 channels deep, and the bank's pieces need " + std::to_string(launch.shared_bytes) +
           " bytes of shared memory; a block has " + std::to_string(device.shared_bytes_per_block) +
           ", and a copy takes up to 256 rows and columns";
  return {};
}

// The bank in the order of its copies, filled up with zeros. number(map, source, tap, product) gives a factor.
template <Factors Kind, class Number>
std::vector<ByteColumn> swizzled_bank(const Correlation& c, Number number) {
  using Tile = WarpgroupTile<64, Kind>;
  const int map_tiles = ceil_div(c.targets, Tile::maps), slabs = ceil_div(c.sources, Tile::channels),
            steps = c.filter * c.filter * Tile::products;
  std::vector<Half> numbers(static_cast<std::size_t>(map_tiles) * static_cast<std::size_t>(slabs * steps) *
                            (Tile::maps * Tile::channels));
  auto place = numbers.begin();
  for (int tile = 0; tile < map_tiles; ++tile)
    for (int slab = 0; slab < slabs; ++slab)
      for (int step = 0; step < steps; ++step)
        for (int row = 0; row < Tile::maps; ++row)
          for (int i = 0; i < Tile::channels; ++i, ++place) {
            const int map = tile * Tile::maps + map_of_row(row),
                      source = slab * Tile::channels + (i / 8 ^ row % 8) * 8 + i % 8;
            if (map < c.targets && source < c.sources)
              *place = number(map, source, step / Tile::products, step % Tile::products);
          }
  std::vector<ByteColumn> chunks(numbers.size() * sizeof(Half) / sizeof(ByteColumn));
  std::memcpy(chunks.data(), numbers.data(), chunks.size() * sizeof(ByteColumn));
  return chunks;
}

// Of a plan what does not depend on where its numbers come from.
template <Factors Kind>
class ProductPlan {
 public:
  using Task = TaskOf<WarpgroupTile<64, Kind>>;

  ProductPlan(const Problem& problem, const Launch<Kind>& launch, std::vector<ByteColumn> bank)
      : forward_(problem.layer.pass == Pass::forward), launch_(launch), biases_(problem), bank_(std::move(bank)) {
    with_kernel([&](auto kernel, int) { allow_shared(kernel, launch_.shared_bytes); });
  }
  void set(const Filter& filter, std::vector<ByteColumn> bank) {
    biases_.set(filter);
    bank_.set(std::move(bank));
  }
  void send(Stream stream) {
    biases_.send(stream);
    bank_.send(stream);
  }
  // The rest is the caller's.
  Task task() const {
    Task task = launch_.task;
    task.epilogue = biases_.epilogue();
    task.forward = forward_;
    task.bank = bank_.data();
    return task;
  }
  void enqueue(const Task& task, Stream stream) const {
    with_kernel([&](auto kernel, int threads) {
      launch(kernel, grid(), dim3(static_cast<unsigned>(threads)), launch_.shared_bytes, stream, task);
    });
  }
  KernelInfo description() const {
    KernelInfo info;
    with_kernel([&](auto kernel, int threads) {
      info = describe("layer_warpgroup_product", kernel, grid(), dim3(static_cast<unsigned>(threads)),
                      launch_.shared_bytes);
    });
    return info;
  }
  std::string note() const {
    const Task& task = launch_.task;
    return "8 × " + std::to_string(launch_.outputs / 4) + " outputs of 64 maps a tile, from a window of " +
           std::to_string(task.halo_width * task.halo_height) + " sources, 64 channels at a time; " +
           std::to_string(task.tiles()) + " tiles";
  }

 private:
  template <class F>
  void with_kernel(F&& f) const {
    with_tile<Kind>(launch_.outputs, [&]<class Tile>() { f(layer_warpgroup_product<Tile>, Tile::threads); });
  }
  dim3 grid() const { return dim3(static_cast<unsigned>(launch_.blocks)); }

  bool forward_;
  Launch<Kind> launch_;
  LayerBiases biases_;
  GlobalValues<ByteColumn> bank_;
};

template <Factors Kind>
Cost cost_of(const Problem& p, int asked) {
  using Tile = WarpgroupTile<64, Kind>;
  Cost cost = direct_cost(p);
  cost.on_matrix_units = true;
  const auto launch = best_launch<Kind>(p, modelled, asked);
  const TaskOf<Tile>& task = launch.task;
  const double tiles = task.tiles(), depth = 64.0 * task.slabs * task.c.filter * task.c.filter * Tile::products;
  const double made = tiles * 2 * launch.outputs * 64 * depth;
  cost.flop = 2 * made;
  cost.global_loads_per_output = tiles * task.halo_width * task.halo_height * task.slabs * 64 / outputs(p);
  cost.weight_loads_per_output = tiles * 64 * depth / outputs(p);
  cost.shared_loads_per_output = made * (1.0 / 64 + 1.0 / launch.outputs) / outputs(p);
  cost.tile_width = task.halo_width;
  cost.tile_height = task.halo_height;
  return cost;
}

// What a block and a thread of it make.
template <Factors Kind>
KernelStep step_of(const Launch<Kind>& launch, const OutputIndex& at) {
  const auto& task = launch.task;
  const Correlation& c = task.c;
  KernelStep step;
  step.kernel = "layer_warpgroup_product";
  with_tile<Kind>(launch.outputs, [&]<class Tile>() {
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
  return step;
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::warpgroups
