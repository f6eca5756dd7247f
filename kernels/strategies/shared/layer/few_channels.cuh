#pragma once
// The implicit product on tensor cores for float16 layers of few channels, nhwc, such as the first ones of a network
// that eats video: more is read and written than multiplied. What an output sees of a row of sources lies together, so
// that it is an instruction's depth as it is. Every warp walks down a strip of its own, without shared memory or a
// barrier: its lanes load their words of a row from global memory, rows ahead, and multiply them with all rows of the
// bank, whose share stays in registers, for K rows of outputs, whose sums wait there too.
// Traffic: a source is loaded for each group of maps and by the lanes of K pixels, nearly always from L1 or L2.
#include "kernels/contract/data/half.h"
#include "kernels/device/parts/async_copy.cuh"
#include "kernels/strategies/shared/layer/correlation.cuh"
#include "kernels/strategies/shared/layer/map_order.cuh"
#include "kernels/strategies/shared/layer/strips_launch.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_tensor {

inline constexpr int most_few_channels = 4;

// Of a warp: filters of K × K, of whose rows a lane has that many words (pairs of numbers), and maps. Sources: channels
// that are known when it is compiled; 0: up to four.
template <int K, int Words, int Maps, int Sources = 0>
struct StripTile {
  static constexpr int filter = K, words = Words, maps = Maps, columns = Maps / 8, known_sources = Sources;
  static constexpr bool sixteen = Sources == 16;  // channels, of which a lane has four of each tap's
  static constexpr int blocks = !sixteen && Maps * K < 64 ? 2 : 1, width = 16 * blocks;  // outputs beside one another
  static constexpr int warps = 4, threads = 32 * warps;
  static constexpr int resident = K < 7 ? 4 : Words < 4 && Maps < 32 ? 3 : 2;     // blocks of a multiprocessor
  static constexpr int rows_held = sixteen ? 3 : 1;                               // that are loaded or on their way
  static constexpr int rows_ahead = sixteen || Maps == 32 ? 4 : 2;                // that L2 is asked for
  static constexpr int least_turns = sixteen ? 1 : K == 7 && Maps == 32 ? 4 : 3;  // of all blocks resident at once
  static constexpr int bank_words = K * columns * words * 32;
  using General = StripTile<K, Words, Maps, sixteen ? 16 : 0>;
  CONVOSCOPE_HOST_DEVICE static constexpr int sources(const Correlation& c) { return Sources ? Sources : c.sources; }
};

// map_groups of a block's warps make the maps of a strip, others those of the strips beside it.
struct StripsTask {
  Strided<const Half> in;
  Strided<Half> out;
  Correlation c;
  LayerEpilogue epilogue;
  bool forward, wide;
  int rows, map_groups;
  const unsigned* bank;  // of each group of maps
};

