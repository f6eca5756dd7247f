#pragma once
// Gradients to the weights of few channels on tensor cores: dF is dY (maps × positions) times the unrolled X (positions
// × taps), float32 numbers in two float16 ones each. A block keeps its sums in registers and goes through tiles of
// outputs; the window of X above a tile is split once, in shared memory, as pairs of neighbours, so that every tap is
// whole words; dY goes from global memory to the registers of the lane that multiplies it, four neighbours at a time.
// What 32 positions come to, small products first, is added in float32, outside of the tensor cores. Traffic: dY once
// for each block of channels, X with a tile's halo for each block of maps.
#include "kernels/device/parts/mma.cuh"
#include "kernels/strategies/shared/layer/partials.cuh"
#include "kernels/strategies/shared/layer/quads.cuh"
#include "kernels/strategies/shared/layer/split_weights.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::strips_split {

// A number of X and the one after it. In shared memory there is such a pair for each column, so that a window that is
// moved by one column is still whole words.
struct SplitPair {
  unsigned high, low;
};

// The pair at column x of a row, with zeros beyond its ends, or of a row that is not there.
struct RawPair {
  float first = 0, second = 0;
  __device__ void load(const float* row, bool there, int x, int width) {
    first = there && x >= 0 && x < width ? __ldg(row + x) : 0.0f;
    second = there && x + 1 >= 0 && x + 1 < width ? __ldg(row + x + 1) : 0.0f;
  }
  __device__ SplitPair split() const {
    SplitPair pair;
    split_scaled(first, second, pair.high, pair.low);
    return pair;
  }
};

struct SumsTask {
  LayerInputs in;
  LayerExtents e;
  float* partials;    // [part][weight]
  int across, tiles;  // of one sample, of all
};

// Of K × K filters over Channels channels; a block's four warps are MapGroups × TapGroups × the rest, which share the
// positions. A warp has MapTiles times 16 maps and TapTiles times 8 taps.
template <int K, int Channels, int MapTiles, int TapTiles, int MapGroups, int TapGroups, int Width, int Height,
          int Resident>
struct SumsTile {
  static constexpr int filter = K, channels = Channels, map_tiles = MapTiles, tap_tiles = TapTiles,
                       map_groups = MapGroups, tap_groups = TapGroups, width = Width, height = Height,
                       resident = Resident;
  static constexpr int warps = 4, threads = 32 * warps, shares = warps / (map_groups * tap_groups);
  static constexpr int maps = 16 * map_tiles * map_groups, taps = channels * K * K;
  static_assert(taps <= 8 * tap_tiles * tap_groups && width % 32 == 0);
  static constexpr int positions = 32, steps = positions / 16;  // of sums in the tensor cores
  static constexpr int runs = width / positions * height;       // of so many positions, of a tile
  static constexpr int rows = height + K - 1, columns = width + K - 1;
  // Of pairs: taps one after the other lie on banks one after the other.
  static constexpr int congruent(int least, int to) { return least + ((to - least) % 4 + 4) % 4; }
  static constexpr int pitch = congruent(columns, K), plane = congruent(rows * pitch, K + (K - 1) * K);
  static constexpr std::size_t window_bytes = sizeof(SplitPair) * channels * plane,
                               sums_bytes = sizeof(float) * maps * taps,
                               shared_bytes = window_bytes > sums_bytes ? window_bytes : sums_bytes;
};

