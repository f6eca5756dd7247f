// Both passes on the integer tensor cores, by warps that walk down 32 columns, 16 rows at a time.
// Traffic: (32 + 2R)/32 · (1 + 2R/H) loads per output for strips of H rows, R = 8 or 16; L1 serves the repeated ones.
// Limits: rgba8 and rank 1 only; radius 16; one weight set and no absolute value.
#include "kernels/device/one_kernel.cuh"
#include "kernels/device/parts/mma_int8.cuh"
#include "kernels/strategies/shared/image/band_fragments.cuh"
#include "kernels/strategies/shared/image/separable_bytes.h"
#include "kernels/text/number_text.h"

namespace convoscope::CONVOSCOPE_TARGET::separable_int8 {
namespace {

constexpr int warps = 4;            // of a block
constexpr int resident_blocks = 3;  // of a multiprocessor

// A banded matrix as one lane holds it: a byte of each tap, for every chunk the rows g and g + 8.
template <int Chunks>
struct Band {
  unsigned rows[2 * Chunks];
  __device__ void load(const unsigned* from) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 2 * Chunks; ++i) rows[i] = from[i * band_lanes];
  }
};

// sums = band · inputs + start; they may be the same.
template <bool SignedInput, int Chunks>
__device__ inline void multiply(int (&sums)[4], const Band<Chunks>& band, const unsigned (&inputs)[Chunks],
                                const int (&start)[4]) {
  mma_chunks<SignedInput, 2>(sums, band.rows, inputs, start);
  if constexpr (Chunks == 3) mma_chunks<SignedInput, 1>(sums, band.rows + 4, inputs + 2, sums);
}

// The rows above those at hand in shared memory, where each lane keeps its own: in registers they would take the place
// of a third of the warps. Slots: steps of 16 rows.
template <int Tiles, int Slots>
class RowsAbove {
 public:
  static constexpr std::size_t bytes = std::size_t{4} * 3 * Slots * Tiles * band_lanes;  // of a warp

  // At `offset` into the block's shared memory lie those of its first warp.
  __device__ explicit RowsAbove(std::size_t offset)
      : fours_(shared_memory<Four>(offset + threadIdx.y * bytes, all_fours)),
        twos_(shared_memory<Two>(offset + threadIdx.y * bytes + all_fours * sizeof(Four), all_twos)) {}

  __device__ void load(unsigned (&words)[Tiles], int slot, int channel) const {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < fours; ++i) {
      const Four four = fours_[place(slot, channel, fours) + i * band_lanes];
      CONVOSCOPE_UNROLL
      for (int k = 0; k < 4; ++k) words[4 * i + k] = four.words[k];
    }
    if constexpr (twos > 0) {
      const Two two = twos_[place(slot, channel, twos)];
      words[4 * fours] = two.words[0], words[4 * fours + 1] = two.words[1];
    }
  }
  __device__ void store(const unsigned (&words)[Tiles], int slot, int channel) const {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < fours; ++i)
      fours_[place(slot, channel, fours) + i * band_lanes] =
          Four{{words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]}};
    if constexpr (twos > 0) twos_[place(slot, channel, twos)] = Two{{words[4 * fours], words[4 * fours + 1]}};
  }

 private:
  struct alignas(16) Four {
    unsigned words[4];
  };
  struct alignas(8) Two {
    unsigned words[2];
  };
  static constexpr int fours = Tiles / 4, twos = Tiles % 4 / 2;  // of a slot and channel
  static constexpr int all_fours = 3 * Slots * fours * band_lanes, all_twos = 3 * Slots * twos * band_lanes;
  static_assert(4 * fours + 2 * twos == Tiles);

  __device__ static int place(int slot, int channel, int vectors) {
    return (3 * slot + channel) * vectors * band_lanes + static_cast<int>(threadIdx.x);
  }

  Shared<Four> fours_;
  Shared<Two> twos_;
};

__device__ inline int above(int high, int low) {
  return static_cast<int>(static_cast<unsigned>(high) * 256u + static_cast<unsigned>(low));
}