// Of a row of sources what one lane multiplies, for pixels 8 apart: of all that the pixel's output sees the lane's run.
template <class Tile>
class LaneRun {
 public:
  __device__ LaneRun(const Correlation& c, int left, int lane) : pixel_(Tile::sources(c)), width_(c.width * pixel_) {
    const int numbers = Tile::filter * pixel_, begin = lane % 4 * 2 * Tile::words, x = left - c.padding;
    first_ = (x + lane / 4) * pixel_ + begin;
    // Words begin at even addresses: a number before the run and one after it may be loaded too.
    inside_ = x > 0 && (x + Tile::width - 1) * pixel_ + 8 * Tile::words + 2 <= width_;
    CONVOSCOPE_UNROLL
    for (int w = 0; w < Tile::words; ++w) {
      const int left_over = numbers - begin - 2 * w;
      mask_[w] = left_over > 1 ? 0xffffffffu : left_over == 1 ? 0xffffu : 0u;
    }
  }
  // row: null where the sources have none.
  __device__ void load(const Half* row, int) {
    if (row && inside_)
      load_words(row + first_);
    else
      load_numbers(row);
  }
  // What lies beyond the filter's row belongs to other outputs, and may be infinite.
  __device__ void take(unsigned (&to)[Tile::blocks][Tile::words][2], int) const {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 2 * Tile::blocks; ++i) CONVOSCOPE_UNROLL
    for (int w = 0; w < Tile::words; ++w)
      to[i / 2][w][i % 2] = __byte_perm(raw_[i][w], raw_[i][w + 1], bytes_) & mask_[w];
  }

 private:
  __device__ void load_words(const Half* from) {
    const auto address = reinterpret_cast<std::uintptr_t>(from);
    const Half* const even = from - address % 4 / 2;
    bytes_ = address % 4 ? 0x5432u : 0x3210u;
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 2 * Tile::blocks; ++i) CONVOSCOPE_UNROLL
    for (int w = 0; w <= Tile::words; ++w)
      raw_[i][w] = __ldg(reinterpret_cast<const unsigned*>(even + i * 8 * pixel_) + w);
  }
  __device__ void load_numbers(const Half* row) {
    bytes_ = 0x3210u;
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 2 * Tile::blocks; ++i) CONVOSCOPE_UNROLL
    for (int w = 0; w <= Tile::words; ++w) {
      const int at = first_ + i * 8 * pixel_ + 2 * w;
      const auto number = [&](int place) -> unsigned {
        return row && w < Tile::words && place >= 0 && place < width_ ? __ldg(row + place) : Half{};
      };
      raw_[i][w] = number(at) | number(at + 1) << 16;
    }
  }

  int pixel_, width_, first_;  // in numbers
  bool inside_;
  unsigned mask_[Tile::words], raw_[2 * Tile::blocks][Tile::words + 1];
  unsigned bytes_ = 0;  // which of two words are the number's first one and the next
};

// The same of 16 channels: four of them of each tap. Sources are aligned to 8 bytes.
template <class Tile>
class LaneChannels {
 public:
  __device__ LaneChannels(const Correlation& c, int left, int lane)
      : x_(left - c.padding + lane / 4), width_(c.width), first_(x_ * 16 + lane % 4 * 4) {
    inside_ = left >= c.padding && left - c.padding + Tile::width + Tile::filter - 1 <= c.width;
  }
  __device__ void load(const Half* row, int slot) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 2 * Tile::blocks; ++i) CONVOSCOPE_UNROLL
    for (int tap = 0; tap < Tile::filter; ++tap) {
      const int x = x_ + i * 8 + tap;
      raw_[slot][i][tap] = row && (inside_ || (x >= 0 && x < width_))
                               ? __ldg(reinterpret_cast<const uint2*>(row + first_) + (i * 8 + tap) * 4)
                               : uint2{0, 0};
    }
  }
  __device__ void take(unsigned (&to)[Tile::blocks][Tile::words][2], int slot) const {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 2 * Tile::blocks; ++i) CONVOSCOPE_UNROLL
    for (int tap = 0; tap < Tile::filter; ++tap) {
      to[i / 2][2 * tap][i % 2] = raw_[slot][i][tap].x;
      to[i / 2][2 * tap + 1][i % 2] = raw_[slot][i][tap].y;
    }
  }

 private:
  int x_, width_, first_;
  bool inside_;
  uint2 raw_[Tile::rows_held][2 * Tile::blocks][Tile::filter];
};