// Splits the window of a tile's outputs.
template <class Tile>
__device__ inline void split_window(const Shared<SplitPair>& window, const SumsTask& task, int sample, int channel,
                                    int left, int top) {
  constexpr int whole = Tile::columns / 32 * 32, rest = Tile::columns - whole, lines = Tile::channels * Tile::rows;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const LayerExtents& e = task.e;
  const auto load = [&](RawPair& raw, int line, int column) {
    const int c = channel + line / Tile::rows, y = top - e.padding + line % Tile::rows;
    raw.load(task.in.x.at(sample * e.channels + c, y), c < e.channels && y >= 0 && y < e.height,
             left - e.padding + column, e.width);
  };
  const auto place = [&](int line, int column) {
    return line / Tile::rows * Tile::plane + line % Tile::rows * Tile::pitch + column;
  };
  constexpr int at_once = whole / 32;
  CONVOSCOPE_KEEP_LOOP
  for (int line = warp; line < lines; line += Tile::warps) {
    RawPair raw[at_once];
    CONVOSCOPE_UNROLL
    for (int i = 0; i < at_once; ++i) load(raw[i], line, lane + 32 * i);
    CONVOSCOPE_UNROLL
    for (int i = 0; i < at_once; ++i) window[place(line, lane + 32 * i)] = raw[i].split();
  }
  CONVOSCOPE_KEEP_LOOP
  for (int i = static_cast<int>(threadIdx.x); i < lines * rest; i += Tile::threads) {
    RawPair raw;
    load(raw, i / rest, whole + i % rest);
    window[place(i / rest, whole + i % rest)] = raw.split();
  }
}

