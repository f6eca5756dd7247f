// Filtering on the integer tensor cores: a column of the filter is a banded (Toeplitz) matrix over the rows of the
// image. Up to 9 rows, both bytes of the weights stand above each other in one matrix of 8 output rows, and two filter
// columns side by side; higher filters take a product for each byte.
// Traffic: (W + 2rx)/W · (H + 2ry)/H loads per output for strips of W × H, one store.
// Limits: rgba8 only; ry ≤ 16; weights that 16 bits do not hold well enough take two rounds of them.
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/capability.h"
#include "kernels/device/one_kernel.cuh"
#include "kernels/device/parts/bytes.cuh"
#include "kernels/strategies/shared/image/byte_products.cuh"
#include "kernels/strategies/shared/image/byte_ring_areas.cuh"
#include "kernels/text/number_text.h"

namespace convoscope::CONVOSCOPE_TARGET::tensor_core_int8 {
namespace {

// Plain: one set of weights that fits in 16 bits, no absolute value. All of it is integers.
// Else a set is multiplied in one or two rounds of 16 bits each, which add up in float; an edge magnitude has two sets.
struct Finish {
  int shift, offset;  // plain: output = (sum + offset) >> shift
  float scale[2][2];  // of each set and round
  float gain, bias;   // in units of 255 code values, so that clamping is saturation
  int absolute, sets, rounds;
};

// The 8 pixels of a tile that a lane finishes: [row 8n + g][column 2t + i]. They begin as alpha; channels come in
// descending order.
using TilePixels = unsigned[4][2];

template <int Chunks>
__device__ inline void finish_plain(TilePixels& pixels, int (&green)[4][2], const TileSums& sums, int channel,
                                    int shift) {
  CONVOSCOPE_UNROLL
  for (int k = 0; k < 8; ++k) {
    const int value = combined<Chunks>(sums, k / 4, k / 2 % 2, k % 2) >> shift;
    unsigned& pixel = pixels[k / 2][k % 2];
    if (channel == 2) pixel = pack_bytes(static_cast<int>(pixel), value, 0);
    if (channel == 1) green[k / 2][k % 2] = value;
    if (channel == 0) pixel = pack_bytes(green[k / 2][k % 2], value, pixel);
  }
}

__device__ inline unsigned put_byte(unsigned pixel, unsigned value, int channel) {
  return __byte_perm(pixel, value, channel == 2 ? 0x0400 : channel == 1 ? 0x3240 : 0x3214);
}

// The rounds of each set add up in float; the sets are the two sides of a right angle. multiplied(sums, i) makes the
// sums of round i.
template <int Chunks, class Multiplied>
__device__ inline void finish_sets(TilePixels& pixels, int channel, const Finish& finish, Multiplied multiplied) {
  float squares[8] = {}, total[8] = {};
  CONVOSCOPE_KEEP_LOOP
  for (int set = 0; set < finish.sets; ++set) {
    CONVOSCOPE_UNROLL
    for (int k = 0; k < 8; ++k) total[k] = 0;
    CONVOSCOPE_KEEP_LOOP
    for (int round = 0; round < finish.rounds; ++round) {
      TileSums sums[1][1];
      multiplied(sums, set * finish.rounds + round);
      CONVOSCOPE_UNROLL
      for (int k = 0; k < 8; ++k)
        total[k] = fmaf(static_cast<float>(combined<Chunks>(sums[0][0], k / 4, k / 2 % 2, k % 2)),
                        finish.scale[set][round], total[k]);
    }
    CONVOSCOPE_UNROLL
    for (int k = 0; k < 8; ++k) squares[k] = fmaf(total[k], total[k], squares[k]);
  }
  CONVOSCOPE_UNROLL
  for (int k = 0; k < 8; ++k) {
    const float value = fmaf(finish.sets == 1 ? total[k] : sqrtf(squares[k]), finish.gain, finish.bias);
    const unsigned code = code_value(finish.absolute ? fabsf(value) : value);
    pixels[k / 2][k % 2] = put_byte(pixels[k / 2][k % 2], code, channel);
  }
}

constexpr int max_threads = 128;
constexpr int warp_tiles = 2;  // a warp makes 16 columns and a slot's 32 rows

// Blocks that share a multiprocessor's registers: filters higher than 9 rows keep the sums of two tiles and all
// channels at once, half of a thread's.
CONVOSCOPE_HOST_DEVICE constexpr int resident_blocks(int chunks) { return chunks == 1 ? 4 : 3; }

// Block: 2 · strip_width threads, for strip_width × strip_rows outputs. Taps: the filter's width, 0 when known at run
// time only.
template <int Chunks, int Taps, bool Plain>
__global__ void __launch_bounds__(max_threads, resident_blocks(Chunks))
    filter_bytes(ImageView<const unsigned> in, ImageView<unsigned> out, const ByteFragment* fragments, int rx, int ry,
                 int strip_rows, bool store_pairs, Border border, Finish finish) {
  wait_for_kernel_before();
  // Weights of narrow filters stay in registers, those of others in shared memory where there is room.
  constexpr bool in_registers = Taps > 0, in_shared = Plain && !in_registers && Chunks < 3;
  constexpr bool ahead = Plain && Chunks == 1;  // registers are left for rows on their way
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
  const ByteRing image(in, border, ring, left - rx, top - ry, rows + 2 * ry, strip_width, columns, t);

  ByteFragment weights[kept];
  if constexpr (in_registers) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < kept; ++i) weights[i] = fragments[i * lanes + lane];
  }
  if constexpr (in_shared)
    for (int i = t; i < shared_fragments; i += blockDim.x) shared_weights[i] = fragments[i];
  const auto weight = [&](int i) {
    if constexpr (in_registers)
      return weights[i];
    else if constexpr (in_shared)
      return shared_weights[i * lanes + lane];
    else
      return fragments[i * lanes + lane];
  };

