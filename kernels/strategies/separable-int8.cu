// Both passes on the integer tensor cores. Idea: a warp walks down 32 columns, 16 rows at a time. Down the columns the
// taps are a banded (Toeplitz) matrix, 16 outputs high, times columns of pixels, as bytes. The exact sums, cut to 16
// bits, are two bytes again, and lie in the registers of the lanes that need them for the product with a second banded
// matrix, along the rows: the order of the depth of a product is free, as long as both of its matrices have the same.
// Traffic: (32 + 2R)/32 · (1 + 2R/H) loads per output for strips of H rows, R = 8 or 16; L1 serves the repeated ones.
// Limits: rgba8 and rank 1 only; radius 16; one weight set and no absolute value.
#include "kernels/async_copy.cuh"
#include "kernels/cuda_raii.h"
#include "kernels/mma_int8.cuh"
#include "kernels/model.h"
#include "kernels/row_stream.cuh"
#include "kernels/strategies/separable_bytes.h"

namespace convoscope::CONVOSCOPE_TARGET {
namespace {

constexpr int warps = 4, lanes = 32;  // of a block; its warps lie side by side and share halos in L1
constexpr int step_rows = 16;         // M of an mma in the pass down the columns
constexpr int run = 16;               // M of an mma in the pass along the rows
constexpr int runs = 2, warp_columns = runs * run;
constexpr int tile_columns = 8;  // N

// A pass needs 16 inputs and the filter's reach on both sides, in chunks of 16, two of which are the depth of an mma.
CONVOSCOPE_HOST_DEVICE constexpr int chunks_for(int radius) { return radius <= 8 ? 2 : 3; }
CONVOSCOPE_HOST_DEVICE constexpr int reach(int chunks) { return 8 * (chunks - 1); }
// Lane t of four holds inputs 2t, 2t + 1, 2t + 8 and 2t + 9 of a chunk: what the pass before leaves it with.
CONVOSCOPE_HOST_DEVICE constexpr int input_of(int t, int i) { return 2 * t + i % 2 + i / 2 * 8; }

// A banded matrix as one lane holds it: a byte of each tap, for every chunk the rows g and g + 8.
template <int Chunks>
struct Band {
  unsigned rows[2 * Chunks];
  __device__ void load(const unsigned* from) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 2 * Chunks; ++i) rows[i] = from[i * lanes];
  }
};

// sums = band · inputs + start; they may be the same.
template <bool SignedInput, int Chunks>
__device__ inline void multiply(int (&sums)[4], const Band<Chunks>& band, const unsigned (&inputs)[Chunks],
                                const int (&start)[4]) {
  mma_chunks<SignedInput, 2>(sums, band.rows, inputs, start);
  if constexpr (Chunks == 3) mma_chunks<SignedInput, 1>(sums, band.rows + 4, inputs + 2, sums);
}

struct Finish {
  int centre, offset, shift;  // see SeparableBytes
};

__device__ inline int above(int high, int low) {
  return static_cast<int>(static_cast<unsigned>(high) * 256u + static_cast<unsigned>(low));
}

