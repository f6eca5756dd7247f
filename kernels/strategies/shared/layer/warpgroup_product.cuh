#pragma once
// The implicit product on Hopper's tensor cores, of float16 channel by channel (nhwc), or of float32 made into one or
// two such numbers. A warpgroup makes 64 maps of N outputs, eight neighbours of each of N/8 rows, both factors from
// shared memory: the bank tap by tap, and the window of the sources that the block's outputs see, 64 channels at a
// time. A tap's columns of the unrolled matrix are the window that tap's distance further on. Two warps do nothing but
// ask for copies; two warpgroups multiply, one half of the rows each, and mbarriers tell who may go on. A block makes
// tile after tile: copies for the next one are on their way while sums are stored. Traffic: a source is loaded
// (8+K−1)(N/4+K−1)/2N times for each 64 maps.
#include "kernels/device/parts/warp.cuh"
#include "kernels/device/parts/wgmma.cuh"
#include "kernels/strategies/shared/layer/correlation.cuh"
#include "kernels/strategies/shared/layer/map_order.cuh"
#include "kernels/strategies/shared/layer/swizzled_copy.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::warpgroups {

using implicit_gemm_tensor::aligned, implicit_gemm_tensor::MapStores;

// What the sources and the weights are multiplied as. halves: the float16 numbers that they are. rounded: of float32
// the nearest float16. split: a low and a high number; a tap has three products of them, the small ones first, whose
// sum is taken out of the tensor cores and added to the others' in float32.
enum class Factors { halves, rounded, split };

template <int Pixels, Factors Kind = Factors::halves>
struct WarpgroupTile {
  using Out = std::conditional_t<Kind == Factors::halves, Half, float>;
  static constexpr Factors kind = Kind;
  static constexpr bool split = Kind == Factors::split, made = Kind != Factors::halves;  // made: in a dense buffer
  static constexpr int pixels = Pixels;                                                  // of a warpgroup
  static constexpr int maps = 64, channels = 64, chunks = channels / 8, step_chunks = maps * chunks;
  static constexpr int width = 8, rows = Pixels / width, height = 2 * rows;
  static constexpr int multiplying_threads = 256, threads = multiplying_threads + 64;
  static constexpr int parts = split ? 2 : 1, products = split ? 3 : 1;  // of a window, and of a tap
  static constexpr int windows = 2, stages = split ? 6 : 4;  // in shared memory: of the sources, and of the bank
};
// Low · high, high · low, high · high, of a source and a weight; parts: the low one, and the high one.
enum Product { low_high, high_low, high_high };
constexpr int source_part(bool split, int product) { return split && product != low_high; }

// What the sources are: float16 numbers; of a split layer all samples' low ones and then all samples' high ones.
template <class Out>
struct WarpgroupTask {
  TensorBoxes boxes;
  Strided<const Half> in;  // where they cannot be copied as boxes
  Strided<Out> out;
  Correlation c;
  LayerEpilogue epilogue;
  const float* scales;        // of float32, for each map
  const float* source_scale;  // of float32, for all of them; null where there is none
  // boxed: the sources can be copied as boxes; pairs: two maps, or in planes two neighbours of a row, can be stored at
  // once; planes: the outputs lie in these
  bool forward, boxed, pairs, planes;
  int across, down, map_tiles, slabs;
  int halo_width, halo_height;
  const ByteColumn* bank;  // of each tile of maps, slab, tap and product: the slab's channels of each map, swizzled

  CONVOSCOPE_HOST_DEVICE int tiles() const { return c.samples * down * across * map_tiles; }
  // Eight times the 128 bytes of a pixel: swizzled again and again.
  CONVOSCOPE_HOST_DEVICE int part_chunks() const { return (halo_width * halo_height + 7) / 8 * 64; }
};
template <class Tile>
using TaskOf = WarpgroupTask<typename Tile::Out>;
template <class Tile>
CONVOSCOPE_HOST_DEVICE inline int window_chunks(const TaskOf<Tile>& task) {
  return Tile::parts * task.part_chunks();
}

// Maps come first, so that blocks at work at the same time share windows in L2.
struct WarpgroupPlace {
  int map_tile, left, top, sample;
};
template <class Tile>
CONVOSCOPE_HOST_DEVICE inline WarpgroupPlace place_of(const TaskOf<Tile>& task, int tile) {
  const int rectangle = tile / task.map_tiles;
  return {tile % task.map_tiles, rectangle % task.across * Tile::width,
          rectangle / task.across % task.down * Tile::height, rectangle / task.across / task.down};
}

// Of an instruction's 64 rows a thread holds two that are 8 apart; they are neighbouring maps.
constexpr int map_of_row(int row) { return row / 16 * 16 + row % 8 * 2 + row % 16 / 8; }

