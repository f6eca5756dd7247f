#pragma once
// The gradient to a layer's weights on Hopper's tensor cores, from float32 planes split in two float16 numbers each.
// With rows of one pitch and zeros after them, dF[m, c] of a tap is a product of planes: of dY's map and of X's channel
// that tap's distance further on, whatever row and column it comes to. So both factors are boxes of 64 planes and 64
// numbers. TMA brings them from places that are multiples of 16 bytes alone (others are an illegal instruction), so X
// is there once for each column of the filter, moved by it, and a tap's row is whole rows further on. A block makes 64
// maps of 64 channels for a part of the positions. Three warpgroups multiply, three taps each. A tap's sum over 64
// positions begins with the small products and is added in float32, outside of the tensor cores. Traffic: X is written
// three times in halves and loaded 9 times for each 64 maps, dY once for each 64 channels, from L2.
#include "kernels/device/parts/warp.cuh"
#include "kernels/device/parts/wgmma.cuh"
#include "kernels/strategies/shared/layer/partials.cuh"
#include "kernels/strategies/shared/layer/split_sources.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

// Planes as halves: [copy][low, high][plane][row], rows of a multiple of 8 numbers, filled up with zeros. What is at
// column x of a copy was at x + first_shift + copy · shift_step.
struct SplitPlanesTask {
  static constexpr int threads = 256, numbers = 4;  // of a thread
  Planes<const float> in;
  Half* out;
  int planes, height, width, pitch;
  int copies = 1, first_shift = 0, shift_step = 0;

  int plane_numbers() const { return height * pitch; }
  dim3 grid() const {
    return dim3(static_cast<unsigned>(ceil_div(plane_numbers() / numbers, threads)), static_cast<unsigned>(planes),
                static_cast<unsigned>(copies));
  }
  std::size_t count() const {
    return 2 * static_cast<std::size_t>(copies * planes) * static_cast<std::size_t>(plane_numbers());
  }
};

template <int = 0>
__global__ void __launch_bounds__(SplitPlanesTask::threads) layer_split_planes(SplitPlanesTask task) {
  constexpr int numbers = SplitPlanesTask::numbers;
  const int first = (static_cast<int>(blockIdx.x) * SplitPlanesTask::threads + static_cast<int>(threadIdx.x)) * numbers,
            plane = static_cast<int>(blockIdx.y), copy = static_cast<int>(blockIdx.z),
            of_plane = task.height * task.pitch;
  if (first >= of_plane) return;
  const int y = first / task.pitch, x = first % task.pitch + task.first_shift + copy * task.shift_step;
  const float* const from = task.in.at(plane, y);
  float values[numbers];
  CONVOSCOPE_UNROLL
  for (int i = 0; i < numbers; ++i) values[i] = x + i >= 0 && x + i < task.width ? __ldg(from + x + i) : 0.0f;
  uint2 high, low;
  split_scaled(values[0], values[1], high.x, low.x);
  split_scaled(values[2], values[3], high.y, low.y);
  const auto store = [&](int part, const uint2& pairs) {
    const std::ptrdiff_t place =
        static_cast<std::ptrdiff_t>((2 * copy + part) * task.planes + plane) * of_plane + first;
    *reinterpret_cast<uint2*>(task.out + place) = pairs;
  };
  store(0, low);
  store(1, high);
}

struct GradientTile {
  static constexpr int maps = 64, channels = 64, positions = 64, part_chunks = 64 * 8, chunks = 2 * part_chunks;
  static constexpr int filter = 3, taps = filter * filter, warpgroups = 3, own_taps = taps / warpgroups;
  // A warp more for the copies would leave each thread 128 registers instead of 168.
  static constexpr int threads = 128 * warpgroups;
  static constexpr int gradients = 3, stages = taps;  // in shared memory: of dY, and of X for each tap
  static constexpr int gradient_full = 0, gradient_free = gradients, source_full = 2 * gradients,
                       source_free = source_full + stages, barriers = source_free + stages;
  static constexpr std::size_t shared_bytes =
      swizzle_bytes + sizeof(ByteColumn) * chunks * (gradients + stages) + sizeof(std::uint64_t) * barriers;
};

