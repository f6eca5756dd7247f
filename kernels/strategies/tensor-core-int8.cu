// Filtering on the integer tensor cores. Idea: the bytes of the image are multiplied as they are. A column of the
// filter is a banded (Toeplitz) matrix over the rows of the image, A; a column of pixels under each other is a column
// of B, for eight columns at a time; the products of all filter columns add up to 16 × 8 outputs of a channel. A weight
// is a 16-bit integer, two signed bytes. Up to 9 rows, both bytes stand above each other in one A of 8 output rows, and
// two filter columns side by side; higher filters take a product for each byte.
// Traffic: (W + 2rx)/W · (H + 2ry)/H loads per output for strips of W × H, one store.
// Limits: rgba8 only; ry ≤ 16; weights that 16 bits do not hold well enough take two rounds of them.
#include <cmath>

#include "kernels/cuda_raii.h"
#include "kernels/model.h"
#include "kernels/reference.h"
#include "kernels/strategies/byte_ring.cuh"
#include "kernels/strategies/byte_weights.h"

namespace convoscope::CONVOSCOPE_TARGET {
namespace {

constexpr int lanes = 32;
constexpr int tile_columns = 8, warp_tiles = 2;  // N of an mma; a warp makes 16 columns and a slot's 32 rows

// Threads of a block at most, and blocks that share a multiprocessor's registers: the sums of two tiles and all
// channels at once, which filters higher than 9 rows keep, take half of a thread's.
CONVOSCOPE_HOST_DEVICE constexpr int max_threads(int chunks) { return chunks == 1 ? 256 : 128; }
CONVOSCOPE_HOST_DEVICE constexpr int resident_blocks(int chunks) { return chunks == 1 ? 2 : 3; }

// A set of weights is multiplied in one or two rounds; an edge magnitude has two sets.
struct Finish {
  float scale[2][2];  // of each set and round; with only one of them, gain is in it
  float gain, bias;   // in units of 255 code values, so that clamping is saturation
  int absolute, sets, rounds;
};

// Filter columns are taken by twos. Their rows fill the depth of the matrices in chunks of 16: 2 · chunks of them, two
// to an mma.
CONVOSCOPE_HOST_DEVICE constexpr int column_pairs(int filter_width) { return (filter_width + 1) / 2; }
CONVOSCOPE_HOST_DEVICE constexpr int fragments_of(int pairs, int chunks) { return pairs * chunks * 2; }  // A matrices

// Sums of one tile and channel: [16 rows][matrix][fragment]. The two matrices are the upper and lower eight rows when
// both bytes of the weights stand in one A (one chunk), else the weights' high and low bytes.
using TileSums = int[2][2][4];

// Row 16v + 8h + g of the slot, column 2t + i of the tile.
template <int Chunks>
__device__ inline int combined(const TileSums& sums, int v, int h, int i) {
  const unsigned high = Chunks == 1 ? sums[v][h][i] : sums[v][0][2 * h + i];
  const unsigned low = Chunks == 1 ? sums[v][h][2 + i] : sums[v][1][2 * h + i];
  return static_cast<int>(high * 256u + low);
}

// Adds all products of the filter's columns to the sums of Tiles × Channels. first, second: this lane's places in the
// slots of these and the next 32 rows; weight(i): fragment i.
template <int Chunks, int Taps, int Tiles, int Channels, class Weight>
__device__ inline void multiply(TileSums (&sums)[Tiles][Channels], const Shared<ByteColumn>& ring, int first,
                                int second, int channel_step, int pairs, Weight weight) {
  const bool from_next_chunk = threadIdx.x % 4 < 2;
  const auto add_pair = [&](int pair) {
    const bool alone = Taps && 2 * pair + 1 == Taps;  // the filter's last column: its partner's weights are zero
    ByteFragment a[Chunks][2];
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 2 * Chunks; ++i) a[i / 2][i % 2] = weight(pair * 2 * Chunks + i);
    CONVOSCOPE_UNROLL
    for (int tile = 0; tile < Tiles * Channels; ++tile) {
      const int offset = tile / Channels * tile_columns + tile % Channels * channel_step + 2 * pair;
      unsigned b[2][4];  // [filter column][chunk]
      if (alone) {
        unsigned upper[2], lower[1];
        load_matrices(upper, ring, first + offset);
        load_matrices(lower, ring, second + offset);
        b[0][0] = b[1][0] = upper[0], b[0][1] = b[1][1] = upper[1], b[0][2] = b[1][2] = lower[0];
      } else {
        unsigned upper[4], lower[Chunks == 3 ? 4 : 2];
        load_matrices(upper, ring, first + offset);
        load_matrices(lower, ring, second + offset);
        CONVOSCOPE_UNROLL
        for (int dx = 0; dx < 2; ++dx) {
          b[dx][0] = upper[2 * dx], b[dx][1] = upper[2 * dx + 1];
          if constexpr (Chunks == 3)
            b[dx][2] = lower[2 * dx], b[dx][3] = lower[2 * dx + 1];
          else
            b[dx][2] = lower[dx];
        }
      }
      TileSums& sum = sums[tile / Channels][tile % Channels];
      CONVOSCOPE_UNROLL
      for (int i = 0; i < Chunks; ++i) {
        const int k0 = 2 * i, k1 = 2 * i + 1;  // halves of the depth: filter column k / Chunks, its chunk k % Chunks
        CONVOSCOPE_UNROLL
        for (int v = 0; v < 2; ++v) {
          const unsigned b0 = b[k0 / Chunks][v + k0 % Chunks], b1 = b[k1 / Chunks][v + k1 % Chunks];
          mma_m16n8k32(sum[v][0], a[i][0], b0, b1);
          if constexpr (Chunks == 1)  // eight rows further down, in the order that needs no exchange between lanes
            mma_m16n8k32(sum[v][1], a[i][1], from_next_chunk ? b[0][v + 1] : b0, from_next_chunk ? b[1][v + 1] : b1);
          else
            mma_m16n8k32(sum[v][1], a[i][1], b0, b1);
        }
      }
    }
  };
  if constexpr (Taps > 0) {
    CONVOSCOPE_UNROLL
    for (int pair = 0; pair < column_pairs(Taps); ++pair) add_pair(pair);
  } else {
    CONVOSCOPE_KEEP_LOOP
    for (int pair = 0; pair < pairs; ++pair) add_pair(pair);
  }
}

// Byte 0 of the result is the code value.
template <bool Absolute>
__device__ inline unsigned code_value(float value, float gain, float bias) {
  const float scaled = fmaf(value, gain, bias);
  const float unit = __saturatef(Absolute ? fabsf(scaled) : scaled);
  return __float_as_uint(fmaf(unit, 255.0f, 12582912.0f));  // 1.5 · 2^23: rounds to an integer, half to even
}

__device__ inline unsigned put_byte(unsigned pixel, unsigned value, int channel) {
  return __byte_perm(pixel, value, channel == 0 ? 0x3214 : channel == 1 ? 0x3240 : channel == 2 ? 0x3410 : 0x4210);
}

// The 8 pixels of a tile that a lane finishes: [16 rows][8 rows][column].
using TilePixels = unsigned[2][2][2];

template <int Chunks, bool Absolute>
__device__ inline void finish_plain(TilePixels& pixels, const TileSums& sums, int channel, const Finish& finish) {
  CONVOSCOPE_UNROLL
  for (int n = 0; n < 8; ++n) {
    const int v = n / 4, h = n / 2 % 2, i = n % 2;
    const float sum = static_cast<float>(combined<Chunks>(sums, v, h, i));
    pixels[v][h][i] = put_byte(pixels[v][h][i], code_value<Absolute>(sum, finish.scale[0][0], finish.bias), channel);
  }
}

// Block: 2 · strip_width threads, for strip_width × strip_rows outputs. Taps: the filter's width, 0 when known at run
// time only. Plain: one set of weights, one round.
template <int Chunks, int Taps, bool Plain>
__global__ void __launch_bounds__(max_threads(Chunks), resident_blocks(Chunks))
    filter_bytes(ImageView<const unsigned> in, ImageView<unsigned> out, const ByteFragment* fragments, int rx, int ry,
                 int strip_rows, bool store_pairs, Border border, Finish finish) {
  constexpr bool in_registers = Taps > 0, in_shared = Plain && !in_registers, ahead = Chunks == 1 && Plain;
  constexpr int kept = in_registers ? fragments_of(column_pairs(Taps), Chunks) : 1;
  const int t = threadIdx.x, lane = t % lanes, g = lane / 4;
  const int strip_width = static_cast<int>(blockDim.x) / 2, columns = strip_width + 2 * rx;
  const int left = blockIdx.x * strip_width, top = blockIdx.y * strip_rows;
  const int rows = out.height - top < strip_rows ? out.height - top : strip_rows;
  const int pairs = column_pairs(2 * rx + 1), count = fragments_of(pairs, Chunks);
  const int shared_fragments = in_shared ? count * lanes : 0;
  Shared<ByteFragment> shared_weights = shared_memory<ByteFragment>(0, shared_fragments);
  const std::size_t ring_offset = shared_fragments * sizeof(ByteFragment);
  Shared<ByteColumn> ring = shared_memory<ByteColumn>(ring_offset, ByteRing::elements(columns));
  Shared<unsigned char> bytes = shared_memory<unsigned char>(ring_offset, 16 * ByteRing::elements(columns));
  const ByteRing image(in, border, ring, left - rx, top - ry, rows + 2 * ry, strip_width, columns);

  LoadedRows next, second_slot;
  image.load(next, 0);
  image.load(second_slot, 1);
  ByteFragment weights[kept];
  if constexpr (in_registers) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < kept; ++i) weights[i] = fragments[i * lanes + lane];
  }
  if constexpr (in_shared)
    for (int i = t; i < shared_fragments; i += blockDim.x) shared_weights[i] = fragments[i];
  image.store(next, 0);
  image.store(second_slot, 1);

  const int x = t / lanes * tile_columns * warp_tiles;  // the warp's first column
  const int steps = (rows + slot_rows - 1) / slot_rows;
  for (int step = 0; step < steps; ++step) {
    __syncthreads();
    if (step + 1 < steps) {
      if constexpr (ahead) {
        image.load(next, step + 2);  // arrives while the tensor cores work
      } else {
        LoadedRows now;  // no registers left to wait in
        image.load(now, step + 2);
        image.store(now, step + 2);
      }
    }

    // Matrices of a load: two chunks of a filter column, then of the next; of the lower slot mostly just one chunk.
    const int row = lane % 8, half = lane / 8 % 2, right = lane / 16;
    const int first = image.place(step, half) + x + row + right;
    const int second = Chunks == 3 ? image.place(step + 1, half) + x + row + right
                                   : image.place(step + 1, 0) + x + row + (right ? 0 : half);
    const auto store_tile = [&](TilePixels& pixels, int tile) {
      const int column = x + tile * tile_columns + lane % 4 * 2;
      CONVOSCOPE_UNROLL
      for (int n = 0; n < 4; ++n) {
        const int y = 8 * n + g, below = y + ry;
        const int place = image.place(step + below / slot_rows, below / chunk_rows % 2) + 3 * image.channel_step();
        const int alpha = (place + column + rx) * chunk_rows + below % chunk_rows;
        unsigned(&pair)[2] = pixels[n / 2][n % 2];
        CONVOSCOPE_UNROLL
        for (int i = 0; i < 2; ++i) pair[i] = put_byte(pair[i], bytes[alpha + i * chunk_rows], 3);
        if (step * slot_rows + y >= rows || left + column >= out.width) continue;
        unsigned* const to = pixel_at(out, left + column, top + step * slot_rows + y);
        if (store_pairs && left + column + 1 < out.width) {
          *reinterpret_cast<uint2*>(to) = make_uint2(pair[0], pair[1]);
        } else {
          to[0] = pair[0];
          if (left + column + 1 < out.width) to[1] = pair[1];
        }
      }
    };
    if (left + x < out.width) {
      if constexpr (Plain && Chunks > 1) {
        TileSums sums[warp_tiles][3] = {};
        multiply<Chunks, Taps>(sums, ring, first, second, image.channel_step(), pairs,
                               [&](int i) { return shared_weights[i * lanes + lane]; });
        CONVOSCOPE_UNROLL
        for (int tile = 0; tile < warp_tiles; ++tile) {
          TilePixels pixels = {};
          CONVOSCOPE_UNROLL
          for (int c = 0; c < 3; ++c)
            finish.absolute ? finish_plain<Chunks, true>(pixels, sums[tile][c], c, finish)
                            : finish_plain<Chunks, false>(pixels, sums[tile][c], c, finish);
          store_tile(pixels, tile);
        }
      } else {
        CONVOSCOPE_KEEP_LOOP
        for (int tile = 0; tile < warp_tiles; ++tile) {
          TilePixels pixels = {};
          CONVOSCOPE_UNROLL
          for (int c = 0; c < 3; ++c) {
            const int offset = tile * tile_columns + c * image.channel_step();
            if constexpr (Plain) {
              TileSums sums[1][1] = {};
              multiply<Chunks, Taps>(sums, ring, first + offset, second + offset, 0, pairs, [&](int i) {
                if constexpr (in_registers)
                  return weights[i];
                else
                  return shared_weights[i * lanes + lane];
              });
              finish.absolute ? finish_plain<Chunks, true>(pixels, sums[0][0], c, finish)
                              : finish_plain<Chunks, false>(pixels, sums[0][0], c, finish);
            } else {
              float squares[8] = {}, total[8] = {};
              CONVOSCOPE_KEEP_LOOP
              for (int set = 0; set < finish.sets; ++set) {
                CONVOSCOPE_UNROLL
                for (int n = 0; n < 8; ++n) total[n] = 0;
                CONVOSCOPE_KEEP_LOOP
                for (int round = 0; round < finish.rounds; ++round) {
                  const ByteFragment* const mine = fragments + (set * finish.rounds + round) * count * lanes + lane;
                  TileSums sums[1][1] = {};
                  multiply<Chunks, Taps>(sums, ring, first + offset, second + offset, 0, pairs,
                                         [&](int i) { return mine[i * lanes]; });
                  CONVOSCOPE_UNROLL
                  for (int n = 0; n < 8; ++n)
                    total[n] = fmaf(static_cast<float>(combined<Chunks>(sums[0][0], n / 4, n / 2 % 2, n % 2)),
                                    finish.scale[set][round], total[n]);
                }
                CONVOSCOPE_UNROLL
                for (int n = 0; n < 8; ++n) squares[n] = fmaf(total[n], total[n], squares[n]);
              }
              CONVOSCOPE_UNROLL
              for (int n = 0; n < 8; ++n) {
                const float value = finish.sets == 1 ? total[n] : sqrtf(squares[n]);
                const unsigned code = finish.absolute ? code_value<true>(value, finish.gain, finish.bias)
                                                      : code_value<false>(value, finish.gain, finish.bias);
                unsigned& pixel = pixels[n / 4][n / 2 % 2][n % 2];
                pixel = put_byte(pixel, code, c);
              }
            }
          }
          store_tile(pixels, tile);
        }
      }
    }
    if constexpr (ahead)
      if (step + 1 < steps) image.store(next, step + 2);
  }
}