// Which mbarriers there are, the ring of windows first.
template <class Tile>
struct WarpgroupBarriers {
  static constexpr int windows_full = 0, windows_free = Tile::windows, bank_full = 2 * Tile::windows,
                       bank_free = bank_full + Tile::stages, count = bank_free + Tile::stages;
};

#if defined(CONVOSCOPE_WGMMA)

template <class Tile>
__device__ inline void ask_for_windows(const TaskOf<Tile>& task, const Barriers& barriers,
                                       const Shared<ByteColumn>& shared) {
  using Names = WarpgroupBarriers<Tile>;
  const bool first_lane = threadIdx.x % 32 == 0;
  const int pixels = task.halo_width * task.halo_height, chunks = window_chunks<Tile>(task);
  if ((Tile::made || task.boxed) && !first_lane) return;
  const Shared<Half> numbers =
      shared_memory<Half>(static_cast<std::size_t>(first_swizzled_byte()), Tile::windows * chunks * 8);
  RingPlace window;
  for (int tile = static_cast<int>(blockIdx.x); tile < task.tiles(); tile += static_cast<int>(gridDim.x)) {
    const WarpgroupPlace place = place_of<Tile>(task, tile);
    for (int slab = 0; slab < task.slabs; ++slab) {
      const int full = Names::windows_full + window.slot;
      barriers.wait(Names::windows_free + window.slot, window.parity ^ 1);
      if (Tile::made || task.boxed) {
        barriers.expect(full, Tile::parts * pixels * Tile::channels * static_cast<int>(sizeof(Half)));
        CONVOSCOPE_UNROLL
        for (int part = 0; part < Tile::parts; ++part)
          barriers.copy_box(full, shared, window.slot * chunks + part * task.part_chunks(), task.boxes,
                            slab * Tile::channels, place.left - task.c.padding, place.top - task.c.padding,
                            part * task.c.samples + place.sample);
      } else {
        copy_swizzled(numbers, window.slot * chunks * 8, task.in, task.in.at(place.sample, 0),
                      {task.c.sources, task.c.width, task.c.height},
                      {slab * Tile::channels, place.left - task.c.padding, place.top - task.c.padding, task.halo_width,
                       task.halo_height});
        if (first_lane) barriers.arrive(full);
      }
      window.next(Tile::windows);
    }
  }
}

template <class Tile>
__device__ inline void ask_for_bank(const TaskOf<Tile>& task, const Barriers& barriers,
                                    const Shared<ByteColumn>& shared) {
  using Names = WarpgroupBarriers<Tile>;
  if (threadIdx.x % 32 != 0) return;
  const int first = Tile::windows * window_chunks<Tile>(task),
            steps = task.slabs * task.c.filter * task.c.filter * Tile::products;
  RingPlace stage;
  for (int tile = static_cast<int>(blockIdx.x); tile < task.tiles(); tile += static_cast<int>(gridDim.x)) {
    const ByteColumn* from = task.bank + static_cast<std::ptrdiff_t>(tile % task.map_tiles) * steps * Tile::step_chunks;
    for (int step = 0; step < steps; ++step) {
      const int full = Names::bank_full + stage.slot;
      barriers.wait(Names::bank_free + stage.slot, stage.parity ^ 1);
      barriers.expect(full, Tile::step_chunks * static_cast<int>(sizeof(ByteColumn)));
      barriers.copy(full, shared, first + stage.slot * Tile::step_chunks, from, Tile::step_chunks);
      from += Tile::step_chunks;
      stage.next(Tile::stages);
    }
  }
}

// Which of a tile's outputs a thread has: columns x and x + 1 of all rows from `top` on, and two neighbouring maps.
template <class Out>
struct WarpgroupOutputs {
  int map, x, top;
  Out* place;  // of the first one of the sample's map 0, though it may lie outside
  float biases[2];
};
template <class Tile>
__device__ inline WarpgroupOutputs<typename Tile::Out> outputs_of(const TaskOf<Tile>& task, int tile, int warp) {
  const WarpgroupPlace place = place_of<Tile>(task, tile);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  WarpgroupOutputs<typename Tile::Out> mine{place.map_tile * Tile::maps + warp % 4 * 16 + lane / 4 * 2,
                                            place.left + lane % 4 * 2,
                                            place.top + warp / 4 * Tile::rows,
                                            nullptr,
                                            {}};
  mine.place = task.out.at(place.sample, 0) + mine.top * task.out.row + mine.x * task.out.column;
  CONVOSCOPE_UNROLL
  for (int i = 0; i < 2; ++i)
    mine.biases[i] = task.forward && mine.map + i < task.c.targets ? __ldg(task.epilogue.biases + mine.map + i) : 0.0f;
  return mine;
}