  const int x = t / lanes * tile_columns * warp_tiles, column = x + lane % 4 * 2;  // the warp's first, the lane's
  const bool whole_pairs = store_pairs && left + strip_width <= out.width;
  unsigned* to = pixel_at(out, left + column, top + g);
  const auto row_of = [&](unsigned* first, int row) {
    return reinterpret_cast<unsigned*>(reinterpret_cast<char*>(first) + row * out.pitch);
  };
  int alpha[4];  // byte of the output's alpha in its slot; rows 32 and up are in the slot below
  CONVOSCOPE_UNROLL
  for (int n = 0; n < 4; ++n) {
    const int below = 8 * n + g + ry;
    alpha[n] =
        (3 * image.channel_step() + below / chunk_rows % 2 * columns + column + rx) * chunk_rows + below % chunk_rows;
  }

  // Each slot is stored, then the 32 outputs above it are made while the next slot's rows are on their way.
  const int steps = (rows + slot_rows - 1) / slot_rows;
  LoadedRows next;
  if constexpr (ahead) image.load(next, 0);
  for (int slot = 0; slot <= steps; ++slot) {
    if constexpr (ahead) {
      image.store(next, slot);
    } else {
      LoadedRows now;
      image.load(now, slot);
      image.store(now, slot);
    }
    __syncthreads();
    if constexpr (ahead)
      if (slot < steps) image.load(next, slot + 1);  // under way while the products are made
    if (slot == 0) continue;

    const int upper = image.place(slot - 1), lower = image.place(slot), above = (slot - 1) * slot_rows;
    const auto load_alpha = [&](TilePixels& pixels, int tile) {
      CONVOSCOPE_UNROLL
      for (int n = 0; n < 4; ++n) {
        const int base = (8 * n + g + ry < slot_rows ? upper : lower) * chunk_rows + tile * tile_columns * chunk_rows;
        CONVOSCOPE_UNROLL
        for (int i = 0; i < 2; ++i) pixels[n][i] = bytes[base + alpha[n] + i * chunk_rows];
      }
    };
    const auto store_tile = [&](const TilePixels& pixels, int tile) {
      unsigned* const first = to + tile * tile_columns;
      if (whole_pairs && above + slot_rows <= rows) {
        CONVOSCOPE_UNROLL
        for (int n = 0; n < 4; ++n)
          *reinterpret_cast<uint2*>(row_of(first, 8 * n)) = make_uint2(pixels[n][0], pixels[n][1]);
        return;
      }
      CONVOSCOPE_UNROLL
      for (int n = 0; n < 4; ++n) CONVOSCOPE_UNROLL
      for (int i = 0; i < 2; ++i)
        if (above + 8 * n + g < rows && left + column + tile * tile_columns + i < out.width)
          row_of(first, 8 * n)[i] = pixels[n][i];
    };

    // A warp makes 32 rows of two tiles of eight columns. Up to 9 rows each tile and channel by itself, since then few
    // sums leave registers for the next rows; else all at once, so that weights are loaded once for them.
    const MatrixPlaces places = matrix_places<Chunks>(upper, lower, x, columns);
    int green[4][2];
    if constexpr (Plain && Chunks > 1) {
      TileSums sums[warp_tiles][3];
      multiply<Chunks, Taps>(sums, finish.offset, ring, places, image.channel_step(), pairs, weight);
      CONVOSCOPE_UNROLL
      for (int tile = 0; tile < warp_tiles; ++tile) {
        TilePixels pixels;
        load_alpha(pixels, tile);
        CONVOSCOPE_UNROLL
        for (int c = 2; c >= 0; --c) finish_plain<Chunks>(pixels, green, sums[tile][c], c, finish.shift);
        store_tile(pixels, tile);
      }
    } else {
      CONVOSCOPE_KEEP_LOOP
      for (int tile = 0; tile < warp_tiles; ++tile) {
        TilePixels pixels;
        load_alpha(pixels, tile);
        CONVOSCOPE_UNROLL
        for (int c = 2; c >= 0; --c) {
          const int offset = tile * tile_columns + c * image.channel_step();
          const MatrixPlaces here{places.first + offset, places.second + offset};
          if constexpr (Plain) {
            TileSums sums[1][1];
            multiply<Chunks, Taps>(sums, finish.offset, ring, here, 0, pairs, weight);
            finish_plain<Chunks>(pixels, green, sums[0][0], c, finish.shift);
          } else {
            finish_sets<Chunks>(pixels, c, finish, [&](TileSums(&sums)[1][1], int set) {
              multiply<Chunks, Taps>(sums, 0, ring, here, 0, pairs, [&](int i) { return weight(set * count + i); });
            });
          }
        }
        store_tile(pixels, tile);
      }
    }
    to = row_of(to, slot_rows);
  }
}

