#pragma once
// The correlation of up to four planes with a bank of 3 × 3 on tensor cores, float32 numbers in two float16 ones each.
// A warp walks down 32 columns for 16 maps. Rows of the sources come to its part of shared memory by asynchronous
// copies, are split by the lanes that multiply them, and meet all rows of the bank, which stay in registers. A row's
// three products begin with the small ones, and what they come to is added in float32, outside of the tensor cores.
// Where much is written and little is read, it is whole sectors of 32 bytes that count: the outputs of a block's warps,
// which lie side by side, meet in shared memory and leave a row of a map at a time. Where rows begin anywhere, blocks
// are wider, so that fewer of them share a sector, and stores of pairs begin where lines do. Traffic: (1 + 3/32)(1 +
// 2/rows) loads of a source for each 16 maps, nearly all but the first from L1 and L2.
#include "kernels/device/parts/async_copy.cuh"
#include "kernels/device/parts/mma.cuh"
#include "kernels/strategies/shared/layer/quads.cuh"
#include "kernels/strategies/shared/layer/split_sources.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::strips_split {

struct WindowTask {
  Planes<const float> in;
  Planes<float> out;
  Correlation c;
  LayerEpilogue epilogue;
  const float* scales;   // for each map
  const unsigned* bank;  // of each 16 maps
  bool forward;
  int rows;  // of a strip
};

// Reach: how many outputs a lane stores at once.
template <Reach reach>
struct WindowTile {
  static constexpr bool aligned = reach == Reach::quads, by_lines = reach == Reach::pairs;
  static constexpr int filter = 3, maps = 16, warps = aligned ? 4 : 6, threads = 32 * warps, resident = aligned ? 3 : 2;
  static constexpr int strip = 32, width = strip * warps;  // of a warp, of a block
  static constexpr int vector = aligned ? 4 : reach == Reach::pairs ? 2 : 1, at_once = 32 * vector;  // of a warp
  static constexpr int most_sources = 4, parts = 3;
  // Columns beyond the strip: of a row a lane multiplies four numbers, the last of which meets a zero.
  static constexpr int beyond = 3;
  // Floats. Four planes of a row lie on other banks, and so do two rows of four maps.
  static constexpr int pitch = strip + 8, slots = 4, slot = most_sources * pitch, ring = slots * slot,
                       out_pitch = width + 8, out = maps * out_pitch, block_floats = warps * ring + 2 * out;
  static constexpr int rows_ahead = slots - 1;
  static constexpr int bank_words = filter * parts * 4 * 32;
  static constexpr std::size_t shared_bytes = sizeof(float) * block_floats;
};

// A warp's rows of all sources on their way to its ring.
template <class Tile>
class WindowRows {
 public:
  __device__ WindowRows(const WindowTask& task, const Shared<float>& shared, int ring, int sample, int left, int top,
                        int rows)
      : shared_(shared),
        sources_(task.c.sources),
        height_(task.c.height),
        y_(top - task.c.padding),
        end_(y_ + rows),
        row_(task.in.row),
        plane_(task.in.plane) {
    const int lane = static_cast<int>(threadIdx.x) % 32, first = left - task.c.padding;
    more_source_ = lane / Tile::beyond, more_ = Tile::strip + lane % Tile::beyond - lane;
    there_ = first + lane >= 0 && first + lane < task.c.width;
    more_there_ = first + lane + more_ >= 0 && first + lane + more_ < task.c.width;
    next_ = task.in.at(sample * sources_, 0) + y_ * row_ + first + lane;
    place_ = ring + lane;
  }
  // The next row, zeros where the sources have none.
  __device__ void fetch(int slot) {
    const bool there = y_ < end_ && y_ >= 0 && y_ < height_;
    const float* from = next_;
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Tile::most_sources; ++i, from += plane_) {
      if (i >= sources_) break;
      async_copy<4>(shared_, place_ + slot * Tile::slot + i * Tile::pitch, from, there && there_);
    }
    if (more_source_ < sources_)
      async_copy<4>(shared_, place_ + slot * Tile::slot + more_source_ * Tile::pitch + more_,
                    next_ + more_source_ * plane_ + more_, there && more_there_);
    async_commit();
    next_ += row_;
    ++y_;
  }

 private:
  Shared<float> shared_;
  int sources_, height_, y_, end_;
  std::ptrdiff_t row_, plane_;
  int more_source_, more_, place_;  // more: of one source, columns beyond the strip
  bool there_, more_there_;
  const float* next_;
};