constexpr int max_ry = 16;

// Chunks of 16 rows that a column of the filter needs above 16 outputs' first rows: one, when they are eight.
int chunks_of(const Filter& filter) { return filter.ry() <= 4 ? 1 : filter.ry() <= 8 ? 2 : 3; }

std::vector<SplitWeights> weight_sets(const Filter& filter) {
  std::vector<SplitWeights> sets{split_into_bytes(filter.weights)};
  if (filter.is_magnitude()) sets.push_back(split_into_bytes(filter.weights_y));
  return sets;
}

// What rounding the weights costs at most, in code values, with one round of 16 bits or with two.
double rounding_cost(const Filter& filter, const std::vector<SplitWeights>& sets, int rounds) {
  double squares = 0;  // |Δ sqrt(x² + y²)| ≤ sqrt(Δx² + Δy²)
  for (const SplitWeights& set : sets) {
    const double error = rounds == 1 ? set.error_first : set.error_both;
    squares += error * error;
  }
  return std::sqrt(squares) * std::abs(static_cast<double>(filter.gain)) * 255;
}

// One round is enough below an eighth of a code value.
int rounds_of(const Filter& filter, const std::vector<SplitWeights>& sets) {
  return rounding_cost(filter, sets, 1) > 0.125 ? 2 : 1;
}