// What products begin with. From memory: where the compiler sees that all four are one number, it makes four copies
// for each product.
__device__ inline void load_start(int (&start)[4], const unsigned* from) {
  unsigned words[4];
  load_vector<4>(from, words);
  CONVOSCOPE_UNROLL
  for (int i = 0; i < 4; ++i) start[i] = static_cast<int>(words[i]);
}

// bands: high and low bytes of the column taps, then of the row taps; then four times the centre, four times the
// offset.
template <int ChunksY, int ChunksX>
__global__ void __launch_bounds__(warps* band_lanes, resident_blocks)
    filter_separable_bytes(ImageView<const unsigned> in, ImageView<unsigned> out, const unsigned* bands,
                           EvenStrips strips, Border border, bool in_aligned, bool out_aligned, int shift) {
  let_next_kernel_begin();
  constexpr bool ahead = ChunksY + ChunksX == 4;  // registers are left for the next rows while these are multiplied
  constexpr int column_chunks = band_runs + ChunksX - 1, tiles = 2 * column_chunks, own_tiles = 2 * band_runs;
  const int lane = threadIdx.x;
  const BlockPlace place = edges_first();
  const int left = (place.x * warps + static_cast<int>(threadIdx.y)) * band_columns;
  const auto [top, rows] = strips.at(place.y, out.height, band_step);
  const StripPixels<column_chunks, warps> strip(in, left, left - band_reach(ChunksX), border, in_aligned);
  if (left >= out.width) return;

  // A tap of 16 bits is two signed bytes, so that each pass multiplies by two matrices.
  Band<ChunksY> down[2];
  Band<ChunksX> along[2];
  CONVOSCOPE_UNROLL
  for (int byte = 0; byte < 2; ++byte) {
    down[byte].load(bands + byte * 2 * ChunksY * band_lanes + lane);
    along[byte].load(bands + (2 * ChunksY + byte * ChunksX) * 2 * band_lanes + lane);
  }
  int centre[4], offset[4];
  load_start(centre, bands + 4 * (ChunksY + ChunksX) * band_lanes);
  load_start(offset, bands + 4 * (ChunksY + ChunksX) * band_lanes + 4);
  CONVOSCOPE_UNROLL
  for (int step = 0; step < 3; ++step) strip.prefetch_rows(top - band_reach(ChunksY) + step * band_step);
  wait_until_kernel_before_is_done();

  const int zero[4] = {};
  const RowsAbove<tiles, ChunksY - 1> above_rows(StripPixels<column_chunks, warps>::table_bytes);
  unsigned alpha[own_tiles][2] = {};  // of the outputs, in the chunks that hold their rows
  const int chunks = ChunksY - 1 + (rows + band_step - 1) / band_step;
  unsigned pixels[tiles][4];
  if (ahead) strip.load(pixels, top - band_reach(ChunksY));
  CONVOSCOPE_KEEP_LOOP
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const int first_row = top - band_reach(ChunksY) + chunk * band_step;
    if (!ahead) strip.load(pixels, first_row);
    // Four rows of a column in a word for each channel: what B of a byte product is made of.
    unsigned colour[3][tiles], alphas[tiles];
    CONVOSCOPE_UNROLL
    for (int tile = 0; tile < tiles; ++tile) {
      unsigned channel[4];
      transpose_bytes(pixels[tile], channel);
      CONVOSCOPE_UNROLL
      for (int c = 0; c < 3; ++c) colour[c][tile] = channel[c];
      alphas[tile] = channel[3];
    }
    CONVOSCOPE_UNROLL
    for (int own = 0; own < own_tiles; ++own) {
      alpha[own][0] = alpha[own][1];
      alpha[own][1] = ChunksX == 3 || lane < band_lanes / 2 ? alphas[own + 2] : alphas[own];
    }
    if (chunk + 1 < chunks) {
      if (ahead) strip.load(pixels, first_row + band_step);
      strip.prefetch_rows(first_row + (ahead ? 2 : 1) * band_step);
    }
    // The first rows are only kept: they are the halo above the strip.
    const int oldest = chunk % (ChunksY - 1);  // its slot, which these rows take over
    if (chunk < ChunksY - 1) {
      CONVOSCOPE_UNROLL
      for (int c = 0; c < 3; ++c) above_rows.store(colour[c], oldest, c);
      continue;
    }

    // Channels come in descending order, so that two pixels' bytes are put together as they become known.
    unsigned packed[band_runs][2][2];  // of two pixels: the bytes of green, then of blue
    unsigned words[band_runs][2][4];   // see store_strip()
    CONVOSCOPE_UNROLL
    for (int c = 2; c >= 0; --c) {
      unsigned older[ChunksY - 1][tiles];
      CONVOSCOPE_UNROLL
      for (int k = 0; k + 1 < ChunksY; ++k) above_rows.load(older[k], (oldest + k) % (ChunksY - 1), c);
      above_rows.store(colour[c], oldest, c);
      // The sums down the columns, cut to 16 bits, by bytes and as the second product wants them: [eight rows][chunk].
      unsigned high[2][tiles / 2], low[2][tiles / 2];
      CONVOSCOPE_UNROLL
      for (int pair = 0; pair < tiles / 2; ++pair) {
        unsigned sums[2][4];
        CONVOSCOPE_UNROLL
        for (int k = 0; k < 2; ++k) {
          unsigned inputs[ChunksY];
          CONVOSCOPE_UNROLL
          for (int i = 0; i + 1 < ChunksY; ++i) inputs[i] = older[i][2 * pair + k];
          inputs[ChunksY - 1] = colour[c][2 * pair + k];
          int highs[4], lows[4];
          multiply<false>(highs, down[0], inputs, zero);
          multiply<false>(lows, down[1], inputs, centre);
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
      for (int m = 0; m < band_runs; ++m) CONVOSCOPE_UNROLL
      for (int n = 0; n < 2; ++n) {
        unsigned highs[ChunksX], lows[ChunksX];
        CONVOSCOPE_UNROLL
        for (int k = 0; k < ChunksX; ++k) highs[k] = high[n][m + k], lows[k] = low[n][m + k];
        int upper[4], lower[4];
        multiply<true>(upper, along[0], highs, zero);
        multiply<false>(lower, along[0], lows, offset);
        multiply<true>(lower, along[1], highs, lower);
        CONVOSCOPE_UNROLL
        for (int pair = 0; pair < 2; ++pair) {
          const int first = above(upper[2 * pair], lower[2 * pair]) >> shift;
          const int second = above(upper[2 * pair + 1], lower[2 * pair + 1]) >> shift;
          unsigned& rest = packed[m][n][pair];
          if (c > 0) {
            rest = pack_bytes(second, first, c == 2 ? 0 : rest);
          } else {
            const unsigned four = ChunksY == 2 ? alpha[2 * m + pair][n] : alpha[2 * m + pair][0];
            const bool upper_half = ChunksY == 2 ? n == 0 : n == 1;
            const unsigned reds = pack_bytes(second, first, upper_half ? four >> 16 : four);  // then of alpha
            words[m][n][2 * pair] = __byte_perm(reds, rest, 0x2640);
            words[m][n][2 * pair + 1] = __byte_perm(reds, rest, 0x3751);
          }
        }
      }
    }

    store_strip<ChunksX>(out, left, top + (chunk - (ChunksY - 1)) * band_step, out_aligned, words);
  }
}

EvenStrips strips(const Problem& p, const Tuned& tuning, int multiprocessors) {
  return band_strips(p, tuning["strip_rows"], warps, multiprocessors * resident_blocks, LongerStrips::spread);
}

struct SeparableInt8 : OneKernel<GlobalFilter<unsigned>> {
  EvenStrips strips;
  int shift = 0;
  double cost = 0;

  static constexpr const char* name = "filter_separable_bytes";
  static constexpr bool begins_early = true;
  void take_filter() {
    const SeparableBytes bytes = separable_bytes(problem.filter);
    shift = bytes.shift;
    cost = bytes.cost;
    std::vector<unsigned> bands;
    append_band(bands, bytes.column, false);
    append_band(bands, bytes.row, true);
    for (const int start : {bytes.centre, bytes.offset}) bands.insert(bands.end(), 4, static_cast<unsigned>(start));
    memory.set(std::move(bands));
  }
  template <class F>
  void with_kernel(F&& f) const {
    with_band_chunks(problem.filter, [&]<int ChunksY, int ChunksX>() { f(filter_separable_bytes<ChunksY, ChunksX>); });
  }
  auto arguments(const Image& in, const Image& out) const {
    return std::tuple(memory.data(), strips, problem.border, rows_aligned(in, 2), rows_aligned(out, 2), shift);
  }
  std::string note() const {
    return "taps and the intermediate in 16 bits, which costs at most " + rounded_text(cost, 2) + " code values";
  }
};

std::size_t shared_bytes(const Filter& filter) {
  std::size_t bytes = 0;
  with_band_chunks(filter, [&]<int ChunksY, int ChunksX>() {
    constexpr int chunks = band_runs + ChunksX - 1;
    bytes = StripPixels<chunks, warps>::table_bytes + warps * RowsAbove<2 * chunks, ChunksY - 1>::bytes;
  });
  return bytes;
}

}  // namespace