struct GradientTask {
  TensorBoxes gradients, sources;  // numbers, planes of a sample, samples' low and then high ones, copy after copy
  LayerExtents e;
  int pitch, sample_steps, part_steps;  // steps of 64 positions
  float* partials;                      // [part][weight]

  CONVOSCOPE_HOST_DEVICE int steps() const { return e.samples * sample_steps; }
  CONVOSCOPE_HOST_DEVICE int channel_tiles() const {
    return (e.channels + GradientTile::channels - 1) / GradientTile::channels;
  }
};

#if defined(CONVOSCOPE_WGMMA)

// A block's share, and how one thread of it asks for copies.
struct GradientBlock {
  const GradientTask& task;
  const Barriers& barriers;
  const Shared<ByteColumn>& shared;
  int first_map, first_channel;

  __device__ void ask(int full, int slot, const TensorBoxes& boxes, int copy, int step, int further,
                      int first_plane) const {
    using Tile = GradientTile;
    const int sample = step / task.sample_steps, position = step % task.sample_steps * Tile::positions;
    barriers.expect(full, Tile::chunks * static_cast<int>(sizeof(ByteColumn)));
    for (int part = 0; part < 2; ++part)
      barriers.copy_box(full, shared, slot * Tile::chunks + part * Tile::part_chunks, boxes, position + further,
                        first_plane, (2 * copy + part) * task.e.samples + sample, 0);
  }
  __device__ void ask_for_gradients(int slot, int step) const {
    ask(GradientTile::gradient_full + slot, slot, task.gradients, 0, step, 0, first_map);
  }
  __device__ void ask_for_sources(int tap, int step) const {
    using Tile = GradientTile;
    const int rows = tap / Tile::filter * task.e.dilation - task.e.padding;
    ask(Tile::source_full + tap, Tile::gradients + tap, task.sources, tap % Tile::filter, step, rows * task.pitch,
        first_channel);
  }
};

// The first thread of a warpgroup asks for what its taps see next, when the warpgroup is done with what they saw; that
// of the first one also for dY, two steps ahead, when all are done with the step before.
__device__ inline void multiply_planes(const GradientBlock& block, int begin, int end, int warp) {
  using Tile = GradientTile;
  constexpr int apart = 64;
  const Barriers& barriers = block.barriers;
  const LayerExtents& e = block.task.e;
  const int warpgroup = warp / 4, first_tap = warpgroup * Tile::own_taps;
  const bool first_lane = threadIdx.x % 32 == 0, first_thread = threadIdx.x % 128 == 0;
  if (first_thread && begin < end) {
    if (warpgroup == 0)
      for (int ahead = 0; ahead < 2 && begin + ahead < end; ++ahead) block.ask_for_gradients(ahead, begin + ahead);
    for (int own = 0; own < Tile::own_taps; ++own) block.ask_for_sources(first_tap + own, begin);
  }
  __syncwarp();
  RingPlace gradient, before;
  int parity = 0;
  float totals[Tile::own_taps][Tile::channels / 2] = {}, sums[Tile::channels / 2];
  CONVOSCOPE_KEEP_LOOP
  for (int step = begin; step < end; ++step) {
    barriers.wait(Tile::gradient_full + gradient.slot, gradient.parity);
    if (first_thread && warpgroup == 0 && step + 2 < end) {
      if (step > begin) barriers.wait(Tile::gradient_free + before.slot, before.parity);
      block.ask_for_gradients((gradient.slot + 2) % Tile::gradients, step + 2);
    }
    __syncwarp();
    const SwizzledRows gradient_low{gradient.slot * Tile::chunks, apart},
        gradient_high = gradient_low.further(Tile::part_chunks);
    CONVOSCOPE_UNROLL
    for (int own = 0; own < Tile::own_taps; ++own) {
      const int tap = first_tap + own;
      barriers.wait(Tile::source_full + tap, parity);
      const SwizzledRows source_low{(Tile::gradients + tap) * Tile::chunks, apart},
          source_high = source_low.further(Tile::part_chunks);
      const auto multiply = [&](const SwizzledRows& left, const SwizzledRows& right, bool add) {
        CONVOSCOPE_UNROLL
        for (int k = 0; k < 8; k += 2)
          multiply_warpgroup<Tile::channels>(sums, block.shared, left.further(k), right.further(k), add || k > 0);
      };
      begin_products();
      multiply(gradient_high, source_low, false);
      multiply(gradient_low, source_high, true);
      commit_products();
      wait_products<0>();
      CONVOSCOPE_UNROLL
      for (float& sum : sums) sum *= 1 / low_scale;
      begin_products();
      multiply(gradient_high, source_high, true);
      commit_products();
      wait_products<0>();
      if (first_lane) barriers.arrive(Tile::source_free + tap);
      if (first_thread && step + 1 < end) {
        barriers.wait(Tile::source_free + tap, parity);
        block.ask_for_sources(tap, step + 1);
      }
      __syncwarp();
      CONVOSCOPE_UNROLL
      for (int i = 0; i < Tile::channels / 2; ++i) totals[own][i] += sums[i];
    }
    if (first_lane) barriers.arrive(Tile::gradient_free + gradient.slot);
    before = gradient;
    gradient.next(Tile::gradients);
    parity ^= 1;
  }
  const int lane = static_cast<int>(threadIdx.x) % 32, weights = e.maps * e.channels * Tile::taps;
  float* const partials = block.task.partials + static_cast<std::ptrdiff_t>(blockIdx.x) * weights;
  CONVOSCOPE_UNROLL
  for (int own = 0; own < Tile::own_taps; ++own) CONVOSCOPE_UNROLL
  for (int i = 0; i < Tile::channels / 2; ++i) {
    const int map = block.first_map + warp % 4 * 16 + lane / 4 + i % 4 / 2 * 8,
              channel = block.first_channel + i / 4 * 8 + lane % 4 * 2 + i % 2;
    if (map < e.maps && channel < e.channels)
      partials[(map * e.channels + channel) * Tile::taps + first_tap + own] = totals[own][i];
  }
}

