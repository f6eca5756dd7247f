#pragma once
// The implicit product on tensor cores for float16 layers of up to four channels, nhwc, such as the first one of a
// network that eats video: what is written is many times what is read and multiplied. A block's window lies in shared
// memory with four channels a pixel, of which zeros fill up those that are not there, so that four taps of a row are
// the 16 numbers of an instruction's depth, and a lane's share of them is one pixel. Warps walk over the rows of the
// block's outputs; a small bank stays in their registers meanwhile.
#include "kernels/contract/data/half.h"
#include "kernels/strategies/shared/layer/layer_correlation.cuh"
#include "kernels/strategies/shared/layer/layer_map_order.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_tensor {

inline constexpr int most_few_channels = 4;

// Filters of K × K, of maps of a block.
template <int K, int Maps>
struct RowsTile {
  static constexpr int filter = K, maps = Maps, columns = Maps / 8;
  static constexpr int quads = (K + 3) / 4, steps = K * quads;  // of four taps
  static constexpr bool bank_in_registers = K <= 3;
  // Of 16 outputs, that a warp makes at a time, with its share of the bank beside the sums in registers.
  static constexpr int blocks = bank_in_registers ? (Maps < 64 ? 2 : 1) : 4;
  static constexpr int warps = 4, threads = 32 * warps;
  static constexpr int resident = blocks * Maps >= 256 ? 2 : 3;  // blocks of a multiprocessor, by their registers
  static constexpr int width = 64, height = 16;                  // outputs
  static constexpr int pitch = width + 4 * quads, rows = height + K - 1;
  static constexpr int bank_chunks = steps * columns / 2 * 32;  // an instruction's weights of two times 8 maps a lane
  static constexpr std::size_t shared_bytes =
      sizeof(uint2) * rows * pitch + (bank_in_registers ? 0 : sizeof(uint4) * bank_chunks);
};

struct RowsTask {
  Strided<const Half> in;
  Strided<Half> out;
  Correlation c;
  LayerEpilogue epilogue;
  bool forward, wide;
  int across;         // rectangles of a plane
  const uint4* bank;  // of each tile of maps
};

// The window of a block whose first output sees the source (top, left) first.
template <class Tile>
__device__ inline void load_rows(const Shared<uint2>& shared, const RowsTask& task, int sample, int top, int left) {
  const Half* const first = task.in.at(sample, 0);
  constexpr int pixels = Tile::rows * Tile::pitch, at_once = 5 * Tile::threads;  // five loads on their way
  CONVOSCOPE_KEEP_LOOP
  for (int begin = static_cast<int>(threadIdx.x); begin < pixels; begin += at_once) {
    CONVOSCOPE_UNROLL
    for (int i = begin; i < begin + at_once; i += Tile::threads) {
      if (i >= pixels) break;
      const int y = top + i / Tile::pitch, x = left + i % Tile::pitch;
      Half channels[most_few_channels] = {};
      if (y >= 0 && y < task.c.height && x >= 0 && x < task.c.width) {
        const Half* const pixel = first + y * task.in.row + x * task.in.column;
        CONVOSCOPE_UNROLL
        for (int s = 0; s < most_few_channels; ++s)
          if (s < task.c.sources) channels[s] = __ldg(pixel + s * task.in.channel);
      }
      shared[i] = {channels[0] | static_cast<unsigned>(channels[1]) << 16,
                   channels[2] | static_cast<unsigned>(channels[3]) << 16};
    }
  }
}

// A lane's weights of a step.
template <class Tile, class From>
__device__ inline void load_weights(uint4 (&to)[Tile::columns / 2], const From& from, int step, int lane) {
  CONVOSCOPE_UNROLL
  for (int j = 0; j < Tile::columns / 2; ++j) to[j] = from[(step * Tile::columns / 2 + j) * 32 + lane];
}