// No products are made meanwhile: hence a place that is moved on from row to row, and how outputs are stored is asked
// once.
template <class Tile>
__device__ inline void store_warpgroup(const TaskOf<Tile>& task, const WarpgroupOutputs<Half>& mine,
                                       const float (&sums)[Tile::pixels / 2]) {
  const Correlation& c = task.c;
  MapStores stores{task.out.channel, task.epilogue, task.forward ? 0 : -1, c.targets, task.pairs};
  const auto store_rows = [&](const MapStores& alike) {
    Half* place = mine.place;
    const int rows[2] = {mine.x < c.out_width ? c.out_height - mine.top : 0,
                         mine.x + 1 < c.out_width ? c.out_height - mine.top : 0};
    CONVOSCOPE_UNROLL
    for (int row = 0; row < Tile::rows; ++row, place += task.out.row) {
      CONVOSCOPE_UNROLL
      for (int column = 0; column < 2; ++column) {
        const float held[2] = {sums[row * 4 + column], sums[row * 4 + column + 2]};
        if (row < rows[column]) alike.store(place + column * task.out.column, mine.map, held, mine.biases);
      }
    }
  };
  if (stores.wide && mine.map + 2 <= stores.maps) {
    store_rows(stores);
  } else {
    stores.wide = false;
    store_rows(stores);
  }
}
// The same of float32 in nhwc.
template <class Tile>
__device__ inline void store_side_by_side(const TaskOf<Tile>& task, const WarpgroupOutputs<float>& mine,
                                          const float (&sums)[Tile::pixels / 2], float of_sources) {
  const Correlation& c = task.c;
  const bool relu = task.forward && task.epilogue.relu, both = mine.map + 1 < c.targets;
  if (mine.map >= c.targets) return;
  const float scales[2] = {__ldg(task.scales + mine.map), both ? __ldg(task.scales + mine.map + 1) : 0.0f};
  const int columns = c.out_width - mine.x, rows = c.out_height - mine.top;
  float* place = mine.place + mine.map * task.out.channel;
  CONVOSCOPE_UNROLL
  for (int row = 0; row < Tile::rows; ++row, place += task.out.row) {
    if (row >= rows) break;
    CONVOSCOPE_UNROLL
    for (int column = 0; column < 2; ++column) {
      if (column >= columns) break;
      float* const at = place + column * task.out.column;
      float2 value{fmaf(sums[row * 4 + column] * of_sources, scales[0], mine.biases[0]),
                   fmaf(sums[row * 4 + column + 2] * of_sources, scales[1], mine.biases[1])};
      if (relu) value = {fmaxf(value.x, 0.0f), fmaxf(value.y, 0.0f)};
      if (task.pairs && both) {
        *reinterpret_cast<float2*>(at) = value;
      } else {
        at[0] = value.x;
        if (both) at[task.out.channel] = value.y;
      }
    }
  }
}
// And in planes.
template <class Tile>
__device__ inline void store_warpgroup(const TaskOf<Tile>& task, const WarpgroupOutputs<float>& mine,
                                       const float (&sums)[Tile::pixels / 2]) {
  const Correlation& c = task.c;
  const float of_sources = task.source_scale ? *task.source_scale : 1.0f;
  if (!task.planes) return store_side_by_side<Tile>(task, mine, sums, of_sources);
  const bool relu = task.forward && task.epilogue.relu;
  const int rows = mine.x < c.out_width ? c.out_height - mine.top : 0;
  const auto store_rows = [&](bool pairs, bool second, int there) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 2; ++i) {
      if (mine.map + i >= c.targets) break;
      const float scale = __ldg(task.scales + mine.map + i);
      float* place = mine.place + (mine.map + i) * task.out.channel;
      CONVOSCOPE_UNROLL
      for (int row = 0; row < Tile::rows; ++row, place += task.out.row) {
        if (row >= there) break;
        float2 value{fmaf(sums[row * 4 + 2 * i] * of_sources, scale, mine.biases[i]),
                     fmaf(sums[row * 4 + 2 * i + 1] * of_sources, scale, mine.biases[i])};
        if (relu) value = {fmaxf(value.x, 0.0f), fmaxf(value.y, 0.0f)};
        if (pairs) {
          *reinterpret_cast<float2*>(place) = value;
        } else {
          place[0] = value.x;
          if (second) place[1] = value.y;
        }
      }
    }
  };
  const bool second = mine.x + 1 < c.out_width;
  if (task.pairs && second && rows >= Tile::rows)
    store_rows(true, true, Tile::rows);
  else if (task.pairs && second)
    store_rows(true, true, rows);
  else
    store_rows(false, second, rows);
}