constexpr int max_ry = 16;

// Chunks of 16 rows that a column of the filter needs above 16 outputs' first rows: one, when they are eight.
int chunks_of(const Filter& filter) { return filter.ry() <= 4 ? 1 : filter.ry() <= 8 ? 2 : 3; }

constexpr int strip_widths[] = {32, 64};
constexpr int strip_heights[] = {0, 64, 128, 192, 288, 544};
constexpr Tunable tunables[] = {
    {"strip_width", "Strip width",
     "Columns of a block's strip, half as many as its threads: wide strips repeat fewer of the 2r columns beside them",
     strip_widths, 64},
    {"strip_rows", "Strip height",
     "Rows of a block's strip: tall strips repeat fewer of the 2r rows above and below, short ones make more blocks. "
     "0: chosen by the sizes of the image and the filter",
     strip_heights, 0},
};
static_assert(2 * strip_widths[1] <= max_threads);

struct Shape {
  dim3 grid, block;
  int chunks, strip_width, strip_rows;
  std::size_t shared, shared_with_weights;
};

Shape shape(const Problem& p, const Tuned& tuning) {
  Shape s;
  s.chunks = chunks_of(p.filter);
  s.strip_width = tuning["strip_width"];
  s.strip_rows = tuning["strip_rows"];
  if (s.strip_rows <= 0) s.strip_rows = outputs(p) < 4e6 ? 64 : s.chunks == 1 ? 128 : 192;  // as was fastest
  s.block = dim3(2 * s.strip_width);
  s.grid = dim3(ceil_div(p.width, s.strip_width), ceil_div(p.height, s.strip_rows));
  s.shared = ByteRing::elements(s.strip_width + 2 * p.filter.rx()) * sizeof(ByteColumn);
  s.shared_with_weights =
      s.shared + fragments_of(column_pairs(p.filter.width), s.chunks) * lanes * sizeof(ByteFragment);
  return s;
}

