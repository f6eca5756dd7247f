#pragma once
// The gradient to a layer's weights on Hopper's tensor cores, from float16 that lies channel by channel. dF[m, c] of a
// tap is the sum, over all pixels, of dY's map m times X's channel c that tap's distance further on. In nhwc the maps
// of a pixel of dY are a step in depth of one factor as they lie, the channels of a pixel of X one of the other, and
// another tap is another pixel to begin with. So one window of X and one rectangle of dY in shared memory serve all
// nine taps, and three taps of a row are one instruction: their 64 columns begin a pixel further on each.
// A block makes 64 maps of 64 channels for a part of the pixels, 8 × 8 at a time. One warp asks for copies, three
// warpgroups multiply, a row of the filter each. Traffic: from L2 X is loaded (8+2)²/64 times for each 64 maps, dY once
// for each 64 channels.
#include "kernels/device/parts/warp.cuh"
#include "kernels/device/parts/wgmma_turned.cuh"
#include "kernels/strategies/shared/layer/map_order.cuh"
#include "kernels/strategies/shared/layer/partials.cuh"
#include "kernels/strategies/shared/layer/swizzled_copy.cuh"
#include "kernels/strategies/shared/layer/warpgroup_launch.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

struct PixelsTile {
  static constexpr int maps = 64, channels = 64, width = 8, rows = 8, filter = 3, taps = filter * filter;
  static constexpr int warpgroups = filter, columns = channels * filter;  // of an instruction
  static constexpr int multiplying_threads = 128 * warpgroups, threads = multiplying_threads + 32;
  static constexpr int pixel_chunks = 8, gradient_chunks = width * rows * pixel_chunks;
  static constexpr int most_stages = 8;
};

struct PixelsTask {
  TensorBoxes gradients, sources;
  Strided<const Half> dy, x;  // where they cannot be copied as boxes
  bool boxed;
  LayerExtents e;
  int across, down, part_steps;  // steps of 8 × 8 pixels
  int halo, stages;              // halo: of the window's rows and columns; stages: in shared memory
  float* partials;               // [part][tap][map][channel]

  CONVOSCOPE_HOST_DEVICE int steps() const { return e.samples * down * across; }
  CONVOSCOPE_HOST_DEVICE int channel_tiles() const {
    return (e.channels + PixelsTile::channels - 1) / PixelsTile::channels;
  }
  // Swizzled again and again after eight times the 128 bytes of a pixel.
  CONVOSCOPE_HOST_DEVICE int window_chunks() const { return (halo * halo + 7) / 8 * 64; }
  CONVOSCOPE_HOST_DEVICE int stage_chunks() const { return window_chunks() + PixelsTile::gradient_chunks; }
};

#if defined(CONVOSCOPE_WGMMA)

// A block's share of the work. Of stage s barrier s says that it is full, and barrier stages + s that it is free.
struct PixelsBlock {
  const PixelsTask& task;
  const Barriers& barriers;
  const Shared<ByteColumn>& shared;
  int first_map, first_channel, begin, end;
};

__device__ inline void ask_for_pixels(const PixelsBlock& block) {
  using Tile = PixelsTile;
  const PixelsTask& task = block.task;
  const LayerExtents& e = task.e;
  const bool first_lane = threadIdx.x % 32 == 0;
  if (task.boxed && !first_lane) return;
  const Shared<Half> numbers =
      shared_memory<Half>(static_cast<std::size_t>(first_swizzled_byte()), task.stages * task.stage_chunks() * 8);
  RingPlace stage;
  for (int step = block.begin; step < block.end; ++step) {
    const int left = step % task.across * Tile::width, line = step / task.across, top = line % task.down * Tile::rows,
              sample = line / task.down, first = stage.slot * task.stage_chunks();
    block.barriers.wait(task.stages + stage.slot, stage.parity ^ 1);
    const int window_left = left - e.padding, window_top = top - e.padding, gradients = first + task.window_chunks();
    if (task.boxed) {
      block.barriers.expect(stage.slot, (task.halo * task.halo * Tile::pixel_chunks + Tile::gradient_chunks) *
                                            static_cast<int>(sizeof(ByteColumn)));
      block.barriers.copy_box(stage.slot, block.shared, first, task.sources, block.first_channel, window_left,
                              window_top, sample);
      block.barriers.copy_box(stage.slot, block.shared, gradients, task.gradients, block.first_map, left, top, sample);
    } else {
      copy_swizzled(numbers, first * 8, task.x, task.x.at(sample, 0), {e.channels, e.width, e.height},
                    {block.first_channel, window_left, window_top, task.halo, task.halo});
      copy_swizzled(numbers, gradients * 8, task.dy, task.dy.at(sample, 0), {e.maps, e.out_width, e.out_height},
                    {block.first_map, left, top, Tile::width, Tile::rows});
      if (first_lane) block.barriers.arrive(stage.slot);
    }
    stage.next(task.stages);
  }
}