// Grid: rectangles, tiles of maps, samples.
template <class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::resident) layer_few_channels(RowsTask task) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, g = lane / 4, t = lane % 4;
  const int top = static_cast<int>(blockIdx.x) / task.across * Tile::height,
            left = static_cast<int>(blockIdx.x) % task.across * Tile::width;
  const int map_tile = static_cast<int>(blockIdx.y), sample = static_cast<int>(blockIdx.z);
  const Shared<uint2> window = shared_memory<uint2>(0, Tile::rows * Tile::pitch);
  const Shared<uint4> bank =
      shared_memory<uint4>(sizeof(uint2) * Tile::rows * Tile::pitch, Tile::bank_in_registers ? 0 : Tile::bank_chunks);
  const uint4* const weights = task.bank + map_tile * Tile::bank_chunks;
  constexpr int pairs = Tile::columns / 2, kept = Tile::bank_in_registers ? Tile::steps : 1;
  uint4 right[kept][pairs];
  load_rows<Tile>(window, task, sample, top - task.c.padding, left - task.c.padding);
  if constexpr (Tile::bank_in_registers) {
    CONVOSCOPE_UNROLL
    for (int step = 0; step < Tile::steps; ++step) load_weights<Tile>(right[step], weights, step, lane);
  } else {
    for (int i = thread; i < Tile::bank_chunks; i += Tile::threads) bank[i] = __ldg(weights + i);
  }
  __syncthreads();

  const MapStores stores{task.out.channel, task.epilogue, task.forward ? 0 : -1, task.c.targets, task.wide};
  constexpr int parts = Tile::width / (16 * Tile::blocks);
  CONVOSCOPE_KEEP_LOOP
  for (int turn = thread / 32; turn < Tile::height * parts; turn += Tile::warps) {
    const int row = turn / parts, column = turn % parts * 16 * Tile::blocks;
    if (top + row >= task.c.out_height || left + column >= task.c.out_width) continue;
    float sums[Tile::blocks][Tile::columns][4] = {};
    CONVOSCOPE_UNROLL
    for (int step = 0; step < Tile::steps; ++step) {
      const int tap = step % Tile::quads * 4 + t;
      const int held = Tile::bank_in_registers ? step : 0;
      if constexpr (!Tile::bank_in_registers) load_weights<Tile>(right[held], bank, step, lane);
      CONVOSCOPE_UNROLL
      for (int i = 0; i < Tile::blocks; ++i) {
        const int at = (row + step / Tile::quads) * Tile::pitch + column + i * 16 + g + tap;
        // What lies beyond the filter's row belongs to other outputs, and may be infinite.
        const uint2 upper = tap < Tile::filter ? window[at] : uint2{0, 0},
                    lower = tap < Tile::filter ? window[at + 8] : uint2{0, 0};
        const unsigned left_factors[4] = {upper.x, lower.x, upper.y, lower.y};
        CONVOSCOPE_UNROLL
        for (int j = 0; j < pairs; ++j) {
          const unsigned even[2] = {right[held][j].x, right[held][j].y}, odd[2] = {right[held][j].z, right[held][j].w};
          mma_m16n8k16(sums[i][2 * j], left_factors, even);
          mma_m16n8k16(sums[i][2 * j + 1], left_factors, odd);
        }
      }
    }
    Half* const first = task.out.at(sample, 0) + (top + row) * task.out.row;
    store_sums<Tile::maps>(sums, stores, map_tile * Tile::maps, t, [&](int i) {
      const int x = left + column + i * 8 + g;
      return x < task.c.out_width ? first + x * task.out.column : nullptr;
    });
  }
}

