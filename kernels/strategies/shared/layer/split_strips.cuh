#pragma once
// The implicit product on tensor cores for float32 planes of few channels, split in two float16 numbers each. As in
// few_channels.cuh every warp walks down a strip of its own, without shared memory or a barrier, and multiplies
// each row of sources with all rows of the bank, in registers; here a lane loads its numbers of a row one by one, from
// the planes, and splits them. A row's three products begin with the small ones, and what they come to is added to an
// output's sum in float32, outside of the tensor cores.
// Traffic: a source is loaded for each group of maps and by the lanes of K pixels, nearly always from L1 or L2.
#include "kernels/device/parts/async_copy.cuh"
#include "kernels/strategies/shared/layer/split_sources.cuh"
#include "kernels/strategies/shared/layer/strips_launch.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::strips_split {

inline constexpr int most_few_channels = 4, most_channels = 16;

// Of a warp: filters of K × K, of whose rows a lane has that many words (pairs of numbers). Sixteen: channels, of which
// a lane has four of each tap's; otherwise up to four, all taps of the first one first.
template <int K, int Words, bool Sixteen = false>
struct StripTile {
  static constexpr int filter = K, words = Words, maps = 16, columns = maps / 8, parts = 2;
  static constexpr bool sixteen = Sixteen;
  static constexpr int blocks = 1, width = 16 * blocks;  // outputs beside one another
  static constexpr int rows_at_once = 2;                 // of the bank: four sums that do not wait for each other
  static constexpr int warps = 4, threads = 32 * warps;
  static constexpr int resident = K < 7 && !Sixteen ? 3 : 2;  // blocks of a multiprocessor
  static constexpr int rows_ahead = 4;                        // that L2 is asked for
  static constexpr int least_turns = Sixteen ? 1 : 3;         // of all blocks resident at once
  static constexpr int bank_words = K * columns * words * parts * 32;
  // Of a row of taps the number that lane t of four has in half of a word.
  static constexpr int number(int t, int word, int half) {
    return Sixteen ? word / 2 * 16 + t * 4 + word % 2 * 2 + half : 2 * (t * words + word) + half;
  }
  static constexpr int source_of(int number) { return Sixteen ? number % 16 : number / K; }
  static constexpr int tap_of(int number) { return Sixteen ? number / 16 : number % K; }
};

// map_groups of a block's warps make the maps of a strip, others those of the strips beside it.
struct StripsTask {
  Planes<const float> in;
  Planes<float> out;
  Correlation c;
  LayerEpilogue epilogue;
  const float* scales;  // for each map
  bool forward;
  int rows, map_groups;
  const unsigned* bank;  // of each group of maps
};

template <class Tile>
using Words = unsigned[Tile::parts][Tile::blocks][Tile::words][2];  // high and low

// Of a row of sources what one lane multiplies, for pixels 8 apart.
template <class Tile>
class LaneNumbers {
 public:
  __device__ LaneNumbers(const Correlation& c, std::ptrdiff_t plane, int left, int lane)
      : t_(lane % 4), x_(left - c.padding + lane / 4), end_(min(c.width, c.out_width - c.padding + Tile::filter - 1)) {
    const int first = left - c.padding;
    inside_ = first >= 0 && first + Tile::width + Tile::filter - 1 <= end_;
    CONVOSCOPE_UNROLL
    for (int i = 0; i < count; ++i) {
      const int number = number_of_lane(i), source = Tile::source_of(number);
      const bool known = source < c.sources;
      there_ |= static_cast<unsigned>(known) << i;
      offsets_[i] = known ? static_cast<unsigned>(source * plane + Tile::tap_of(number)) : 0u;
    }
  }
  // row: of the first source, null where the sources have none.
  __device__ void load(const float* row) {
    if (row && inside_)
      load_inside(row + x_);
    else
      load_with_care(row);
  }
  __device__ void take(Words<Tile>& to) const {
    CONVOSCOPE_UNROLL
    for (int h = 0; h < 2 * Tile::blocks; ++h) CONVOSCOPE_UNROLL
    for (int w = 0; w < Tile::words; ++w)
      split_scaled(values_[h][2 * w], values_[h][2 * w + 1], to[0][h / 2][w][h % 2], to[1][h / 2][w][h % 2]);
  }