__device__ inline void multiply_pixels(const PixelsBlock& block, int warp) {
  using Tile = PixelsTile;
  const PixelsTask& task = block.task;
  const LayerExtents& e = task.e;
  const bool first_lane = threadIdx.x % 32 == 0;
  const int filter_row = warp / 4, row_chunks = task.halo * Tile::pixel_chunks;
  float sums[Tile::columns / 2];
  RingPlace stage;
  int done = -1;  // the stage that the products before the last ones have read
  bool add = false;
  CONVOSCOPE_KEEP_LOOP
  for (int step = block.begin; step < block.end; ++step) {
    block.barriers.wait(stage.slot, stage.parity);
    const int first = stage.slot * task.stage_chunks();
    const SwizzledDepth sources{first + filter_row * e.dilation * row_chunks, row_chunks,
                                e.dilation * Tile::pixel_chunks},
        gradients{first + task.window_chunks(), 8 * Tile::pixel_chunks, 1};
    begin_products();
    CONVOSCOPE_UNROLL
    for (int row = 0; row < Tile::rows; row += 2) {
      multiply_turned<Tile::columns>(sums, block.shared, gradients.further(row * 8 * Tile::pixel_chunks),
                                     sources.further(row * row_chunks), add);
      add = true;
    }
    commit_products();
    wait_products<1>();
    if (first_lane && done >= 0) block.barriers.arrive(task.stages + done);
    done = stage.slot;
    stage.next(task.stages);
  }
  wait_products<0>();

  const int lane = static_cast<int>(threadIdx.x) % 32;
  const bool pairs = e.channels % 2 == 0;
  float* const partials = task.partials + static_cast<std::ptrdiff_t>(blockIdx.x) * Tile::taps * e.maps * e.channels;
  CONVOSCOPE_UNROLL
  for (int i = 0; i < Tile::columns / 2; i += 2) {
    const int column = i / 4 * 8 + lane % 4 * 2, tap = filter_row * Tile::filter + column / Tile::channels,
              map = block.first_map + warp % 4 * 16 + lane / 4 + i % 4 / 2 * 8,
              channel = block.first_channel + column % Tile::channels;
    if (map >= e.maps || channel >= e.channels) continue;
    float* const place = partials + (tap * e.maps + map) * e.channels + channel;
    if (pairs) {
      *reinterpret_cast<float2*>(place) = {sums[i], sums[i + 1]};
    } else {
      place[0] = sums[i];
      if (channel + 1 < e.channels) place[1] = sums[i + 1];
    }
  }
}

#endif