extern const Strategy strategy{
    .id = "separable-int8",
    .title = "Separable on tensor cores, integers",
    .idea =
        "Two banded (Toeplitz) matrices, one for each pass, multiply the pixels' own bytes on the integer tensor "
        "cores. The sums of the first pass, cut to 16 bits, are where the second needs them: the intermediate stays in "
        "registers.",
    .reading = "PTX ISA, mma.m16n8k32; Dao et al., FlashAttention, 2022 (products that hand over in registers)",
    .backend = target_backend,
    .tunables = band_tunables,
    .tolerance = [](const Problem& p) { return separable_bytes(p.filter).cost; },
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (p.format != PixelFormat::rgba8)
        return "the matrices take 8-bit pixels, rgba8; this image is " + std::string(to_string(p.format));
      if (p.filter.is_magnitude() || p.filter.absolute)
        return "its sums stay integers to the end, which leaves no room for edge magnitudes and absolute values";
      if (std::string reason = band_reason(p, device, t["strip_rows"]); !reason.empty()) return reason;
      return separable_bytes(p.filter).trouble;
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      const EvenStrips all = strips(p, t, device.multiprocessors);
      return one_kernel_plan<SeparableInt8>(
          p, {band_grid(p, warps, all), dim3(band_lanes, warps), shared_bytes(p.filter)}, all);
    },
    // Two bytes of taps down the columns, and two by two along the rows. A lane keeps a word of each colour for every
    // column of a tile's rows above: bands of C chunks, C − 1 of them in shared memory.
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const int chunks_y = band_chunks(p.filter.ry()), tiles = 2 * (band_runs + band_chunks(p.filter.rx()) - 1);
      const double shared_loads = 3.0 * (chunks_y - 1) * tiles * band_lanes / (band_step * band_columns);
      return band_cost(p, strips(p, t, typical_multiprocessors), 2, 4, band_overlap(band_chunks(p.filter.rx())),
                       shared_loads);
    },
    .explains =
        [](const Problem& p, const Device& device, const Tuned& t, const OutputIndex& at) {
          const EvenStrips all = strips(p, t, device.multiprocessors);
          KernelStep step = explain_bands(SeparableInt8::name, p, warps, all, at.x, at.y);
          step.words =
              "Each warp walks down 32 columns, 16 rows at a time. A banded matrix of the column taps multiplies "
              "columns of pixels; its sums, cut to 16 bits, stay in registers and are multiplied by one of the row "
              "taps. The rows above wait in shared memory, where each thread keeps its own.";
          number_edges_first(step, band_grid(p, warps, all));
          return Explanation{.steps = {std::move(step)},
                             .words = "The weights are a column times a row, both rounded to 16-bit integers."};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::separable_int8