// bands: high and low bytes of the column taps, then of the row taps.
template <int ChunksY, int ChunksX>
__global__ void __launch_bounds__(warps* lanes, 2)
    filter_separable_bytes(ImageView<const unsigned> in, ImageView<unsigned> out, const unsigned* bands, int strip_rows,
                           Border border, Finish finish) {
  constexpr bool ahead = ChunksY + ChunksX == 4;  // registers are left for the next rows while these are multiplied
  constexpr int tiles = (warp_columns + 2 * reach(ChunksX)) / tile_columns, own_tiles = warp_columns / tile_columns;
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  const int left = static_cast<int>(blockIdx.x * warps + threadIdx.y) * warp_columns;
  const int first_column = left - reach(ChunksX), top = static_cast<int>(blockIdx.y) * strip_rows;
  const Shared<int> columns = shared_memory<int>(0, warps * tiles * tile_columns);
  const int my_columns = static_cast<int>(threadIdx.y) * tiles * tile_columns;
  for (int i = lane; i < tiles * tile_columns; i += lanes)
    columns[my_columns + i] = near_border_index(first_column + i, in.width, border);
  __syncthreads();
  if (left >= out.width) return;

  Band<ChunksY> down[2];
  Band<ChunksX> along[2];
  CONVOSCOPE_UNROLL
  for (int byte = 0; byte < 2; ++byte) {
    down[byte].load(bands + byte * 2 * ChunksY * lanes + lane);
    along[byte].load(bands + (2 * ChunksY + byte * ChunksX) * 2 * lanes + lane);
  }
  const int zero[4] = {}, centre[4] = {finish.centre, finish.centre, finish.centre, finish.centre};
  const int offset[4] = {finish.offset, finish.offset, finish.offset, finish.offset};

  const bool whole_columns = first_column >= 0 && first_column + tiles * tile_columns <= in.width;
  const auto load_pixels = [&](unsigned(&pixels)[tiles][4], int first_row) {
    if (whole_columns && first_row >= 0 && first_row + 16 <= in.height) {
      const char* from = reinterpret_cast<const char*>(in.data) +
                         (first_row + 2 * t) * static_cast<std::ptrdiff_t>(in.pitch) + (first_column + g) * 4;
      CONVOSCOPE_UNROLL
      for (int i = 0; i < 4; ++i) {
        const auto* row =
            reinterpret_cast<const unsigned*>(from + input_of(0, i) * static_cast<std::ptrdiff_t>(in.pitch));
        CONVOSCOPE_UNROLL
        for (int tile = 0; tile < tiles; ++tile) load_vector<1>(row + tile * tile_columns, &pixels[tile][i]);
      }
      return;
    }
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int row = near_border_index(first_row + input_of(t, i), in.height, border);
      const auto* from = reinterpret_cast<const unsigned*>(reinterpret_cast<const char*>(in.data) +
                                                           row * static_cast<std::ptrdiff_t>(in.pitch));
      CONVOSCOPE_UNROLL
      for (int tile = 0; tile < tiles; ++tile) {
        const int column = columns[my_columns + tile * tile_columns + g];
        pixels[tile][i] = 0;
        if (row >= 0 && column >= 0) load_vector<1>(from + column, &pixels[tile][i]);
      }
    }
  };

  // Asks for the warp's own columns of the next 16 rows, by sectors of 32 bytes; the halo is what its neighbours ask
  // for.
  const auto prefetch_rows = [&](int first_row) {
    const int row = first_row + lane / 2;
    if (row < 0 || row >= in.height) return;
    const char* from = reinterpret_cast<const char*>(in.data) + row * static_cast<std::ptrdiff_t>(in.pitch) +
                       (left + lane % 2 * (warp_columns / 2)) * static_cast<std::ptrdiff_t>(4);
    prefetch(from);
    prefetch(from + 32);
  };
  unsigned colour[3][tiles][ChunksY], alpha[own_tiles][2];  // alpha: of the chunks that hold the output rows
  const int rows = min(strip_rows, out.height - top), chunks = ChunksY - 1 + (rows + step_rows - 1) / step_rows;
  unsigned pixels[tiles][4];
  if (ahead) load_pixels(pixels, top - reach(ChunksY));
  CONVOSCOPE_KEEP_LOOP
  for (int chunk = 0; chunk < chunks; ++chunk) {
    {
      if (!ahead) load_pixels(pixels, top - reach(ChunksY) + chunk * step_rows);
      CONVOSCOPE_UNROLL
      for (int tile = 0; tile < tiles; ++tile) {
        unsigned channel[4];
        transpose_bytes(pixels[tile], channel);
        CONVOSCOPE_UNROLL
        for (int c = 0; c < 3; ++c) {
          CONVOSCOPE_UNROLL
          for (int k = 0; k + 1 < ChunksY; ++k) colour[c][tile][k] = colour[c][tile][k + 1];
          colour[c][tile][ChunksY - 1] = channel[c];
        }
        const int own = tile - reach(ChunksX) / tile_columns;
        if (own >= 0 && own < own_tiles) alpha[own][0] = alpha[own][1], alpha[own][1] = channel[3];
      }
    }
    if (chunk + 1 < chunks) {
      const int next_row = top - reach(ChunksY) + (chunk + 1) * step_rows;
      if (ahead)
        load_pixels(pixels, next_row);
      else
        prefetch_rows(next_row);
    }
    if (chunk < ChunksY - 1) continue;

    int green[runs][2][4];
    unsigned words[runs][2][4];  // [run][eight rows][column g or g + 8, row 2t or 2t + 1]
    CONVOSCOPE_UNROLL
    for (int c = 2; c >= 0; --c) {
      // The sums down the columns, cut to 16 bits, by bytes and as the second product wants them: [eight rows][chunk].
      unsigned high[2][tiles / 2], low[2][tiles / 2];
      CONVOSCOPE_UNROLL
      for (int pair = 0; pair < tiles / 2; ++pair) {
        unsigned sums[2][4];
        CONVOSCOPE_UNROLL
        for (int k = 0; k < 2; ++k) {
          int highs[4], lows[4];
          multiply<false>(highs, down[0], colour[c][2 * pair + k], zero);
          multiply<false>(lows, down[1], colour[c][2 * pair + k], centre);
          CONVOSCOPE_UNROLL
          for (int i = 0; i < 4; ++i) sums[k][i] = static_cast<unsigned>(above(highs[i], lows[i]));
        }
        CONVOSCOPE_UNROLL
        for (int n = 0; n < 2; ++n) {
          const unsigned first = __byte_perm(sums[0][2 * n], sums[0][2 * n + 1], 0x6521);
          const unsigned second = __byte_perm(sums[1][2 * n], sums[1][2 * n + 1], 0x6521);
          low[n][pair] = __byte_perm(first, second, 0x6420);
          high[n][pair] = __byte_perm(first, second, 0x7531);
        }
      }
      CONVOSCOPE_UNROLL
      for (int m = 0; m < runs; ++m) CONVOSCOPE_UNROLL
      for (int n = 0; n < 2; ++n) {
        unsigned highs[ChunksX], lows[ChunksX];
        CONVOSCOPE_UNROLL
        for (int k = 0; k < ChunksX; ++k) highs[k] = high[n][m + k], lows[k] = low[n][m + k];
        int upper[4], lower[4];
        multiply<true>(upper, along[0], highs, zero);
        multiply<false>(lower, along[0], lows, offset);
        multiply<true>(lower, along[1], highs, lower);
        CONVOSCOPE_UNROLL
        for (int i = 0; i < 4; ++i) {
          const int value = above(upper[i], lower[i]) >> finish.shift;
          unsigned& word = words[m][n][i];
          if (c == 2) {
            const unsigned alphas = ChunksY == 2 ? alpha[2 * m + i / 2][n] : alpha[2 * m + i / 2][0];
            const int byte = i % 2 + (ChunksY == 2 ? 1 - n : n) * 2;
            word = pack_bytes(static_cast<int>(alphas >> 8 * byte & 0xFF), value, 0);
          } else if (c == 1) {
            green[m][n][i] = value;
          } else {
            word = pack_bytes(green[m][n][i], value, word);
          }
        }
      }
    }

    const int y = top + (chunk - (ChunksY - 1)) * step_rows + 2 * t;
    const bool whole = left + warp_columns <= out.width && y - 2 * t + step_rows <= out.height;
    CONVOSCOPE_UNROLL
    for (int n = 0; n < 2; ++n) CONVOSCOPE_UNROLL
    for (int i = 0; i < 2; ++i) {
      unsigned* const to = pixel_at(out, left + g, y + 8 * n + i);
      CONVOSCOPE_UNROLL
      for (int m = 0; m < runs; ++m) CONVOSCOPE_UNROLL
      for (int h = 0; h < 2; ++h)
        if (whole || (y + 8 * n + i < out.height && left + g + run * m + 8 * h < out.width))
          store_vector<1>(to + run * m + 8 * h, &words[m][n][2 * h + i]);
    }
  }
}