struct OnBytes : OneKernel<GlobalFilter<ByteFragment>> {
  Shape strips;
  ByteFilter filter = {};
  Finish finish = {};

  static constexpr const char* name = "filter_bytes";
  static constexpr bool begins_early = true;
  void allow_every_kernel() {
    memory.make_room(4 * static_cast<std::size_t>(fragments_of(column_pairs(problem.filter.width), strips.chunks)) *
                     lanes);  // for two sets in two rounds
    for (const bool plain : {false, true}) {
      filter.plain = plain;
      with_kernel([&](auto kernel) { allow_shared(kernel, shared_bytes()); });
    }
  }
  void take_filter() {
    filter = byte_filter(problem.filter);
    shape.shared_bytes = shared_bytes();
    finish = {.shift = filter.fixed.shift,
              .offset = filter.fixed.offset,
              .gain = static_cast<float>(static_cast<double>(problem.filter.gain) / 255),
              .bias = problem.filter.bias,
              .absolute = problem.filter.absolute ? 1 : 0,
              .sets = static_cast<int>(filter.sets.size()),
              .rounds = filter.rounds};
    for (int s = 0; s < finish.sets; ++s) {
      finish.scale[s][0] = static_cast<float>(filter.sets[s].first.scale);
      if (finish.rounds == 2) finish.scale[s][1] = static_cast<float>(filter.sets[s].second.scale);
    }
    memory.set(all_fragments(filter, problem.filter.width, problem.filter.height, strips.chunks));
  }
  // Of the plain kernels for one chunk there are those of the usual widths, whose weights stay in registers.
  bool fixed_width() const {
    const int width = problem.filter.width;
    return filter.plain && strips.chunks == 1 && (width == 3 || width == 5 || width == 7 || width == 9);
  }
  std::size_t shared_bytes() const {
    return filter.plain && !fixed_width() && strips.chunks < 3 ? strips.shared_with_weights : strips.shared;
  }
  template <class F>
  void with_kernel(F&& f) const {
    const int taps = fixed_width() ? problem.filter.width : 0;
    with_number<1, 2, 3>(strips.chunks, [&]<int Chunks>() {
      if (!filter.plain)
        f(filter_bytes<Chunks, 0, false>);
      else if constexpr (Chunks == 1)
        with_number<3, 5, 7, 9, 0>(taps, [&]<int Taps>() { f(filter_bytes<1, Taps, true>); });
      else
        f(filter_bytes<Chunks, 0, true>);
    });
  }
  auto arguments(const Image&, const Image& out) const {
    const bool store_pairs = (reinterpret_cast<std::uintptr_t>(out.data) | out.pitch) % sizeof(uint2) == 0;
    return std::tuple(memory.data(), problem.filter.rx(), problem.filter.ry(), strips.strip_rows, store_pairs,
                      problem.border, finish);
  }
  std::string note() const {
    return std::string(filter.plain         ? "weights in 16 bits, all in integers"
                       : filter.rounds == 1 ? "weights in 16 bits"
                                            : "weights in twice 16 bits") +
           ", which costs at most " + rounded_text(filter.cost, 2) + " code values";
  }
};

}  // namespace

