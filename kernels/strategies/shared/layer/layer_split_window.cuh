#pragma once
// The correlation of up to four planes with a bank of 3 × 3 on tensor cores, float32 numbers in two float16 ones each.
// The warps of a block walk down a strip together; each row of the sources is split once, in shared memory, and meets
// all rows of the bank, which a warp keeps in registers for its 16 maps. A row's three products begin with the small
// ones, and what they come to is added in float32, outside of the tensor cores. Outputs leave through shared memory, so
// that whole lines of a map are stored at once. Traffic: (1 + 2/width)(1 + 2/rows) loads of a source for all of a
// block's maps.
#include "kernels/device/parts/mma.cuh"
#include "kernels/strategies/shared/layer/layer_quads.cuh"
#include "kernels/strategies/shared/layer/layer_split_pairs.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::strips_split {

struct WindowTask {
  Planes<const float> in;
  Planes<float> out;
  Correlation c;
  LayerEpilogue epilogue;
  const float* scales;   // for each map
  const unsigned* bank;  // of each 16 maps
  bool forward;
  int rows;
};

// MapGroups: of 16 maps each, of a block; warps that have the same ones lie side by side.
template <int MapGroups, int Resident, int AtOnce = 2, bool Stream = true>
struct WindowTile {
  static constexpr int filter = 3, maps = 16, map_groups = MapGroups, warps = 4, threads = 32 * warps,
                       resident = Resident, at_once = AtOnce;
  static constexpr bool stream = Stream;
  static constexpr int lane_width = 32, width = warps / map_groups * lane_width, columns = width + filter - 1;
  static constexpr int pitch = (columns + 7) / 16 * 16 + 8;  // so that two planes' pairs lie on other banks
  static constexpr int most_sources = 4, parts = 3;
  static constexpr int slots = 2;  // rows in shared memory
  static constexpr int ring = slots * most_sources * pitch;
  static constexpr int out_pitch = lane_width + 8, out_floats = maps * out_pitch;  // of a warp
  static constexpr int bank_words = filter * parts * 4 * 32;
  static constexpr std::size_t shared_bytes = sizeof(SplitPair) * ring + sizeof(float) * warps * out_floats;
};