// Where the outputs of a block go, row by row: to shared memory by those who summed them, then to their maps by warps
// of which each has every Tile::warps-th.
template <class Tile>
class WindowOutputs {
 public:
  __device__ WindowOutputs(const WindowTask& task, const Shared<float>& shared, int sample, int first_map, int top)
      : shared_(shared),
        begin_(task.out.data),
        relu_(task.forward && task.epilogue.relu),
        row_(task.out.row),
        apart_(Tile::warps * task.out.plane) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32, g = lane / 4;
    CONVOSCOPE_UNROLL
    for (int h = 0; h < 2; ++h) {
      const int map = first_map + g + 8 * h;
      scales_[h] = map < task.c.targets ? __ldg(task.scales + map) : 0.0f;
      biases_[h] = map < task.c.targets && task.forward ? __ldg(task.epilogue.biases + map) : 0.0f;
    }
    const int left = static_cast<int>(blockIdx.x) * Tile::width;
    columns_ = min(Tile::width, task.c.out_width - left);
    own_ = lane * Tile::vector;
    maps_ = !Tile::by_lines && own_ >= columns_ ? 0 : min(task.c.targets - first_map, Tile::maps) - warp;
    staged_ = g * Tile::out_pitch + warp * Tile::strip + lane % 4 * 2;
    taken_ = warp * Tile::out_pitch;
    next_ = task.out.at(sample * task.c.targets + first_map + warp, top) + left;
  }
  __device__ void store(const float (&sums)[Tile::strip / 8][4], int buffer) {
    const int first = Tile::warps * Tile::ring + buffer * Tile::out;
    stage(sums, first + staged_);
    __syncthreads();
    float* row = next_;
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Tile::maps; i += Tile::warps, row += apart_) {
      if (i >= maps_) break;
      store_row(row, first + taken_ + i * Tile::out_pitch);
    }
    next_ += row_;
  }

 private:
  __device__ void stage(const float (&sums)[Tile::strip / 8][4], int to) const {
    CONVOSCOPE_UNROLL
    for (int j = 0; j < Tile::strip / 8; ++j) CONVOSCOPE_UNROLL
    for (int h = 0; h < 2; ++h) {
      float2 two{fmaf(sums[j][2 * h], scales_[h], biases_[h]), fmaf(sums[j][2 * h + 1], scales_[h], biases_[h])};
      if (relu_) two = {fmaxf(two.x, 0.0f), fmaxf(two.y, 0.0f)};
      *reinterpret_cast<float2*>(&shared_[to + 8 * h * Tile::out_pitch + 8 * j]) = two;
    }
  }
  // Nobody reads outputs soon: the caches are for the sources. A warp stores at_once neighbours, by lines those of
  // whole ones, even where rows begin within one: what lies before the row or beyond it is nobody's.
  __device__ void store_row(float* row, int from) const {
    constexpr int vector = Tile::vector, at_once = Tile::at_once;
    const int before = Tile::by_lines ? static_cast<int>(static_cast<unsigned>(row - begin_) % at_once) : 0;
    int column = own_ - before;
    CONVOSCOPE_UNROLL
    for (int first = Tile::by_lines ? -at_once : 0; first < Tile::width; first += at_once, column += at_once) {
      if (Tile::by_lines && static_cast<unsigned>(column) >= static_cast<unsigned>(columns_)) continue;
      if (!Tile::by_lines && first > 0 && column >= columns_) break;
      const float* const at = &shared_[from + column];
      if constexpr (vector == 4)
        __stcs(reinterpret_cast<float4*>(row + column), *reinterpret_cast<const float4*>(at));
      else if constexpr (vector == 2)
        __stcs(reinterpret_cast<float2*>(row + column), *reinterpret_cast<const float2*>(at));
      else
        __stcs(row + column, *at);
    }
  }

  Shared<float> shared_;
  const float* begin_;                         // of all outputs
  int columns_, own_, maps_, staged_, taken_;  // of the block that exist; the lane's among at_once
  bool relu_;
  std::ptrdiff_t row_, apart_;
  float scales_[2], biases_[2];
  float* next_;
};