template <class Tile>
__device__ inline void multiply_windows(const TaskOf<Tile>& task, const Barriers& barriers,
                                        const Shared<ByteColumn>& shared, int warp) {
  using Names = WarpgroupBarriers<Tile>;
  const Correlation& c = task.c;
  const bool first_lane = threadIdx.x % 32 == 0;
  const int taps = c.filter * c.filter, chunks = window_chunks<Tile>(task), part_chunks = task.part_chunks(),
            first_bank = Tile::windows * chunks;
  const int tap_chunks = c.dilation * Tile::chunks, row_chunks = task.halo_width * Tile::chunks;
  RingPlace window, stage;
  float sums[Tile::pixels / 2];
  CONVOSCOPE_KEEP_LOOP
  for (int tile = static_cast<int>(blockIdx.x); tile < task.tiles(); tile += static_cast<int>(gridDim.x)) {
    const auto mine = outputs_of<Tile>(task, tile, warp);
    int done_stage = -1, done_window = -1;  // that the products before the last ones have read
    const auto give_back = [&] {
      if (first_lane && done_stage >= 0) barriers.arrive(Names::bank_free + done_stage);
      if (first_lane && done_window >= 0) barriers.arrive(Names::windows_free + done_window);
    };
    [[maybe_unused]] float totals[Tile::split ? Tile::pixels / 2 : 1] = {};
    bool add = false;
    CONVOSCOPE_KEEP_LOOP
    for (int slab = 0; slab < task.slabs; ++slab) {
      barriers.wait(Names::windows_full + window.slot, window.parity);
      int at = window.slot * chunks + warp / 4 * Tile::rows * row_chunks, tap_column = 0;
      CONVOSCOPE_KEEP_LOOP
      for (int tap = 0; tap < taps; ++tap) {
        CONVOSCOPE_UNROLL
        for (int product = 0; product < Tile::products; ++product) {
          const bool last = product + 1 == Tile::products;
          barriers.wait(Names::bank_full + stage.slot, stage.parity);
          const SwizzledRows maps{first_bank + stage.slot * Tile::step_chunks, 8 * Tile::chunks},
              pixels{at + source_part(Tile::split, product) * part_chunks, row_chunks};
          begin_products();
          CONVOSCOPE_UNROLL
          for (int k = 0; k < Tile::chunks; k += 2) {
            multiply_warpgroup<Tile::pixels>(sums, shared, maps.further(k), pixels.further(k), add);
            add = true;
          }
          commit_products();
          if (Tile::split && last)
            wait_products<0>();
          else
            wait_products<1>();
          give_back();
          done_stage = stage.slot;
          done_window = last && tap + 1 == taps ? window.slot : -1;
          stage.next(Tile::stages);
        }
        if constexpr (Tile::split) {
          give_back();
          done_stage = done_window = -1;
          CONVOSCOPE_UNROLL
          for (int i = 0; i < Tile::pixels / 2; ++i) totals[i] += sums[i];
          add = false;
        }
        at += tap_chunks;
        if (++tap_column == c.filter) tap_column = 0, at += c.dilation * row_chunks - c.filter * tap_chunks;
      }
      window.next(Tile::windows);
    }
    if constexpr (Tile::split) {
      store_warpgroup<Tile>(task, mine, totals);
    } else {
      wait_products<0>();
      give_back();
      store_warpgroup<Tile>(task, mine, sums);
    }
  }
}

#endif

// Grid: as many blocks as there are multiprocessors.
template <class Tile>
__global__ void __launch_bounds__(Tile::threads, 1)
    layer_warpgroup_product([[maybe_unused]] const __grid_constant__ TaskOf<Tile> task) {
#if defined(CONVOSCOPE_WGMMA)
  using Names = WarpgroupBarriers<Tile>;
  const int chunks = Tile::windows * window_chunks<Tile>(task) + Tile::stages * Tile::step_chunks;
  const auto first = static_cast<std::size_t>(first_swizzled_byte());
  const Shared<ByteColumn> shared = shared_memory<ByteColumn>(first, chunks);
  const Barriers barriers(first + static_cast<std::size_t>(chunks) * sizeof(ByteColumn), Names::count);
  if (threadIdx.x == 0) {
    constexpr int readers = Tile::multiplying_threads / 32;
    for (int i = 0; i < Tile::windows; ++i) {
      barriers.initialise(Names::windows_full + i, 1);
      barriers.initialise(Names::windows_free + i, readers);
    }
    for (int i = 0; i < Tile::stages; ++i) {
      barriers.initialise(Names::bank_full + i, 1);
      barriers.initialise(Names::bank_free + i, readers);
    }
    barriers.initialised();
  }
  __syncthreads();
  const int warp = shuffle(static_cast<int>(threadIdx.x) / 32, 0);  // which the compiler then knows to be one for all
  if (warp == Tile::multiplying_threads / 32)
    ask_for_windows<Tile>(task, barriers, shared);
  else if (warp > Tile::multiplying_threads / 32)
    ask_for_bank<Tile>(task, barriers, shared);
  else
    multiply_windows<Tile>(task, barriers, shared, warp);
#endif
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::warpgroups