// Grid: parts of the tiles, blocks of maps, blocks of channels.
template <class Tile, Reach reach>
__global__ void __launch_bounds__(Tile::threads, Tile::resident) layer_split_sums(SumsTask task) {
  constexpr int K = Tile::filter, taps = Tile::taps;
  constexpr float zeros[4] = {};
  const LayerExtents& e = task.e;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32, g = lane / 4, t = lane % 4;
  const int map_group = warp % Tile::map_groups, tap_group = warp / Tile::map_groups % Tile::tap_groups,
            share = warp / (Tile::map_groups * Tile::tap_groups);
  const int block_map = static_cast<int>(blockIdx.y) * Tile::maps,
            first_map = block_map + map_group * Tile::map_tiles * 16 + g,
            channel = static_cast<int>(blockIdx.z) * Tile::channels;
  const Shared<SplitPair> window = shared_memory<SplitPair>(0, Tile::channels * Tile::plane);

  int places[Tile::tap_tiles];  // in the window, of this lane's taps
  CONVOSCOPE_UNROLL
  for (int j = 0; j < Tile::tap_tiles; ++j) {
    const int tap = (tap_group * Tile::tap_tiles + j) * 8 + g;
    places[j] = tap < taps ? tap / (K * K) * Tile::plane + tap / K % K * Tile::pitch + tap % K : 0;
  }
  float sums[Tile::map_tiles][Tile::tap_tiles][4] = {};

  CONVOSCOPE_KEEP_LOOP
  for (int tile = static_cast<int>(blockIdx.x); tile < task.tiles; tile += static_cast<int>(gridDim.x)) {
    const int of_sample = task.tiles / e.samples, sample = tile / of_sample,
              left = tile % of_sample % task.across * Tile::width, top = tile % of_sample / task.across * Tile::height;
    __syncthreads();  // nobody needs the window before any more
    split_window<Tile>(window, task, sample, channel, left, top);

    float raw[Tile::map_tiles][2][Tile::steps][4];
    const auto load = [&](int run) {
      const int row = run / (Tile::width / Tile::positions),
                column = run % (Tile::width / Tile::positions) * Tile::positions + 4 * t;
      const bool there = run < Tile::runs && top + row < e.out_height;
      CONVOSCOPE_UNROLL
      for (int m = 0; m < Tile::map_tiles; ++m) CONVOSCOPE_UNROLL
      for (int h = 0; h < 2; ++h) {
        const int map = first_map + 16 * m + 8 * h;
        const float* const from = task.in.dy.at(sample * e.maps + map, top + row) + left + column;
        CONVOSCOPE_UNROLL
        for (int s = 0; s < Tile::steps; ++s)
          load_quad<reach>(raw[m][h][s], from + 16 * s, there && map < e.maps && left + column + 16 * s < e.out_width,
                           left + column + 16 * s, e.out_width);
      }
    };
    load(share);
    __syncthreads();
    CONVOSCOPE_KEEP_LOOP
    for (int run = share; run < Tile::runs; run += Tile::shares) {
      unsigned high[Tile::map_tiles][Tile::steps][4], low[Tile::map_tiles][Tile::steps][4];
      CONVOSCOPE_UNROLL
      for (int m = 0; m < Tile::map_tiles; ++m) CONVOSCOPE_UNROLL
      for (int h = 0; h < 2; ++h) CONVOSCOPE_UNROLL
      for (int s = 0; s < Tile::steps; ++s) {
        const float(&four)[4] = raw[m][h][s];
        split_scaled(four[0], four[1], high[m][s][h], low[m][s][h]);
        split_scaled(four[2], four[3], high[m][s][h + 2], low[m][s][h + 2]);
      }
      load(run + Tile::shares);
      const int from = run / (Tile::width / Tile::positions) * Tile::pitch +
                       run % (Tile::width / Tile::positions) * Tile::positions + 4 * t;
      CONVOSCOPE_UNROLL
      for (int j = 0; j < Tile::tap_tiles; ++j) {
        unsigned right_high[Tile::steps][2], right_low[Tile::steps][2];
        CONVOSCOPE_UNROLL
        for (int s = 0; s < Tile::steps; ++s) CONVOSCOPE_UNROLL
        for (int k = 0; k < 2; ++k) {
          const SplitPair read = window[places[j] + from + 16 * s + 2 * k];
          right_high[s][k] = read.high, right_low[s][k] = read.low;
        }
        float made[Tile::map_tiles][4];
        CONVOSCOPE_UNROLL
        for (int s = 0; s < Tile::steps; ++s) CONVOSCOPE_UNROLL
        for (int m = 0; m < Tile::map_tiles; ++m) {
          if (s == 0)
            mma_m16n8k16(made[m], high[m][s], right_low[s], zeros);
          else
            mma_m16n8k16(made[m], high[m][s], right_low[s]);
        }
        CONVOSCOPE_UNROLL
        for (int s = 0; s < Tile::steps; ++s) CONVOSCOPE_UNROLL
        for (int m = 0; m < Tile::map_tiles; ++m) mma_m16n8k16(made[m], low[m][s], right_high[s]);
        CONVOSCOPE_UNROLL
        for (int m = 0; m < Tile::map_tiles; ++m) CONVOSCOPE_UNROLL
        for (float& sum : made[m]) sum *= 1 / low_scale;
        CONVOSCOPE_UNROLL
        for (int s = 0; s < Tile::steps; ++s) CONVOSCOPE_UNROLL
        for (int m = 0; m < Tile::map_tiles; ++m) mma_m16n8k16(made[m], high[m][s], right_high[s]);
        CONVOSCOPE_UNROLL
        for (int m = 0; m < Tile::map_tiles; ++m) CONVOSCOPE_UNROLL
        for (int k = 0; k < 4; ++k) sums[m][j][k] += made[m][k];
      }
    }
  }

  // The shares' sums meet in shared memory, one after the other; then the block's go out.
  const Shared<float> totals = shared_memory<float>(0, Tile::maps * taps);
  CONVOSCOPE_KEEP_LOOP
  for (int turn = 0; turn < Tile::shares; ++turn) {
    __syncthreads();
    if (share != turn) continue;
    CONVOSCOPE_UNROLL
    for (int m = 0; m < Tile::map_tiles; ++m) CONVOSCOPE_UNROLL
    for (int j = 0; j < Tile::tap_tiles; ++j) CONVOSCOPE_UNROLL
    for (int k = 0; k < 4; ++k) {
      const int map = (map_group * Tile::map_tiles + m) * 16 + g + k / 2 * 8,
                tap = (tap_group * Tile::tap_tiles + j) * 8 + 2 * t + k % 2;
      if (tap >= taps) continue;
      float& total = totals[map * taps + tap];
      total = turn == 0 ? sums[m][j][k] : total + sums[m][j][k];
    }
  }
  __syncthreads();
  const int own_taps = min(Tile::channels, e.channels - channel) * K * K;
  float* const out = task.partials + static_cast<std::ptrdiff_t>(blockIdx.x) * e.maps * e.channels * K * K;
  for (int i = thread; i < Tile::maps * own_taps; i += Tile::threads) {
    const int map = block_map + i / own_taps, tap = i % own_taps;
    if (map < e.maps) out[(map * e.channels + channel) * K * K + tap] = totals[i / own_taps * taps + tap];
  }
}