constexpr int max_radius = 16;

// Registers of all lanes for the bytes of taps: [byte][chunk][row g or g + 8][lane].
void append_band(std::vector<unsigned>& to, const std::vector<int>& taps) {
  const int radius = static_cast<int>(taps.size()) / 2, chunks = chunks_for(radius);
  for (const bool high : {true, false})
    for (int word = 0; word < 2 * chunks; ++word)
      for (int lane = 0; lane < lanes; ++lane) {
        unsigned bytes = 0;
        for (int i = 0; i < 4; ++i) {
          const int output = lane / 4 + word % 2 * 8, input = word / 2 * 16 + input_of(lane % 4, i);
          const int tap = input - output - reach(chunks) + radius;
          if (tap < 0 || tap > 2 * radius) continue;
          const int byte = high ? ByteWeights::high(taps[tap]) : ByteWeights::low(taps[tap]);
          bytes |= (static_cast<unsigned>(byte) & 0xFFu) << 8 * i;
        }
        to.push_back(bytes);
      }
}

constexpr int strip_heights[] = {0, 32, 48, 64, 96, 128, 192, 288};
constexpr Tunable tunables[] = {
    {"strip_rows", "Strip height",
     "Rows that a warp walks down: tall strips repeat fewer rows, short ones make more blocks. 0: by the image's size",
     strip_heights, 0},
};