// Calls f.template operator()<Tile>().
template <int K, class F>
auto with_rows_tile(int maps, F&& f) {
  if (maps <= 16) return f.template operator()<RowsTile<K, 16>>();
  if (maps <= 32) return f.template operator()<RowsTile<K, 32>>();
  return f.template operator()<RowsTile<K, 64>>();
}
template <class F>
auto with_rows_tile(int filter, int maps, F&& f) {
  if (filter == 3) return with_rows_tile<3>(maps, f);
  return filter == 5 ? with_rows_tile<5>(maps, f) : with_rows_tile<7>(maps, f);
}
inline bool few_channels(const Problem& p, const Device& device) {
  const Correlation c = correlation_of(p);
  return p.layer.precision == Precision::f16 && p.layer.layout == Layout::nhwc && c.groups == 1 &&
         c.sources <= most_few_channels && unrolled(p) && device.compute_capability >= 80;
}

// The bank as lanes hold it: k of an instruction is channel 0 or 1 of the four taps, then 2 or 3.
template <class Tile>
std::vector<uint4> rows_bank(const Problem& p, const Filter& filter) {
  const Correlation c = correlation_of(p);
  const CorrelationWeights weights(p, filter);
  std::vector<uint4> bank;
  for (int first = 0; first < c.targets; first += Tile::maps)
    for (int step = 0; step < Tile::steps; ++step)
      for (int pair = 0; pair < Tile::columns / 2; ++pair)
        for (int lane = 0; lane < 32; ++lane) {
          const int row = step / Tile::quads, column = step % Tile::quads * 4 + lane % 4;
          const auto word = [&](int j, int source) {
            const int map = first + MapOrder<Tile::maps>::map_of((2 * pair + j) * 8 + lane / 4);
            const auto number = [&](int s) -> unsigned {
              const bool there = map < c.targets && column < Tile::filter && s < c.sources;
              return there ? to_half(weights(map, s, row * Tile::filter + column)) : 0;
            };
            return number(source) | number(source + 1) << 16;
          };
          bank.push_back({word(0, 0), word(0, 2), word(1, 0), word(1, 2)});
        }
  return bank;
}

class RowsPlan final : public Plan {
  template <class F>
  auto with_tile(F&& f) const {
    return with_rows_tile(correlation_.filter, asked_ ? asked_ : correlation_.targets, f);
  }

 public:
  RowsPlan(const Problem& problem, int asked)
      : problem_(problem),
        asked_(asked),
        correlation_(correlation_of(problem)),
        biases_(problem),
        bank_(bank_of(problem.filter)) {}
  void set_filter(const Filter& filter) override {
    biases_.set(filter);
    bank_.set(bank_of(filter));
  }
  void prepare(Stream stream) override {
    biases_.send(stream);
    bank_.send(stream);
  }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    with_tile([&]<class Tile>() {
      launch(layer_few_channels<Tile>, grid<Tile>(), dim3(Tile::threads), Tile::shared_bytes, stream,
             RowsTask{strided<const Half>(in[0]), strided<Half>(out[0]), correlation_, biases_.epilogue(),
                      problem_.layer.pass == Pass::forward, aligned(out[0], 16),
                      ceil_div(correlation_.out_width, Tile::width), bank_.data()});
    });
  }
  std::vector<KernelInfo> kernels() const override {
    return with_tile([&]<class Tile>() -> std::vector<KernelInfo> {
      return {describe("layer_few_channels", layer_few_channels<Tile>, grid<Tile>(), dim3(Tile::threads),
                       Tile::shared_bytes)};
    });
  }
  std::string note() const override {
    return "4 taps of a row, of " + std::to_string(correlation_.sources) + " channels each, are an instruction's depth";
  }

 private:
  std::vector<uint4> bank_of(const Filter& filter) const {
    return with_tile([&]<class Tile>() { return rows_bank<Tile>(problem_, filter); });
  }
  template <class Tile>
  dim3 grid() const {
    const Correlation& c = correlation_;
    return dim3(static_cast<unsigned>(ceil_div(c.out_width, Tile::width) * ceil_div(c.out_height, Tile::height)),
                ceil_div(c.targets, Tile::maps), c.samples);
  }

  Problem problem_;
  int asked_;
  Correlation correlation_;
  LayerBiases biases_;
  GlobalValues<uint4> bank_;
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_tensor