#endif

// Grid: parts of the positions, and tiles of the bank, those of a tile of maps one after the other.
template <int = 0>
__global__ void __launch_bounds__(GradientTile::threads, 1)
    layer_split_gradient([[maybe_unused]] const __grid_constant__ GradientTask task) {
#if defined(CONVOSCOPE_WGMMA)
  using Tile = GradientTile;
  constexpr int chunks = Tile::chunks * (Tile::gradients + Tile::stages);
  const auto first = static_cast<std::size_t>(first_swizzled_byte());
  const Shared<ByteColumn> shared = shared_memory<ByteColumn>(first, chunks);
  const Barriers barriers(first + chunks * sizeof(ByteColumn), Tile::barriers);
  if (threadIdx.x == 0) {
    for (int i = 0; i < Tile::gradients; ++i) {
      barriers.initialise(Tile::gradient_full + i, 1);
      barriers.initialise(Tile::gradient_free + i, Tile::threads / 32);
    }
    for (int i = 0; i < Tile::stages; ++i) {
      barriers.initialise(Tile::source_full + i, 1);
      barriers.initialise(Tile::source_free + i, 4);  // the warps of a warpgroup
    }
    barriers.initialised();
  }
  __syncthreads();
  const int warp = shuffle(static_cast<int>(threadIdx.x) / 32, 0);  // which the compiler then knows to be one for all
  const int tile = static_cast<int>(blockIdx.y), first_map = tile / task.channel_tiles() * Tile::maps,
            first_channel = tile % task.channel_tiles() * Tile::channels,
            begin = static_cast<int>(blockIdx.x) * task.part_steps, end = min(begin + task.part_steps, task.steps());
  multiply_planes({task, barriers, shared, first_map, first_channel}, begin, end, warp);
#endif
}