// Adds a row's products with all rows of the bank: to the row of outputs that begins with it, and to those that began
// up to K − 1 rows before, which have the slots before `phase`. Where words are odd, the last ones of two rows are an
// instruction together.
template <class Tile>
__device__ inline void multiply_row(float (&sums)[Tile::filter][Tile::blocks][Tile::columns][4],
                                    const unsigned (&words)[Tile::blocks][Tile::words][2],
                                    unsigned (&before)[Tile::blocks][2],
                                    const unsigned (&bank)[Tile::filter][Tile::columns][Tile::words], int phase) {
  constexpr int K = Tile::filter, last = Tile::words - 1;
  constexpr float zeros[4] = {};
  CONVOSCOPE_UNROLL
  for (int w = 0; w < Tile::words; w += 2) CONVOSCOPE_UNROLL
  for (int i = K - 1; i >= 0; --i) CONVOSCOPE_UNROLL
  for (int j = 0; j < Tile::columns; ++j) CONVOSCOPE_UNROLL
  for (int b = 0; b < Tile::blocks; ++b) {
    float(&sum)[4] = sums[(phase - i + K) % K][b][j];
    if (w < last) {
      const unsigned left[4] = {words[b][w][0], words[b][w][1], words[b][w + 1][0], words[b][w + 1][1]};
      const unsigned right[2] = {bank[i][j][w], bank[i][j][w + 1]};
      if (i == 0 && w == 0)
        mma_m16n8k16(sum, left, right, zeros);
      else
        mma_m16n8k16(sum, left, right);
    } else if (i % 2 == 1) {
      const unsigned left[4] = {before[b][0], before[b][1], words[b][last][0], words[b][last][1]};
      mma_m16n8k16(sum, left, {bank[i - 1][j][last], bank[i][j][last]});
    } else if (i == K - 1) {
      const unsigned left[4] = {words[b][last][0], words[b][last][1], 0, 0};
      mma_m16n8k16(sum, left, {bank[i][j][last], 0});
    }
  }
  CONVOSCOPE_UNROLL
  for (int b = 0; b < Tile::blocks; ++b) before[b][0] = words[b][last][0], before[b][1] = words[b][last][1];
}

// Grid: groups of strips side by side, strips below one another, tiles of maps of all samples. Whole: all lanes have
// maps, and store theirs as one word.
template <class Tile, bool Whole>
__global__ void __launch_bounds__(Tile::threads, Tile::resident) layer_few_channels(StripsTask task) {
  wait_for_kernel_before();
  constexpr int K = Tile::filter, ahead = Tile::rows_held > 1 ? Tile::rows_held - 1 : 1;
  using Order = MapOrder<Tile::maps>;
  const Correlation& c = task.c;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int beside = static_cast<int>(blockIdx.x) * (Tile::warps / task.map_groups) + warp / task.map_groups,
            left = beside * Tile::width, top = static_cast<int>(blockIdx.y) * task.rows;
  const int map_tiles = ceil_div(c.targets, Tile::maps * task.map_groups),
            sample = static_cast<int>(blockIdx.z) / map_tiles,
            group = static_cast<int>(blockIdx.z) % map_tiles * task.map_groups + warp % task.map_groups;
  if (left >= c.out_width || group * Tile::maps >= c.targets) return;

  unsigned bank[K][Tile::columns][Tile::words];
  CONVOSCOPE_UNROLL
  for (int i = 0; i < K; ++i) CONVOSCOPE_UNROLL
  for (int j = 0; j < Tile::columns; ++j) CONVOSCOPE_UNROLL
  for (int w = 0; w < Tile::words; ++w)
    bank[i][j][w] =
        __ldg(task.bank + group * Tile::bank_words + ((i * Tile::columns + j) * Tile::words + w) * 32 + lane);
  const MapStores stores{task.out.channel, task.epilogue, task.forward ? 0 : -1, c.targets, task.wide};
  float biases[Order::runs][Order::held];
  CONVOSCOPE_UNROLL
  for (int run = 0; run < Order::runs; ++run)
    stores.biases(biases[run], map_of_lane<Tile::maps>(group * Tile::maps, run, lane % 4));

  const int first_row = top - c.padding, rows = min(task.rows, c.out_height - top) + K - 1;
  const Half* const plane = task.in.at(sample, 0);
  const auto source = [&](int row) {
    const int y = first_row + row;
    return y >= 0 && y < c.height ? plane + y * task.in.row : nullptr;
  };
  // A lane each for the lines of 128 bytes that the strip sees.
  const int seen = (left - c.padding) * Tile::sources(c) + lane * 64,
            seen_end = min(left - c.padding + Tile::width + K - 1, c.width) * Tile::sources(c);
  const auto ask_for = [&](int row) {
    if (row < rows && seen >= 0 && seen < seen_end)
      if (const Half* const from = source(row)) prefetch(from + seen);
  };
  std::conditional_t<Tile::sixteen, LaneChannels<Tile>, LaneRun<Tile>> loads(c, left, lane);
  Half* out = task.out.at(sample, 0) + (left + lane / 4) * task.out.column + top * task.out.row;
  const int column = static_cast<int>(task.out.column), there = c.out_width - left - lane / 4;
  float sums[K][Tile::blocks][Tile::columns][4] = {};
  unsigned before[Tile::blocks][2] = {};
  CONVOSCOPE_UNROLL
  for (int row = 0; row < ahead; ++row) loads.load(source(row), row);
  for (int row = ahead; row < Tile::rows_ahead; ++row) ask_for(row);
  CONVOSCOPE_KEEP_LOOP
  for (int turn = 0; turn < rows; turn += K) {
    CONVOSCOPE_UNROLL
    for (int phase = 0; phase < K; ++phase) {
      const int row = turn + phase;
      if (row >= rows) break;
      unsigned words[Tile::blocks][Tile::words][2];
      loads.take(words, phase % Tile::rows_held);
      ask_for(row + Tile::rows_ahead);
      if (row + ahead < rows) loads.load(source(row + ahead), (phase + ahead) % Tile::rows_held);
      multiply_row<Tile>(sums, words, before, bank, phase);
      if (row < K - 1) continue;
      CONVOSCOPE_UNROLL
      for (int run = 0; run < Order::runs; ++run)
        store_run<Tile::maps, Whole>(sums[(phase + 1) % K], stores, biases[run], run,
                                     map_of_lane<Tile::maps>(group * Tile::maps, run, lane % 4),
                                     [&](int i) { return i * 8 < there ? out + i * 8 * column : nullptr; });
      out += task.out.row;
    }
  }
}