double byte_bound(const Problem& p) {
  const std::vector<SplitWeights> sets = weight_sets(p.filter);
  // The integer sums are exact. Each round: its sum and scale become float and are added; two more for the code value's
  // way through 0 … 1.
  return float32_sum_bound(p, 8) + rounding_cost(p.filter, sets, rounds_of(p.filter, sets)) + 255 * 0x1p-23;
}

constexpr int strip_widths[] = {64, 128};
constexpr int strip_heights[] = {64, 128, 256, 512};
constexpr Tunable tunables[] = {
    {"strip_width", "Strip width",
     "Columns of a block's strip, half as many as its threads: wide strips repeat fewer of the 2r columns beside them",
     strip_widths, 64},
    {"strip_rows", "Strip height",
     "Rows of a block's strip: tall strips repeat fewer of the 2r rows above and below, short ones make more blocks",
     strip_heights, 128},
};
static_assert(2 * strip_widths[1] <= max_threads(1));

struct Shape {
  dim3 grid, block;
  int chunks, strip_width, strip_rows;
  std::size_t shared, shared_with_weights;
};
Shape shape(const Problem&, const Tuning&);

class TensorCoreInt8Plan final : public Plan {
 public:
  TensorCoreInt8Plan(const Problem& problem, const Tuning& tuning)
      : problem_(problem), shape_(shape(problem, tuning)), device_fragments_(4 * static_cast<std::size_t>(set_size())) {
    // Every kernel that a later filter may choose.
    for (bool plain : {false, true}) {
      plain_ = plain;
      with_kernel([&](auto kernel) { allow_shared(kernel, shared()); });
    }
    TensorCoreInt8Plan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    const std::vector<SplitWeights> sets = weight_sets(filter);
    finish_ = {.bias = filter.bias,
               .absolute = filter.absolute ? 1 : 0,
               .sets = static_cast<int>(sets.size()),
               .rounds = rounds_of(filter, sets)};
    plain_ = finish_.sets == 1 && finish_.rounds == 1;
    cost_ = rounding_cost(filter, sets, finish_.rounds);
    const double gain = static_cast<double>(filter.gain) / 255;
    finish_.gain = static_cast<float>(gain);
    fragments_.clear();
    fragments_.reserve(device_fragments_.size());
    for (int s = 0; s < finish_.sets; ++s)
      for (int round = 0; round < finish_.rounds; ++round) {
        const ByteWeights& weights = round == 0 ? sets[s].first : sets[s].second;
        const double scale = weights.scale * (plain_ ? gain : 1.0);
        finish_.scale[s][round] = static_cast<float>(std::clamp(scale, -1e30, 1e30));  // 0 · infinity is no number
        add_fragments(weights.values);
      }
    changed_ = true;
  }
  void prepare(Stream stream) override {
    if (!std::exchange(changed_, false)) return;
    CONVOSCOPE_CHECK(cudaMemcpyAsync(device_fragments_.data(), fragments_.data(),
                                     fragments_.size() * sizeof(ByteFragment), cudaMemcpyHostToDevice, native(stream)));
  }
  void enqueue(const Image& in, const Image& out, Stream stream) override {
    const bool store_pairs = (reinterpret_cast<std::uintptr_t>(out.data) | out.pitch) % sizeof(uint2) == 0;
    with_kernel([&](auto kernel) {
      launch(kernel, shape_.grid, shape_.block, shared(), stream, in.view<const unsigned>(), out.view<unsigned>(),
             device_fragments_.data(), problem_.filter.rx(), problem_.filter.ry(), shape_.strip_rows, store_pairs,
             problem_.border, finish_);
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    with_kernel([&](auto kernel) { infos = {describe("filter_bytes", kernel, shape_.grid, shape_.block, shared())}; });
    return infos;
  }
  std::string note() const override {
    char cost[32];
    std::snprintf(cost, sizeof(cost), "%.2g", cost_);
    return std::string(finish_.rounds == 1 ? "weights in 16 bits" : "weights in twice 16 bits") +
           ", which costs at most " + cost + " code values";
  }

 private:
  int set_size() const {  // fragments of all lanes for one set and round
    return fragments_of(column_pairs(problem_.filter.width), shape_.chunks) * lanes;
  }
  bool fixed_width() const {
    const int width = problem_.filter.width;
    return plain_ && shape_.chunks == 1 && (width == 3 || width == 5 || width == 7 || width == 9);
  }
  std::size_t shared() const { return plain_ && !fixed_width() ? shape_.shared_with_weights : shape_.shared; }

  // For each two columns of the filter, each mma and each of its two matrices, in the order multiply() takes them.
  void add_fragments(const std::vector<int>& values) {
    const int width = problem_.filter.width, height = problem_.filter.height, chunks = shape_.chunks;
    // The byte of row m and depth k of half the depth, `half`, of the matrix.
    const auto byte = [&](int half, int matrix, int m, int k) -> unsigned {
      const int dx = half / chunks, chunk = half % chunks;
      const bool low = chunks == 1 ? m >= 8 : matrix == 1;
      const int dy = chunks == 1 ? (k + 8 * matrix) % 16 - m % 8 : 16 * chunk + k - m;
      if (dx >= width || dy < 0 || dy >= height) return 0;
      const int value = values[dy * width + dx];
      return static_cast<unsigned>(low ? ByteWeights::low(value) : ByteWeights::high(value)) & 0xffu;
    };
    for (int pair = 0; pair < column_pairs(width); ++pair)
      for (int product = 0; product < chunks; ++product)
        for (int matrix = 0; matrix < 2; ++matrix)
          for (int lane = 0; lane < lanes; ++lane) {
            ByteFragment fragment{};
            for (int i = 0; i < 16; ++i) {
              const int word = i / 4, half = 2 * product + word / 2;
              const int m = lane / 4 + 8 * (word % 2), k = lane % 4 * 4 + i % 4;
              fragment.a[word] |= byte(2 * pair * chunks + half, matrix, m, k) << 8 * (i % 4);
            }
            fragments_.push_back(fragment);
          }
  }

  template <class F>
  void with_kernel(F&& f) const {
    if (!plain_)
      shape_.chunks == 1   ? f(filter_bytes<1, 0, false>)
      : shape_.chunks == 2 ? f(filter_bytes<2, 0, false>)
                           : f(filter_bytes<3, 0, false>);
    else if (shape_.chunks > 1)
      shape_.chunks == 2 ? f(filter_bytes<2, 0, true>) : f(filter_bytes<3, 0, true>);
    else if (!fixed_width())
      f(filter_bytes<1, 0, true>);
    else
      problem_.filter.width == 3   ? f(filter_bytes<1, 3, true>)
      : problem_.filter.width == 5 ? f(filter_bytes<1, 5, true>)
      : problem_.filter.width == 7 ? f(filter_bytes<1, 7, true>)
                                   : f(filter_bytes<1, 9, true>);
  }

  Problem problem_;
  Shape shape_;
  Finish finish_{};
  bool plain_ = true;
  double cost_ = 0;
  std::vector<ByteFragment> fragments_;
  DeviceBuffer<ByteFragment> device_fragments_;
  bool changed_ = true;
};

}  // namespace

extern const Strategy tensor_core_int8_strategy;
const Strategy tensor_core_int8_strategy{
    .id = "tensor-core-int8",
    .title = "Tensor cores, integers",
    .idea =
        "Pixels stay bytes. Each filter column becomes a banded (Toeplitz) matrix over the rows of the image, and a "
        "matrix instruction multiplies it with eight columns of pixels. Weights are rounded to 16 bits, two signed "
        "bytes; the integer sums are exact.",
    .reading =
        "PMPP 4th ed., ch. 16.4; PTX ISA, mma.m16n8k32; Jacob et al., Quantization and Training of Neural Networks "
        "for Efficient Integer-Arithmetic-Only Inference, 2018",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = byte_bound,
    .unsupported = [](const Problem& p, const Device& device, const Tuning& t) -> std::string {
      if (p.format != PixelFormat::rgba8)
        return "the matrices take 8-bit pixels, rgba8; this image is " + std::string(to_string(p.format));
      if (p.filter.ry() > max_ry)
        return "48 rows of input are multiplied for 16 of output, which allows a vertical radius of " +
               std::to_string(max_ry) + "; this filter's is " + std::to_string(p.filter.ry());
      if (device.compute_capability < 75)
        return "integer matrix instructions need compute capability 7.5; this device has " +
               std::to_string(device.compute_capability / 10) + "." + std::to_string(device.compute_capability % 10);
      return shared_memory_reason(shape(p, t).shared_with_weights, device);
    },
    .plan = [](const Problem& p, const Device&, const Tuning& t) -> std::unique_ptr<Plan> {
      return std::make_unique<TensorCoreInt8Plan>(p, t);
    },
    .model = [](const Problem& p, const Tuning& t) -> Cost {
      const Shape s = shape(p, t);
      const std::vector<SplitWeights> sets = weight_sets(p.filter);
      const double rounds = static_cast<double>(sets.size()) * rounds_of(p.filter, sets);
      const double pairs = column_pairs(p.filter.width) * rounds * channels(p.format);
      const double repeated = 1 + 2.0 * p.filter.ry() / s.strip_rows;
      // For each 16 × 8 outputs and two filter columns: 2 · chunks mma of 16 · 8 · 32 multiply-adds, zeros included;
      // B comes once for 32 × 8 outputs, in 6 or 8 registers of a warp.
      return {
          .flop = 2 * 2 * s.chunks * 32 * pairs * outputs(p),
          .global_loads_per_output = static_cast<double>(s.strip_width + 2 * p.filter.rx()) / s.strip_width * repeated,
          .global_stores_per_output = 1,
          .shared_loads_per_output = pairs * (s.chunks == 3 ? 8 : 6) * lanes / (slot_rows * tile_columns),
          .dram_bytes = 2 * frame_bytes(p)};
    },
};

namespace {
Shape shape(const Problem& p, const Tuning& tuning) {
  Shape s;
  s.chunks = chunks_of(p.filter);
  s.strip_width = std::min(tuned(tensor_core_int8_strategy, tuning, "strip_width"), max_threads(s.chunks) / 2);
  s.strip_rows = tuned(tensor_core_int8_strategy, tuning, "strip_rows");
  s.block = dim3(2 * s.strip_width);
  s.grid = dim3(ceil_div(p.width, s.strip_width), ceil_div(p.height, s.strip_rows));
  s.shared = ByteRing::elements(s.strip_width + 2 * p.filter.rx()) * sizeof(ByteColumn);
  s.shared_with_weights =
      s.shared + fragments_of(column_pairs(p.filter.width), s.chunks) * lanes * sizeof(ByteFragment);
  return s;
}
}  // namespace

}  // namespace convoscope::CONVOSCOPE_TARGET