// Grid: parts of the pixels, and tiles of the bank, those of a tile of maps one after the other.
template <int = 0>
__global__ void __launch_bounds__(PixelsTile::threads, 1)
    layer_pixels_product([[maybe_unused]] const __grid_constant__ PixelsTask task) {
#if defined(CONVOSCOPE_WGMMA)
  using Tile = PixelsTile;
  const int chunks = task.stages * task.stage_chunks();
  const auto first = static_cast<std::size_t>(first_swizzled_byte());
  const Shared<ByteColumn> shared = shared_memory<ByteColumn>(first, chunks);
  const Barriers barriers(first + static_cast<std::size_t>(chunks) * sizeof(ByteColumn), 2 * task.stages);
  if (threadIdx.x == 0) {
    for (int i = 0; i < task.stages; ++i) {
      barriers.initialise(i, 1);
      barriers.initialise(task.stages + i, Tile::multiplying_threads / 32);
    }
    barriers.initialised();
  }
  __syncthreads();
  const int warp = shuffle(static_cast<int>(threadIdx.x) / 32, 0);  // which the compiler then knows to be one for all
  const int tile = static_cast<int>(blockIdx.y), begin = static_cast<int>(blockIdx.x) * task.part_steps;
  const PixelsBlock block{task,
                          barriers,
                          shared,
                          tile / task.channel_tiles() * Tile::maps,
                          tile % task.channel_tiles() * Tile::channels,
                          begin,
                          min(begin + task.part_steps, task.steps())};
  if (warp == Tile::multiplying_threads / 32)
    ask_for_pixels(block);
  else
    multiply_pixels(block, warp);
#endif
}

// --- how it is launched ---

// Parts as many as keep the multiprocessors busy, and no longer than 64 steps, after which sums grow no more.
struct PixelsLaunch {
  static constexpr int most_steps = 64, most_parts = 256;  // parts that are not as long are no more than that
  PixelsTask task;
  int tiles, parts;
  std::size_t shared_bytes;
};
inline PixelsLaunch pixels_launch(const LayerExtents& e, const Device& device) {
  using Tile = PixelsTile;
  PixelsLaunch launch{};
  PixelsTask& task = launch.task;
  task.e = e;
  task.across = ceil_div(e.out_width, Tile::width);
  task.down = ceil_div(e.out_height, Tile::rows);
  task.halo = Tile::width + (Tile::filter - 1) * e.dilation;
  launch.tiles = ceil_div(e.maps, Tile::maps) * task.channel_tiles();
  const int busy = std::clamp(std::max(device.multiprocessors, 1) / launch.tiles, 1, PixelsLaunch::most_parts);
  task.part_steps = std::min(ceil_div(task.steps(), busy), PixelsLaunch::most_steps);
  launch.parts = ceil_div(task.steps(), task.part_steps);
  const std::size_t stage =
      sizeof(ByteColumn) * static_cast<std::size_t>(task.stage_chunks()) + 2 * sizeof(std::uint64_t);
  task.stages = std::clamp((static_cast<int>(device.shared_bytes_per_block) - swizzle_bytes) / static_cast<int>(stage),
                           2, Tile::most_stages);
  launch.shared_bytes = swizzle_bytes + stage * static_cast<std::size_t>(task.stages);
  return launch;
}

// The largest number of roundings of a sum: an instruction lines 16 products and the sum so far up with the largest of
// them and cuts off what is below 2^-23 of it (words.cuh); then parts are added.
inline int pixels_roundings(const LayerExtents& e) {
  const int steps = pixels_launch(e, {}).task.steps(), most = PixelsLaunch::most_steps,
            parts = std::max(ceil_div(steps, most), std::min(steps, PixelsLaunch::most_parts));
  return 2 * 17 * (PixelsTile::rows / 2) * std::min(steps, most) +
         std::max(std::min(parts, 64), PartialSums::roundings(parts)) + 2;
}

inline std::string pixels_reason(const Problem& p, const Device& device) {
  const LayerExtents e = layer_extents(p);
  if (e.filter != PixelsTile::filter)
    return "To the weights three warpgroups have a row of the filter each, 3 × 3; here K is " +
           std::to_string(e.filter);
  const PixelsLaunch launch = pixels_launch(e, device);
  if (launch.shared_bytes > device.shared_bytes_per_block || launch.task.halo > most_box_pixels)
    return "Two windows of " + std::to_string(launch.task.halo) + " × " + std::to_string(launch.task.halo) +
           " pixels, 64 channels deep, need " + std::to_string(launch.shared_bytes) +
           " bytes of shared memory; a block has " + std::to_string(device.shared_bytes_per_block) +
           ", and a copy takes up to 256 rows and columns";
  if (std::string reason = grid_reason(dim3(1, static_cast<unsigned>(launch.tiles))); !reason.empty()) return reason;
  return memory_reason(PartialSums::bytes(p, launch.parts), device, "The parts' sums");
}