// Calls f.template operator()<Tile>(). maps: of a block, at most.
template <class F>
auto with_strip_tile(const Correlation& c, int maps, F&& f) {
  if (c.sources > most_few_channels) return f.template operator()<StripTile<3, 6, 16, 16>>();
  if (c.sources == 3 && c.filter == 7 && c.targets % 32 == 0) return f.template operator()<StripTile<7, 3, 32, 3>>();
  if (c.sources == 3 && c.filter == 5) return f.template operator()<StripTile<5, 2, 16, 3>>();
  if (c.sources == 3 && c.filter == 3)
    return maps > 16 ? f.template operator()<StripTile<3, 2, 32, 3>>()
                     : f.template operator()<StripTile<3, 2, 16, 3>>();
  if (c.filter == 3 && maps > 16) return f.template operator()<StripTile<3, 2, 32>>();
  if (c.filter == 3) return f.template operator()<StripTile<3, 2, 16>>();
  const bool four = c.sources == most_few_channels;
  if (c.filter == 5)
    return four ? f.template operator()<StripTile<5, 3, 16>>() : f.template operator()<StripTile<5, 2, 16>>();
  return four ? f.template operator()<StripTile<7, 4, 16>>() : f.template operator()<StripTile<7, 3, 16>>();
}
inline bool few_channels(const Problem& p, const Device& device) {
  const Correlation c = correlation_of(p);
  return p.layer.precision == Precision::f16 && p.layer.layout == Layout::nhwc && c.groups == 1 &&
         (c.sources <= most_few_channels || (c.sources == 16 && c.filter == 3)) && unrolled(p) &&
         device.usable_capability() >= 80;
}

// asked: maps of a block, 0: as many as there are.
inline StripsLaunch strips_launch(const Correlation& c, int asked, const Device& device) {
  const int maps = std::min(asked ? asked : 64, c.targets);
  return with_strip_tile(c, maps, [&]<class Tile>() { return strips_launch_of<Tile>(c, maps, device); });
}