 private:
  // What the lane has no number for meets zeros of the bank: any of the window's elements will do.
  __device__ void load_inside(const float* from) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < count; ++i) CONVOSCOPE_UNROLL
    for (int h = 0; h < 2 * Tile::blocks; ++h) values_[h][i] = __ldg(from + offsets_[i] + h * 8);
  }
  __device__ void load_with_care(const float* row) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < count; ++i) CONVOSCOPE_UNROLL
    for (int h = 0; h < 2 * Tile::blocks; ++h) {
      const int x = x_ + h * 8, column = x + Tile::tap_of(number_of_lane(i));
      const bool there = row && there_ >> i & 1 && column >= 0 && column < end_;
      values_[h][i] = there ? __ldg(row + x + offsets_[i]) : 0.0f;
    }
  }

  static constexpr int count = 2 * Tile::words;
  __device__ int number_of_lane(int i) const { return Tile::number(t_, i / 2, i % 2); }

  int t_, x_, end_;  // of the sources that any output sees
  bool inside_;
  unsigned there_ = 0, offsets_[count];
  float values_[2 * Tile::blocks][count];
};

template <class Tile>
using BankWords = unsigned[Tile::filter][Tile::columns][Tile::words][Tile::parts];

// Adds a row's products with all rows of the bank: to the row of outputs that begins with it, and to those that began
// up to K − 1 rows before, which have the slots before `phase`.
template <class Tile>
__device__ inline void multiply_row(float (&sums)[Tile::filter][Tile::blocks][Tile::columns][4],
                                    const Words<Tile>& words, const BankWords<Tile>& bank, int phase) {
  constexpr int K = Tile::filter, at_once = Tile::rows_at_once;
  constexpr float zeros[4] = {};
  CONVOSCOPE_UNROLL
  for (int first = K - 1; first >= 0; first -= at_once) {
    float made[at_once][Tile::columns][Tile::blocks][4];
    const auto each = [&](auto what) {
      CONVOSCOPE_UNROLL
      for (int r = 0; r < at_once; ++r) CONVOSCOPE_UNROLL
      for (int j = 0; j < Tile::columns; ++j) CONVOSCOPE_UNROLL
      for (int b = 0; b < Tile::blocks; ++b)
        if (first - r >= 0) what(made[r][j][b], first - r, j, b);
    };
    CONVOSCOPE_UNROLL
    for (int product = 0; product < 3; ++product) {  // low · high, high · low, high · high
      const int left_part = product == 0, right_part = product == 1;
      if (product == 2)
        each([&](float(&sum)[4], int, int, int) {
          CONVOSCOPE_UNROLL
          for (float& element : sum) element *= 1 / low_scale;
        });
      CONVOSCOPE_UNROLL
      for (int w = 0; w < Tile::words; w += 2)
        each([&](float(&sum)[4], int i, int j, int b) {
          const bool pair = w + 1 < Tile::words;
          const unsigned(&from)[Tile::words][2] = words[left_part][b];
          const unsigned left[4] = {from[w][0], from[w][1], pair ? from[w + pair][0] : 0, pair ? from[w + pair][1] : 0};
          const unsigned right[2] = {bank[i][j][w][right_part], pair ? bank[i][j][w + pair][right_part] : 0};
          if (product == 0 && w == 0)
            mma_m16n8k16(sum, left, right, zeros);
          else
            mma_m16n8k16(sum, left, right);
        });
    }
    each([&](const float(&sum)[4], int i, int j, int b) {
      float(&to)[4] = sums[(phase - i + K) % K][b][j];
      CONVOSCOPE_UNROLL
      for (int k = 0; k < 4; ++k) to[k] = i == 0 ? sum[k] : to[k] + sum[k];
    });
  }
}

// Where a lane's outputs of a row go: of pixels 8 apart four neighbouring maps.
template <class Tile>
class LaneOutputs {
 public:
  __device__ LaneOutputs(const StripsTask& task, int sample, int first_map, int left, int top, int lane)
      : plane_(task.out.plane),
        row_(task.out.row),
        maps_(task.c.targets - first_map - lane % 4 * held),
        there_(task.c.out_width - left - lane / 4),
        whole_(first_map + Tile::maps <= task.c.targets && left + Tile::width <= task.c.out_width),
        relu_(task.forward && task.epilogue.relu) {
    const int map = first_map + lane % 4 * held;
    place_ = task.out.at(sample * task.c.targets + map, top) + left + lane / 4;
    CONVOSCOPE_UNROLL
    for (int m = 0; m < held; ++m) {
      scales_[m] = m < maps_ ? __ldg(task.scales + map + m) : 0.0f;
      biases_[m] = task.forward && m < maps_ ? __ldg(task.epilogue.biases + map + m) : 0.0f;
    }
  }
  __device__ void store(const float (&sums)[Tile::blocks][Tile::columns][4]) {
    if (whole_)
      store_there(sums, [](int, int) { return true; });
    else
      store_there(sums, [&](int m, int h) { return m < maps_ && h * 8 < there_; });
    place_ += row_;
  }