int chosen_strip_rows(const Problem&, const Tuning&);

class SeparableInt8Plan final : public Plan {
 public:
  SeparableInt8Plan(const Problem& problem, int strip_rows)
      : problem_(problem),
        strip_rows_(strip_rows),
        block_(lanes, warps),
        grid_(ceil_div(problem.width, warps * warp_columns), ceil_div(problem.height, strip_rows)),
        device_bands_(static_cast<std::size_t>(4 * lanes) *
                      (chunks_for(problem.filter.ry()) + chunks_for(problem.filter.rx()))) {
    SeparableInt8Plan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    const SeparableBytes bytes = separable_bytes(filter);
    finish_ = {bytes.centre, bytes.offset, bytes.shift};
    cost_ = bytes.cost;
    bands_.clear();
    append_band(bands_, bytes.column);
    append_band(bands_, bytes.row);
    changed_ = true;
  }
  void prepare(Stream stream) override {
    if (!std::exchange(changed_, false)) return;
    CONVOSCOPE_CHECK(cudaMemcpyAsync(device_bands_.data(), bands_.data(), bands_.size() * sizeof(unsigned),
                                     cudaMemcpyHostToDevice, native(stream)));
  }
  void enqueue(const Image& in, const Image& out, Stream stream) override {
    with_kernel([&](auto kernel) {
      launch(kernel, grid_, block_, table_bytes(), stream, in.view<const unsigned>(), out.view<unsigned>(),
             device_bands_.data(), strip_rows_, problem_.border, finish_);
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    with_kernel(
        [&](auto kernel) { infos = {describe("filter_separable_bytes", kernel, grid_, block_, table_bytes())}; });
    return infos;
  }
  std::string note() const override {
    char cost[32];
    std::snprintf(cost, sizeof(cost), "%.2g", cost_);
    return std::string("taps and the intermediate in 16 bits, which costs at most ") + cost + " code values";
  }

 private:
  std::size_t table_bytes() const {
    return warps * (warp_columns + 2 * reach(chunks_for(problem_.filter.rx()))) * sizeof(int);
  }
  template <class F>
  void with_kernel(F&& f) const {
    if (chunks_for(problem_.filter.ry()) == 2)
      chunks_for(problem_.filter.rx()) == 2 ? f(filter_separable_bytes<2, 2>) : f(filter_separable_bytes<2, 3>);
    else
      chunks_for(problem_.filter.rx()) == 2 ? f(filter_separable_bytes<3, 2>) : f(filter_separable_bytes<3, 3>);
  }

  Problem problem_;
  int strip_rows_;
  dim3 block_, grid_;
  Finish finish_{};
  double cost_ = 0;
  std::vector<unsigned> bands_;
  DeviceBuffer<unsigned> device_bands_;
  bool changed_ = true;
};

}  // namespace

extern const Strategy separable_int8_strategy;
const Strategy separable_int8_strategy{
    .id = "separable-int8",
    .title = "Separable on tensor cores, integers",
    .idea =
        "Two banded (Toeplitz) matrices, one for each pass, multiply the pixels' own bytes on the integer tensor "
        "cores. "
        "The sums of the first pass, cut to 16 bits, are where the second needs them: the intermediate stays in "
        "registers.",
    .reading = "PTX ISA, mma.m16n8k32; Dao et al., FlashAttention, 2022 (products that hand over in registers)",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return separable_bytes(p.filter).cost; },
    .unsupported = [](const Problem& p, const Device& device, const Tuning& t) -> std::string {
      if (p.format != PixelFormat::rgba8)
        return "the matrices take 8-bit pixels, rgba8; this image is " + std::string(to_string(p.format));
      if (p.filter.is_magnitude() || p.filter.absolute)
        return "its sums are integers to the end, which leaves no place for edge magnitudes and absolute values";
      if (std::max(p.filter.rx(), p.filter.ry()) > max_radius)
        return "48 inputs are multiplied for 16 outputs, which allows a radius of " + std::to_string(max_radius) +
               "; this filter's is " + std::to_string(std::max(p.filter.rx(), p.filter.ry()));
      if (device.compute_capability < 75)
        return "integer matrix instructions need compute capability 7.5; this device has " +
               std::to_string(device.compute_capability / 10) + "." + std::to_string(device.compute_capability % 10);
      if (std::string reason = separable_reason(p.filter); !reason.empty()) return reason;
      if (const int rows = tuned(separable_int8_strategy, t, "strip_rows"); rows < 0 || rows % step_rows)
        return "A strip's height is a multiple of " + std::to_string(step_rows) + "; this is " + std::to_string(rows);
      return separable_bytes(p.filter).trouble;
    },
    .plan = [](const Problem& p, const Device&, const Tuning& t) -> std::unique_ptr<Plan> {
      return std::make_unique<SeparableInt8Plan>(p, chosen_strip_rows(p, t));
    },
    .model = [](const Problem& p, const Tuning& t) -> Cost {
      const double chunks_y = chunks_for(p.filter.ry()), chunks_x = chunks_for(p.filter.rx());
      const double rows = chosen_strip_rows(p, t);
      const double across = (warp_columns + 16 * (chunks_x - 1)) / warp_columns;
      // Two bytes of taps down the columns, for the halo as well, and two by two along the rows.
      return {.flop = 2 * 16 * (2 * chunks_y * across + 4 * chunks_x) * channels(p.format) * outputs(p),
              .global_loads_per_output = across * (rows + 16 * (chunks_y - 1)) / rows,
              .global_stores_per_output = 1,
              .shared_loads_per_output = 0,
              .dram_bytes = 2 * frame_bytes(p),
              .on_matrix_units = true};
    },
    .explain =
        [](const Problem& p, const Device&, const Tuning& t, int x, int y) {
          const int strip_rows = chosen_strip_rows(p, t);
          KernelStep step = one_thread_per_output("filter_separable_bytes", warps * warp_columns, strip_rows, x, y);
          const PixelArea block = step.outputs[0];
          const int warp = (x - block.x) / warp_columns, left = block.x + warp * warp_columns;
          const int g = x % tile_columns, pair = (y - block.y) % 8 / 2;
          step.thread = {4 * g + pair, warp, 0};
          step.block_size = {lanes, warps, 1};
          step.thread_outputs.clear();
          for (int row = 2 * pair; row < strip_rows; row += 8)
            for (int column = g; column < warp_columns; column += tile_columns)
              step.thread_outputs.push_back({left + column, block.y + row, 1, std::min(2, strip_rows - row)});
          const int reach_x = reach(chunks_for(p.filter.rx())), reach_y = reach(chunks_for(p.filter.ry()));
          const int across = std::min(warps, ceil_div(p.width - block.x, warp_columns)) * warp_columns;
          const int down = ceil_div(std::min(strip_rows, p.height - block.y), step_rows) * step_rows;
          step.direct = {{block.x - reach_x, block.y - reach_y, across + 2 * reach_x, down + 2 * reach_y}};
          step.words =
              "Each warp walks down 32 columns, 16 rows at a time. A banded matrix of the column taps multiplies "
              "columns "
              "of pixels; its sums, cut to 16 bits, stay in registers and are multiplied by one of the row taps.";
          return Explanation{.steps = {std::move(step)},
                             .words = "The weights are a column times a row, both rounded to 16-bit integers."};
        },
};

namespace {
// So that a large device has two turns of blocks, the second nearly full.
int chosen_strip_rows(const Problem& p, const Tuning& tuning) {
  const int chosen = tuned(separable_int8_strategy, tuning, "strip_rows");
  return chosen > 0 ? chosen : outputs(p) > 4e6 ? 128 : 64;
}
}  // namespace

}  // namespace convoscope::CONVOSCOPE_TARGET