// The bank as lanes hold it: of each group of maps, row, 8 maps and word one of each lane.
template <class Tile>
std::vector<unsigned> strips_bank(const Problem& p, const Filter& filter, int groups) {
  const Correlation c = correlation_of(p);
  const CorrelationWeights weights(p, filter);
  std::vector<unsigned> bank;
  const auto number = [&](int map, int row, int i) -> unsigned {
    const int column = i / c.sources, source = i % c.sources;
    if (map >= c.targets || column >= c.filter) return 0;
    return to_half(weights(map, source, row * c.filter + column));
  };
  for (int group = 0; group < groups; ++group)
    for (int row = 0; row < Tile::filter; ++row)
      for (int column = 0; column < Tile::columns; ++column)
        for (int word = 0; word < Tile::words; ++word)
          for (int lane = 0; lane < 32; ++lane) {
            const int map = group * Tile::maps + MapOrder<Tile::maps>::map_of(column * 8 + lane / 4), t = lane % 4;
            const int i = Tile::sixteen ? word / 2 * 16 + t * 4 + word % 2 * 2 : 2 * (t * Tile::words + word);
            bank.push_back(number(map, row, i) | number(map, row, i + 1) << 16);
          }
  return bank;
}

class StripsPlan final : public Plan {
  template <class F>
  auto with_tile(F&& f) const {
    return with_strip_tile(correlation_, launch_.maps, f);
  }
  // Of outputs that are aligned to 16 bytes or are not. Both have the same bank and grid.
  template <class Tile>
  auto kernel(bool aligned) const -> void (*)(StripsTask) {
    if constexpr (Tile::known_sources != 0)
      if (aligned && correlation_.targets % Tile::maps == 0) return layer_few_channels<Tile, true>;
    return layer_few_channels<typename Tile::General, false>;
  }

 public:
  // otherwise: for 16 channels that are not aligned to 8 bytes.
  StripsPlan(const Problem& problem, const StripsLaunch& launch, std::unique_ptr<Plan> otherwise)
      : problem_(problem),
        correlation_(correlation_of(problem)),
        launch_(launch),
        otherwise_(std::move(otherwise)),
        biases_(problem),
        bank_(bank_of(problem.filter)),
        early_(with_tile([&]<class Tile>() { return starts_early(kernel<Tile>(true)); })) {}
  void set_filter(const Filter& filter) override {
    otherwise_->set_filter(filter);
    biases_.set(filter);
    bank_.set(bank_of(filter));
  }
  void prepare(Stream stream) override {
    otherwise_->prepare(stream);
    biases_.send(stream);
    bank_.send(stream);
  }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    if (correlation_.sources > most_few_channels && !aligned(in[0], 8)) return otherwise_->enqueue(in, out, stream);
    const bool wide = aligned(out[0], 16);
    with_tile([&]<class Tile>() {
      launch(early_, kernel<Tile>(wide), launch_.grid, dim3(Tile::threads), 0, stream,
             StripsTask{strided<const Half>(in[0]), strided<Half>(out[0]), correlation_, biases_.epilogue(),
                        problem_.layer.pass == Pass::forward, wide, launch_.rows, launch_.map_groups, bank_.data()});
    });
  }
  std::vector<KernelInfo> kernels() const override {
    return with_tile([&]<class Tile>() -> std::vector<KernelInfo> {
      return {describe("layer_few_channels", kernel<Tile>(true), launch_.grid, dim3(Tile::threads), 0)};
    });
  }
  std::string note() const override {
    const std::string sources = std::to_string(correlation_.sources);
    return "strips of " + std::to_string(launch_.rows) + " rows; " + std::to_string(correlation_.filter) +
           " taps of a row, of " + sources + (sources == "1" ? " channel" : " channels") +
           " each, lie together and are the depth of instructions";
  }

 private:
  std::vector<unsigned> bank_of(const Filter& filter) const {
    return with_tile(
        [&]<class Tile>() { return strips_bank<Tile>(problem_, filter, launch_.map_tiles * launch_.map_groups); });
  }

  Problem problem_;
  Correlation correlation_;
  StripsLaunch launch_;
  std::unique_ptr<Plan> otherwise_;
  LayerBiases biases_;
  GlobalValues<unsigned> bank_;
  bool early_;
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_tensor