// --- how it is launched ---

// Whose tiles a block goes through one after the other: no more than these, after which sums grow no more.
inline constexpr int most_sums_tiles = 16;

struct SumsKernel {
  using Kernel = void (*)(SumsTask);
  OfReaches<Kernel> kernels;
  int channels, maps, runs, positions_width, height, width, tap_tiles, shares, threads;
  std::size_t shared_bytes, window_pairs;
};
template <class Tile>
SumsKernel sums_kernel() {
  return {{layer_split_sums<Tile, Reach::singles>, layer_split_sums<Tile, Reach::pairs>,
           layer_split_sums<Tile, Reach::quads>},
          Tile::channels,
          Tile::maps,
          Tile::runs,
          Tile::positions,
          Tile::height,
          Tile::width,
          Tile::tap_tiles * Tile::tap_groups,
          Tile::shares,
          Tile::threads,
          Tile::shared_bytes,
          static_cast<std::size_t>(Tile::channels) * Tile::rows * Tile::columns};
}
inline SumsKernel sums_kernel_of(const LayerExtents& e) {
  const bool few_maps = e.maps <= 16;
  if (e.filter == 7) return sums_kernel<SumsTile<7, 3, 1, 19, 4, 1, 128, 8, 3>>();
  if (e.filter == 5) return sums_kernel<SumsTile<5, 3, 1, 10, 4, 1, 128, 8, 3>>();
  if (e.channels > 3)
    return few_maps ? sums_kernel<SumsTile<3, 8, 1, 9, 1, 1, 128, 4, 4>>()
                    : sums_kernel<SumsTile<3, 8, 1, 9, 4, 1, 128, 4, 4>>();
  return few_maps ? sums_kernel<SumsTile<3, 3, 1, 4, 1, 1, 128, 8, 5>>()
                  : sums_kernel<SumsTile<3, 3, 2, 4, 2, 1, 128, 8, 3>>();
}

// What reaches how far: rows of dY.
inline Fitting sums_fitting(const LayerExtents& e) { return {e.out_width % 4 == 0, e.out_width % 2 == 0}; }

struct SumsLaunch {
  SumsKernel kernel;
  SumsTask task;
  dim3 grid;
};
// blocks: resident at once, of all multiprocessors.
inline SumsLaunch sums_launch(const LayerExtents& e, int blocks) {
  SumsLaunch launch{sums_kernel_of(e), {}, {}};
  launch.task.e = e;
  launch.task.across = ceil_div(e.out_width, launch.kernel.width);
  launch.task.tiles = e.samples * launch.task.across * ceil_div(e.out_height, launch.kernel.height);
  const int map_blocks = ceil_div(e.maps, launch.kernel.maps),
            channel_blocks = ceil_div(e.channels, launch.kernel.channels);
  const int parts = std::clamp(blocks / (map_blocks * channel_blocks), ceil_div(launch.task.tiles, most_sums_tiles),
                               launch.task.tiles);
  launch.grid =
      dim3(static_cast<unsigned>(parts), static_cast<unsigned>(map_blocks), static_cast<unsigned>(channel_blocks));
  return launch;
}
inline SumsLaunch sums_launch(const LayerExtents& e, const Device& device) {
  const SumsKernel kernel = sums_kernel_of(e);
  return sums_launch(
      e, std::max(device.multiprocessors, 1) * blocks_per_multiprocessor(kernel.kernels[sums_fitting(e).usually()],
                                                                         dim3(kernel.threads), kernel.shared_bytes));
}