extern const Strategy strategy{
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
    .tolerance = [](const Problem& p) -> double {
      const ByteFilter filter = byte_filter(p.filter);
      if (filter.plain) return filter.cost;  // the sums are exact
      // Each round's exact sum and its scale become float and are added; two more for the way through 0 … 1.
      return float32_sum_bound(p, 8) + filter.cost + 255 * 0x1p-23;
    },
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (p.format != PixelFormat::rgba8)
        return "the matrices take 8-bit pixels, rgba8; this image is " + std::string(to_string(p.format));
      if (p.filter.ry() > max_ry)
        return "48 rows of input are multiplied for 16 of output, which allows a vertical radius of " +
               std::to_string(max_ry) + "; this filter's is " + std::to_string(p.filter.ry());
      if (device.compute_capability < 75)
        return "integer matrix instructions need compute capability 7.5; " + capability_at_hand(device);
      return shared_memory_reason(shape(p, t).shared_with_weights, device);
    },
    .plans = [](const Problem& p, const Device&, const Tuned& t) -> std::unique_ptr<Plan> {
      const Shape s = shape(p, t);
      return one_kernel_plan<OnBytes>(p, {s.grid, s.block}, s);
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const Shape s = shape(p, t);
      const ByteFilter filter = byte_filter(p.filter);
      const double rounds = filter.plain ? 1.0 : static_cast<double>(filter.sets.size()) * filter.rounds;
      const double pairs = column_pairs(p.filter.width) * rounds * channels(p.format);
      const double repeated = 1 + 2.0 * p.filter.ry() / s.strip_rows;
      // For each 16 × 8 outputs and two filter columns: 2 · chunks mma of 16 · 8 · 32 multiply-adds, zeros included;
      // B comes once for 32 × 8 outputs, in 6 or 8 registers of a warp.
      return {
          .flop = 2 * 2 * s.chunks * 32 * pairs * outputs(p),
          .global_loads_per_output = static_cast<double>(s.strip_width + 2 * p.filter.rx()) / s.strip_width * repeated,
          .global_stores_per_output = 1,
          .shared_loads_per_output = pairs * (s.chunks == 3 ? 8 : 6) * lanes / (slot_rows * tile_columns),
          .dram_bytes = 2 * frame_bytes(p),
          .on_matrix_units = true};
    },
    .explains =
        [](const Problem& p, const Device&, const Tuned& t, const OutputIndex& at) {
          const Shape s = shape(p, t);
          const ByteFilter filter = byte_filter(p.filter);
          KernelStep step = one_thread_per_output(OnBytes::name, s.strip_width, s.strip_rows, at.x, at.y);
          const PixelArea strip = step.outputs[0];
          const int warp_columns = warp_tiles * tile_columns, warp = (at.x - strip.x) / warp_columns;
          const int row = (at.y - strip.y) % 8, pair = (at.x - strip.x) % tile_columns / 2;
          step.thread = {warp * lanes + 4 * row + pair, 0, 0};
          step.block_size = {2 * s.strip_width, 1, 1};
          step.thread_outputs.clear();
          for (int below = row; below < s.strip_rows; below += 8)
            for (int tile = 0; tile < warp_tiles; ++tile)
              step.thread_outputs.push_back(
                  {strip.x + warp * warp_columns + tile * tile_columns + 2 * pair, strip.y + below, 2, 1});
          step.tile_in_turns = true;
          step.tile = areas_in_ring(p, strip.x, strip.y, s.strip_width, s.strip_rows);
          step.words =
              "The block walks down its strip, 32 rows at a time, which lie in shared memory one channel after the "
              "other. Each warp makes 16 columns of outputs: for every two columns of the filter a matrix of their "
              "weights is multiplied by columns of pixels. The thread that is named here holds this output's sums.";
          return Explanation{
              .steps = {std::move(step)},
              .words = std::string("Weights are rounded to ") + (filter.rounds == 1 ? "" : "twice ") +
                       "16 bits, each in two signed bytes; the sums of products are exact" +
                       (filter.plain ? ", and scaled by a shift." : ", and scaled as floating-point numbers.")};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::tensor_core_int8