// How it is launched: parts as many as keep the multiprocessors busy, and no longer than 256 steps, after which sums
// grow no more.
struct GradientLaunch {
  static constexpr int most_steps = 256, most_parts = 256;  // parts that are not as long are no more than that
  GradientTask task;
  int tiles, parts;
};
inline GradientLaunch gradient_launch(const LayerExtents& e, int multiprocessors) {
  GradientLaunch launch{};
  GradientTask& task = launch.task;
  task.e = e;
  task.pitch = ceil_div(e.out_width, 8) * 8;  // no tap sees columns further on
  task.sample_steps = ceil_div(e.out_height * task.pitch, GradientTile::positions);
  launch.tiles = ceil_div(e.maps, GradientTile::maps) * task.channel_tiles();
  const int busy = std::clamp(multiprocessors / launch.tiles, 1, GradientLaunch::most_parts);
  task.part_steps = std::min(ceil_div(task.steps(), busy), GradientLaunch::most_steps);
  launch.parts = ceil_div(task.steps(), task.part_steps);
  return launch;
}

class SplitGradient {
 public:
  SplitGradient(const Problem& problem, int multiprocessors)
      : launch_(gradient_launch(layer_extents(problem), multiprocessors)),
        sources_(moved(planes(launch_.task.e.channels, launch_.task.e.height, launch_.task.e.width))),
        gradients_(planes(launch_.task.e.maps, launch_.task.e.out_height, launch_.task.e.out_width)),
        halves_of_sources_(sources_.count()),
        halves_of_gradients_(gradients_.count()),
        partials_(problem, launch_.parts) {
    allow_shared(layer_split_gradient<>, GradientTile::shared_bytes);
  }
  void enqueue(std::span<const Tensor> in, const Tensor& out, Stream stream) const {
    split(sources_, in[0], halves_of_sources_, stream);
    split(gradients_, in[1], halves_of_gradients_, stream);
    GradientTask task = launch_.task;
    task.sources = boxes(sources_, halves_of_sources_);
    task.gradients = boxes(gradients_, halves_of_gradients_);
    task.partials = partials_.data();
    launch(layer_split_gradient<>, grid(), dim3(GradientTile::threads), GradientTile::shared_bytes, stream, task);
    partials_.add(out, stream);
  }
  std::vector<KernelInfo> descriptions() const {
    const auto splits = [](const SplitPlanesTask& task) {
      return describe("layer_split_planes", layer_split_planes<>, task.grid(), dim3(SplitPlanesTask::threads), 0);
    };
    return {splits(sources_), splits(gradients_),
            describe("layer_split_gradient", layer_split_gradient<>, grid(), dim3(GradientTile::threads),
                     GradientTile::shared_bytes),
            partials_.kernel()};
  }
  std::size_t bytes() const { return halves_of_sources_.bytes() + halves_of_gradients_.bytes(); }
  int parts() const { return launch_.parts; }

 private:
  SplitPlanesTask planes(int of_sample, int height, int width) const {
    return {{}, nullptr, of_sample * launch_.task.e.samples, height, width, launch_.task.pitch};
  }
  SplitPlanesTask moved(SplitPlanesTask task) const {
    task.copies = GradientTile::filter;
    task.first_shift = -launch_.task.e.padding;
    task.shift_step = launch_.task.e.dilation;
    return task;
  }
  static void split(SplitPlanesTask task, const Tensor& in, const DeviceBuffer<Half>& halves, Stream stream) {
    task.in = planes_of<const float>(in);
    task.out = halves.data();
    launch(layer_split_planes<>, task.grid(), dim3(SplitPlanesTask::threads), 0, stream, task);
  }
  TensorBoxes boxes(const SplitPlanesTask& task, const DeviceBuffer<Half>& halves) const {
    const int samples = launch_.task.e.samples, of_sample = task.planes / samples;
    const std::ptrdiff_t plane = static_cast<std::ptrdiff_t>(sizeof(Half)) * task.plane_numbers(),
                         sample = of_sample * plane;
    const int parts = 2 * task.copies * samples;
    return tensor_boxes(halves.data(), {task.plane_numbers(), of_sample, parts, 1, plane, sample, parts * sample},
                        GradientTile::maps, 1);
  }
  dim3 grid() const { return dim3(static_cast<unsigned>(launch_.parts), static_cast<unsigned>(launch_.tiles)); }

  GradientLaunch launch_;
  SplitPlanesTask sources_, gradients_;
  DeviceBuffer<Half> halves_of_sources_, halves_of_gradients_;
  PartialSums partials_;
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