// Grid: strips beside and below one another, tiles of maps of all samples.
template <class Tile, Reach reach>
__global__ void __launch_bounds__(Tile::threads, Tile::resident) layer_split_window(WindowTask task) {
  constexpr int K = Tile::filter, tiles = Tile::lane_width / 8;
  constexpr float zeros[4] = {};
  wait_for_kernel_before();
  const Correlation& c = task.c;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32, g = lane / 4, t = lane % 4;
  const int map_tiles = ceil_div(c.targets, Tile::maps * Tile::map_groups),
            sample = static_cast<int>(blockIdx.z) / map_tiles,
            group = static_cast<int>(blockIdx.z) % map_tiles * Tile::map_groups + warp % Tile::map_groups;
  const int left = static_cast<int>(blockIdx.x) * Tile::width, top = static_cast<int>(blockIdx.y) * task.rows,
            own_left = warp / Tile::map_groups * Tile::lane_width;
  const int rows = min(task.rows, c.out_height - top) + K - 1;

  const Shared<SplitPair> ring = shared_memory<SplitPair>(0, Tile::ring);
  const Shared<float> outputs =
      shared_memory<float>(sizeof(SplitPair) * Tile::ring + sizeof(float) * warp * Tile::out_floats, Tile::out_floats);
  // What this thread fetches of each row: a column of some sources, and a few threads one more.
  constexpr int every = Tile::threads / Tile::width, own_sources = Tile::most_sources / every;
  const int own_column = thread % Tile::width, own_source = thread / Tile::width;
  const bool has_more = thread < (K - 1) * Tile::most_sources;
  const int more_source = thread / (K - 1), more_column = Tile::width + thread % (K - 1);
  const float* const sources = task.in.at(sample * c.sources, 0) + left - c.padding;
  RawPair raw[own_sources], more;
  const auto load_row = [&](int row) {
    const int y = top - c.padding + row, x = left - c.padding;
    const bool there = row < rows && y >= 0 && y < c.height;
    const float* const from = sources + y * task.in.row;
    CONVOSCOPE_UNROLL
    for (int i = 0; i < own_sources; ++i) {
      const int source = own_source + i * every;
      raw[i].load(from + source * task.in.plane - x, there && source < c.sources, x + own_column, c.width);
    }
    if (has_more)
      more.load(from + more_source * task.in.plane - x, there && more_source < c.sources, x + more_column, c.width);
  };
  const auto store_row = [&](int slot) {
    const int first = slot * Tile::most_sources * Tile::pitch;
    CONVOSCOPE_UNROLL
    for (int i = 0; i < own_sources; ++i)
      ring[first + (own_source + i * every) * Tile::pitch + own_column] = raw[i].split();
    if (has_more) ring[first + more_source * Tile::pitch + more_column] = more.split();
  };

  unsigned bank[K][Tile::parts][4];
  const unsigned* words = task.bank + min(group, ceil_div(c.targets, Tile::maps) - 1) * Tile::bank_words + lane;
  CONVOSCOPE_UNROLL
  for (int i = 0; i < K; ++i) CONVOSCOPE_UNROLL
  for (int part = 0; part < Tile::parts; ++part) CONVOSCOPE_UNROLL
  for (int k = 0; k < 4; ++k, words += 32) bank[i][part][k] = __ldg(words);

  const int first_map = group * Tile::maps;
  float scales[2], biases[2];
  CONVOSCOPE_UNROLL
  for (int h = 0; h < 2; ++h) {
    const int map = first_map + g + 8 * h;
    scales[h] = map < c.targets ? __ldg(task.scales + map) : 0.0f;
    biases[h] = map < c.targets && task.forward ? __ldg(task.epilogue.biases + map) : 0.0f;
  }
  const bool relu = task.forward && task.epilogue.relu;
  // A lane stores 16 bytes of every fourth map, or 8 of every second.
  constexpr int vector = reach == Reach::quads   ? 4
                         : reach == Reach::pairs ? 2
                                                 : 1,
                lanes = Tile::lane_width / vector, maps_at_once = 32 / lanes, stores = Tile::maps / maps_at_once;
  const int x = left + own_left + lane % lanes * vector, stored_map = lane / lanes;
  const int maps_left = x < c.out_width ? c.targets - first_map - stored_map : 0;
  float* place = task.out.at(sample * c.targets + first_map + stored_map, top) + x;
  const auto store_outputs = [&](const float(&sums)[tiles][4]) {
    CONVOSCOPE_UNROLL
    for (int j = 0; j < tiles; ++j) CONVOSCOPE_UNROLL
    for (int h = 0; h < 2; ++h) {
      float2 two{fmaf(sums[j][2 * h], scales[h], biases[h]), fmaf(sums[j][2 * h + 1], scales[h], biases[h])};
      if (relu) two = {fmaxf(two.x, 0.0f), fmaxf(two.y, 0.0f)};
      *reinterpret_cast<float2*>(&outputs[(g + 8 * h) * Tile::out_pitch + 8 * j + 2 * t]) = two;
    }
    __syncwarp();
    CONVOSCOPE_UNROLL
    for (int i = 0; i < stores; ++i) {
      const float* const from = &outputs[(stored_map + i * maps_at_once) * Tile::out_pitch + lane % lanes * vector];
      float* const to = place + i * maps_at_once * task.out.plane;
      if (i * maps_at_once >= maps_left) continue;
      if constexpr (vector == 4) {
        if constexpr (Tile::stream)
          __stcs(reinterpret_cast<float4*>(to), *reinterpret_cast<const float4*>(from));
        else
          *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
      } else if constexpr (vector == 2) {
        if constexpr (Tile::stream)
          __stcs(reinterpret_cast<float2*>(to), *reinterpret_cast<const float2*>(from));
        else
          *reinterpret_cast<float2*>(to) = *reinterpret_cast<const float2*>(from);
      } else
        *to = *from;
    }
    __syncwarp();
    place += task.out.row;
  };

  const int pair = own_left + g + t / 2 * Tile::pitch + t % 2 * 2;
  float sums[K][tiles][4] = {};
  load_row(0);
  store_row(0);
  load_row(1);
  __syncthreads();
  CONVOSCOPE_KEEP_LOOP
  for (int turn = 0; turn < rows; turn += K) {
    CONVOSCOPE_UNROLL
    for (int phase = 0; phase < K; ++phase) {
      const int row = turn + phase;
      if (row >= rows) break;
      store_row((row + 1) % Tile::slots);
      load_row(row + 2);
      const int from = row % Tile::slots * Tile::most_sources * Tile::pitch + pair;
      CONVOSCOPE_UNROLL
      for (int first = 0; first < tiles; first += Tile::at_once) {
        unsigned high[Tile::at_once][2], low[Tile::at_once][2];
        CONVOSCOPE_UNROLL
        for (int j = 0; j < Tile::at_once; ++j) CONVOSCOPE_UNROLL
        for (int k = 0; k < 2; ++k) {
          const SplitPair read = ring[from + (first + j) * 8 + k * 2 * Tile::pitch];
          high[j][k] = read.high, low[j][k] = read.low;
        }
        CONVOSCOPE_UNROLL
        for (int i = K - 1; i >= 0; --i) {
          float made[Tile::at_once][4];
          CONVOSCOPE_UNROLL
          for (int j = 0; j < Tile::at_once; ++j) mma_m16n8k16(made[j], bank[i][0], low[j], zeros);
          CONVOSCOPE_UNROLL
          for (int j = 0; j < Tile::at_once; ++j) mma_m16n8k16(made[j], bank[i][1], high[j]);
          CONVOSCOPE_UNROLL
          for (int j = 0; j < Tile::at_once; ++j) mma_m16n8k16(made[j], bank[i][2], high[j]);
          CONVOSCOPE_UNROLL
          for (int j = 0; j < Tile::at_once; ++j) CONVOSCOPE_UNROLL
          for (int k = 0; k < 4; ++k) {
            float& to = sums[(phase - i + K) % K][first + j][k];
            to = i == 0 ? made[j][k] : to + made[j][k];
          }
        }
      }
      if (row >= K - 1) store_outputs(sums[(phase + 1) % K]);
      __syncthreads();
    }
  }
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::strips_split