class SplitSumsPlan final : public Plan {
 public:
  SplitSumsPlan(const Problem& problem, const Device& device)
      : fitting_(sums_fitting(layer_extents(problem))),
        launch_(sums_launch(layer_extents(problem), device)),
        partials_(problem, static_cast<int>(launch_.grid.x)) {
    for (const Reach reach : {Reach::singles, Reach::pairs, Reach::quads})
      allow_shared(launch_.kernel.kernels[reach], launch_.kernel.shared_bytes);
  }
  void set_filter(const Filter&) override {}
  void prepare(Stream) override {}
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    SumsTask task = launch_.task;
    task.in = layer_inputs(in, Pass::to_weights);
    task.partials = partials_.data();
    launch(launch_.kernel.kernels[fitting_.in(task.in.dy, task.in.dy)], launch_.grid, dim3(launch_.kernel.threads),
           launch_.kernel.shared_bytes, stream, task);
    partials_.add(out[0], stream);
  }
  std::vector<KernelInfo> kernels() const override {
    return {describe("layer_split_sums", launch_.kernel.kernels[fitting_.usually()], launch_.grid,
                     dim3(launch_.kernel.threads), launch_.kernel.shared_bytes),
            partials_.kernel()};
  }
  std::string note() const override {
    return "inputs and gradients in two float16 numbers each: three products; " + split_range("numbers") + "; " +
           std::to_string(launch_.grid.x) + " parts of the positions";
  }

 private:
  Fitting fitting_;
  SumsLaunch launch_;
  PartialSums partials_;
};

// --- what is said of it ---

inline std::string sums_reason(const Problem& p, const Device& device) {
  const LayerExtents e = layer_extents(p);
  // As many parts as a device of any size may have.
  const SumsLaunch launch = sums_launch(e, 0);
  if (std::string reason = grid_reason(launch.grid); !reason.empty()) return reason;
  if (std::string reason = shared_memory_reason(launch.kernel.shared_bytes, device); !reason.empty()) return reason;
  return memory_reason(PartialSums::bytes(p, launch.task.tiles), device, "The parts' sums");
}

// A sum over 32 positions ends in the tensor cores, in two instructions with 17 numbers each, two roundings a number;
// then as many are added as a warp has in its tiles, the warps that share a tile, and the parts. What halves miss of X
// and of dY, and low · low, come on top.
inline double sums_bound(const Problem& p) {
  const SumsLaunch launch = sums_launch(layer_extents(p), 0);
  const int runs = std::min(launch.task.tiles, most_sums_tiles) * ceil_div(launch.kernel.runs, launch.kernel.shares);
  return float32_sum_bound(p,
                           2 * (32 + 2) + 1 + runs + launch.kernel.shares + PartialSums::roundings(launch.task.tiles)) +
         split_sums_bound(p);
}

inline Cost sums_cost(const Problem& p, const Device& device) {
  Cost cost = direct_cost(p);
  const LayerExtents e = layer_extents(p);
  const SumsLaunch launch = sums_launch(e, 4 * device.multiprocessors);
  const SumsKernel& kernel = launch.kernel;
  const double positions = 1.0 * launch.task.tiles * kernel.width * kernel.height,
               blocks = 1.0 * launch.grid.y * launch.grid.z,
               made = positions * blocks * kernel.maps * 8 * kernel.tap_tiles;
  cost.on_matrix_units = true;
  cost.flop = 2 * 3 * made;
  cost.global_loads_per_output =
      (positions * blocks * kernel.maps + 2.0 * launch.task.tiles * blocks * static_cast<double>(kernel.window_pairs)) /
      outputs(p);
  cost.global_stores_per_output = 1 + 1.0 * launch.grid.x;
  // Two words for each pair, which serves 16 maps of a warp.
  cost.shared_loads_per_output = made / 16 * 2 / outputs(p);
  return cost;
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::strips_split