// Grid: strips of blocks beside and below one another, tiles of maps of all samples.
template <Reach reach>
__global__ void __launch_bounds__(WindowTile<reach>::threads, WindowTile<reach>::resident)
    layer_split_window(WindowTask task) {
  using Tile = WindowTile<reach>;
  constexpr int K = Tile::filter, tiles = Tile::strip / 8;
  constexpr float zeros[4] = {};
  wait_for_kernel_before();
  const Correlation& c = task.c;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32, g = lane / 4,
            t = lane % 4;
  const int map_tiles = ceil_div(c.targets, Tile::maps), sample = static_cast<int>(blockIdx.z) / map_tiles,
            group = static_cast<int>(blockIdx.z) % map_tiles;
  const int left = static_cast<int>(blockIdx.x) * Tile::width + warp * Tile::strip,
            top = static_cast<int>(blockIdx.y) * task.rows, rows = min(task.rows, c.out_height - top) + K - 1;
  const Shared<float> shared = shared_memory<float>(0, Tile::block_floats);
  WindowRows<Tile> sources(task, shared, warp * Tile::ring, sample, left, top, rows);
  WindowOutputs<Tile> outputs(task, shared, sample, group * Tile::maps, top);
  for (int row = 0; row < Tile::rows_ahead; ++row) sources.fetch(row);

  unsigned bank[K][Tile::parts][4];
  const unsigned* words = task.bank + group * Tile::bank_words + lane;
  CONVOSCOPE_UNROLL
  for (int i = 0; i < K; ++i) CONVOSCOPE_UNROLL
  for (int part = 0; part < Tile::parts; ++part) CONVOSCOPE_UNROLL
  for (int k = 0; k < 4; ++k, words += 32) bank[i][part][k] = __ldg(words);

  // A lane has the numbers of one source, four neighbours from an output's column on.
  const int own = warp * Tile::ring + min(t, c.sources - 1) * Tile::pitch + g;
  float sums[K][tiles][4] = {};
  CONVOSCOPE_KEEP_LOOP
  for (int turn = 0; turn < rows; turn += K) {
    CONVOSCOPE_UNROLL
    for (int phase = 0; phase < K; ++phase) {
      const int row = turn + phase;
      if (row >= rows) break;
      async_wait<Tile::rows_ahead - 1>();
      __syncwarp();
      sources.fetch((row + Tile::rows_ahead) % Tile::slots);
      unsigned high[tiles][2], low[tiles][2];
      CONVOSCOPE_UNROLL
      for (int j = 0; j < tiles; ++j) {
        const int at = own + row % Tile::slots * Tile::slot + j * 8;
        split_scaled(shared[at], shared[at + 1], high[j][0], low[j][0]);
        split_scaled(shared[at + 2], shared[at + 3], high[j][1], low[j][1]);
      }
      CONVOSCOPE_UNROLL
      for (int i = K - 1; i >= 0; --i) {
        float made[tiles][4];
        CONVOSCOPE_UNROLL
        for (int j = 0; j < tiles; ++j) mma_m16n8k16(made[j], bank[i][0], low[j], zeros);
        CONVOSCOPE_UNROLL
        for (int j = 0; j < tiles; ++j) mma_m16n8k16(made[j], bank[i][1], high[j]);
        CONVOSCOPE_UNROLL
        for (int j = 0; j < tiles; ++j) mma_m16n8k16(made[j], bank[i][2], high[j]);
        CONVOSCOPE_UNROLL
        for (int j = 0; j < tiles; ++j) CONVOSCOPE_UNROLL
        for (int k = 0; k < 4; ++k) {
          float& to = sums[(phase - i + K) % K][j][k];
          to = i == 0 ? made[j][k] : to + made[j][k];
        }
      }
      if (row >= K - 1) outputs.store(sums[(phase + 1) % K], row % 2);
    }
  }
  async_wait<0>();  // of rows that nobody needs
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::strips_split