 private:
  static constexpr int held = 2 * Tile::columns;
  template <class There>
  __device__ void store_there(const float (&sums)[Tile::blocks][Tile::columns][4], There there) const {
    float* place = place_;
    CONVOSCOPE_UNROLL
    for (int m = 0; m < held; ++m, place += plane_) CONVOSCOPE_UNROLL
    for (int h = 0; h < 2 * Tile::blocks; ++h) {
      const float value = fmaf(sums[h / 2][m / 2][h % 2 * 2 + m % 2], scales_[m], biases_[m]);
      if (there(m, h)) place[h * 8] = relu_ ? fmaxf(value, 0.0f) : value;
    }
  }

  std::ptrdiff_t plane_, row_;
  int maps_, there_;  // from the first ones on
  bool whole_, relu_;
  float* place_;
  float scales_[held], biases_[held];
};

// Grid: groups of strips side by side, strips below one another, tiles of maps of all samples.
template <class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::resident) layer_split_strips(StripsTask task) {
  constexpr int K = Tile::filter;
  const Correlation& c = task.c;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int beside = static_cast<int>(blockIdx.x) * (Tile::warps / task.map_groups) + warp / task.map_groups,
            left = beside * Tile::width, top = static_cast<int>(blockIdx.y) * task.rows;
  const int map_tiles = ceil_div(c.targets, Tile::maps * task.map_groups),
            sample = static_cast<int>(blockIdx.z) / map_tiles,
            group = static_cast<int>(blockIdx.z) % map_tiles * task.map_groups + warp % task.map_groups;
  if (left >= c.out_width || group * Tile::maps >= c.targets) return;

  BankWords<Tile> bank;
  const unsigned* words_of_bank = task.bank + group * Tile::bank_words + lane;
  CONVOSCOPE_UNROLL
  for (int i = 0; i < K; ++i) CONVOSCOPE_UNROLL
  for (int j = 0; j < Tile::columns; ++j) CONVOSCOPE_UNROLL
  for (int w = 0; w < Tile::words; ++w) CONVOSCOPE_UNROLL
  for (int part = 0; part < Tile::parts; ++part, words_of_bank += 32) bank[i][j][w][part] = __ldg(words_of_bank);

  const int first_row = top - c.padding, rows = min(task.rows, c.out_height - top) + K - 1;
  const float* const plane = task.in.at(sample * c.sources, 0);
  const auto source = [&](int row) {
    const int y = first_row + row;
    return y >= 0 && y < c.height ? plane + y * task.in.row : nullptr;
  };
  // A lane each for the lines of 128 bytes that the strip sees of each source.
  constexpr int lines = 2;
  const int seen = left - c.padding + lane % lines * 32,
            seen_end = min(left - c.padding + Tile::width + K - 1, c.width);
  const auto ask_for = [&](int row) {
    if (row >= rows || lane / lines >= c.sources || seen >= seen_end) return;
    if (const float* const from = source(row)) prefetch(from + lane / lines * task.in.plane + max(seen, 0));
  };
  LaneNumbers<Tile> numbers(c, task.in.plane, left, lane);
  LaneOutputs<Tile> outputs(task, sample, group * Tile::maps, left, top, lane);
  float sums[K][Tile::blocks][Tile::columns][4] = {};
  numbers.load(source(0));
  for (int row = 1; row < Tile::rows_ahead; ++row) ask_for(row);
  CONVOSCOPE_KEEP_LOOP
  for (int turn = 0; turn < rows; turn += K) {
    CONVOSCOPE_UNROLL
    for (int phase = 0; phase < K; ++phase) {
      const int row = turn + phase;
      if (row >= rows) break;
      Words<Tile> words;
      numbers.take(words);
      ask_for(row + Tile::rows_ahead);
      if (row + 1 < rows) numbers.load(source(row + 1));
      multiply_row<Tile>(sums, words, bank, phase);
      if (row >= K - 1) outputs.store(sums[(phase + 1) % K]);
    }
  }
}

// Calls f.template operator()<Tile>().
template <class F>
auto with_strip_tile(const Correlation& c, F&& f) {
  if (c.filter == 3) return f.template operator()<StripTile<3, 6, true>>();
  const bool four = c.sources == most_few_channels;
  if (c.filter == 5) return four ? f.template operator()<StripTile<5, 3>>() : f.template operator()<StripTile<5, 2>>();
  return four ? f.template operator()<StripTile<7, 4>>() : f.template operator()<StripTile<7, 3>>();
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::strips_split