// Where the finished gradient goes, of any layout. inverses: what it is multiplied by, if anything, for X and for dY.
template <class T>
struct PixelsWeights {
  Strided<T> df;
  const float *of_sources, *of_gradients;
  __device__ void store(const LayerExtents& e, int number, float sum) const {
    const int channel = number % e.channels, map = number / e.channels % e.maps, tap = number / e.channels / e.maps;
    if (of_sources) sum = sum * *of_sources * *of_gradients;
    df.at(map, channel)[tap / e.filter * df.row + tap % e.filter * df.column] = number_of<T>(sum);
  }
};

inline Cost pixels_cost(const Problem& p) {
  using Tile = PixelsTile;
  Cost cost = direct_cost(p);
  const PixelsLaunch launch = pixels_launch(layer_extents(p), warpgroups::modelled);
  const double steps = 1.0 * launch.tiles * launch.task.steps(), pixels = Tile::width * Tile::rows,
               made = steps * pixels * Tile::maps * Tile::channels * Tile::taps;
  cost.on_matrix_units = true;
  cost.flop = 2 * made;
  cost.global_loads_per_output = steps * (launch.task.halo * launch.task.halo + pixels) * Tile::channels / outputs(p);
  cost.global_stores_per_output = 1 + launch.parts;
  cost.shared_loads_per_output = made * (1.0 / Tile::maps + 1.0 / Tile::columns) / outputs(p);
  return cost;
}

// Of a plan what does not depend on where the halves come from.
class PixelsProduct {
 public:
  PixelsProduct(const Problem& problem, const Device& device)
      : launch_(pixels_launch(layer_extents(problem), device)), partials_(problem, launch_.parts) {
    allow_shared(layer_pixels_product<>, launch_.shared_bytes);
  }
  int halo() const { return launch_.task.halo; }
  int parts() const { return launch_.parts; }
  // The rest is the caller's: sources, boxes of halo × halo pixels, and gradients, of 8 × 8; or x and dy.
  PixelsTask task() const {
    PixelsTask task = launch_.task;
    task.partials = partials_.data();
    return task;
  }
  template <class T>
  void enqueue(const PixelsTask& task, const PixelsWeights<T>& out, Stream stream) const {
    launch(layer_pixels_product<>, grid(), dim3(PixelsTile::threads), launch_.shared_bytes, stream, task);
    with_adder<T>([&](auto add, dim3 blocks, dim3 block, std::size_t bytes) {
      launch(add, blocks, block, bytes, stream, partials_.data(), out, launch_.task.e, launch_.parts);
    });
  }
  template <class T>
  std::vector<KernelInfo> descriptions() const {
    std::vector<KernelInfo> infos{describe("layer_pixels_product", layer_pixels_product<>, grid(),
                                           dim3(PixelsTile::threads), launch_.shared_bytes)};
    with_adder<T>([&](auto add, dim3 blocks, dim3 block, std::size_t bytes) {
      infos.push_back(describe("add_partials", add, blocks, block, bytes));
    });
    return infos;
  }

 private:
  dim3 grid() const { return dim3(static_cast<unsigned>(launch_.parts), static_cast<unsigned>(launch_.tiles)); }
  // Where there are many weights there are few parts, and threads that add none of them only take up room.
  template <class T, class F>
  void with_adder(F&& f) const {
    const LayerExtents& e = launch_.task.e;
    const dim3 blocks(static_cast<unsigned>(ceil_div(PixelsTile::taps * e.maps * e.channels, partial_lanes)));
    const auto with_depth = [&]<int Depth>() {
      f(add_partials<Depth, PixelsWeights<T>>, blocks, dim3(partial_lanes, Depth),
        sizeof(float) * partial_lanes * static_cast<std::size_t>(Depth));
    };
    if (launch_.parts > 64) return with_depth.template operator()<16>();
    with_depth.template operator()<4>();
  }

  PixelsLaunch launch_;
  PartialSums partials_;
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
