// register-stream with two multiply-adds an instruction: bytes stay bytes, and weights are integers of 16 bits.
// Traffic: (1 + 2r/4)(1 + 2r/H) loads per output for strips of H rows; DRAM sees the image once.
// Limits: rgba8; radius 2; weights that 16 bits hold; the integer half of the multiply-add units.
#include "kernels/strategies/shared/image/byte_weights.h"
#include "kernels/strategies/shared/image/pair_plan.cuh"
#include "kernels/strategies/shared/image/pair_weights.h"

namespace convoscope::CONVOSCOPE_TARGET::dp2a_stream {
namespace {

// Of each row of the filter, for outputs in even columns and in odd ones, radius + 1 pairs.
constexpr int most_pairs = (2 * largest_pair_radius + 1) * 2 * (largest_pair_radius + 1);
__constant__ unsigned weights[most_pairs];
ConstantOwner weights_owner;

// Rows on their way while one is computed; blocks of a multiprocessor that registers are left for: measured.
constexpr int rows_ahead(int radius) { return radius == 1 ? 3 : 2; }
constexpr int blocks_for(int radius) { return radius == 1 ? 5 : 3; }

// output = (sum + offset) >> shift
template <int Radius>
__global__ void __launch_bounds__(StripLayout::warps* StripLayout::lanes, blocks_for(Radius))
    filter_dp2a_stream(ImageView<const Rgba8> in, ImageView<Rgba8> out, int strip_rows, Border border, int shift,
                       int offset, int in_aligned, int out_aligned) {
  using Window = typename BytePairs<Radius>::Window;
  using Stream = RowStream<Window, Rgba8, pair_columns>;
  // A thread has four neighbouring columns: a row of them is one access of 16 bytes.
  constexpr int size = 2 * Radius + 1, ahead = rows_ahead(Radius);
  // Blocks at the edges, which take longer, come first, so that the last turn is not of them.
  const BlockPlace place = edges_first();
  const int x0 = (place.x * StripLayout::lanes + static_cast<int>(threadIdx.x)) * pair_columns;
  const int top = (place.y * StripLayout::warps + static_cast<int>(threadIdx.y)) * strip_rows;
  const int outputs = min(strip_rows, out.height - top);
  Stream stream(in, shared_memory<int>(0, Stream::table_size(StripLayout::lanes)), x0, top - Radius,
                outputs + 2 * Radius, border, in_aligned, out_aligned);
  if (top >= out.height || x0 >= out.width) return;
  // What follows reads what the kernel before may still be writing; only L2 may be asked for it until then.
  let_next_kernel_begin();
  stream.prefetch_rows(ahead);
  wait_until_kernel_before_is_done();

  stream.with_rows([&](auto load, auto whole) {
    Window windows[ahead];
    int sums[size][3][pair_columns] = {};  // all indices are known when this is compiled: they stay in registers
    unsigned alphas[Radius + 1] = {};      // of the last rows: the oldest is that of the row that is complete
    Rgba8* to = pixel_at(out, x0, top);
    CONVOSCOPE_UNROLL
    for (int k = 0; k < ahead; ++k) load(windows[k]);
    CONVOSCOPE_KEEP_LOOP
    for (int first = -2 * Radius; first < outputs; first += ahead) {
      CONVOSCOPE_UNROLL
      for (int k = 0; k < ahead; ++k) {
        // Two neighbours' bytes of a channel side by side, as the instruction takes them.
        const BytePairs<Radius> row(windows[k]);
        load(windows[k]);  // a later row is under way while this one is computed
        CONVOSCOPE_UNROLL
        for (int i = 0; i < Radius; ++i) alphas[i] = alphas[i + 1];
        alphas[Radius] = row.alphas();
        // Slot j holds the sums of the output row that is j rows above complete, to which this row is row size − 1 − j
        // of the filter. Outputs in odd columns begin in the middle of a pair, so that they have weights of their own.
        CONVOSCOPE_UNROLL
        for (int j = 0; j < size; ++j) CONVOSCOPE_UNROLL
        for (int i = 0; i < pair_columns; ++i) CONVOSCOPE_UNROLL
        for (int c = 0; c < 3; ++c)
          sums[j][c][i] = row.row_sum(
              c, i, [&](int odd, int pair) { return weights[((size - 1 - j) * 2 + odd) * (Radius + 1) + pair]; },
              j + 1 < size ? sums[(j + 1) % size][c][i] : offset);
        // The first 2r rows complete nothing: they are the halo above the strip.
        if (const int y = first + k; y >= 0 && y < outputs) {
          store_integers<decltype(whole)::value>(
              to, x0, out.width, out_aligned, [&](int c, int i) { return sums[0][c][i] >> shift; }, alphas[0]);
          to = next_row(out, to);
        }
      }
    }
  });
}

constexpr int strip_heights[] = {0, 4, 8, 12, 16, 24, 32, 48, 64, 96};
constexpr Tunable tunables[] = {
    {"strip_rows", "Strip height",
     "Rows that a thread walks down. 0: as many as make one or two full turns of the blocks that the device holds",
     strip_heights, 0},
};

struct OfStream {
  static constexpr const char *name = "filter_dp2a_stream", *rounded = "weights";
  template <class F>
  static void with_kernel(int radius, F&& f) {
    with_number<1, 2>(radius, [&]<int Radius>() { f(filter_dp2a_stream<Radius>); });
  }
  static PairFilter<int, int> filter(const Filter& filter, int radius) {
    const ByteFilter bytes = byte_filter(filter);
    return {filter_pairs(filter, bytes.fixed.values, radius), {bytes.fixed.shift, bytes.fixed.offset}, bytes.cost};
  }
  static void upload(const ConstantWeights& all, Stream stream) { all.upload(weights, weights_owner, stream); }
};

StripLayout strips(const Problem& p, const Device& device, const Tuned& tuning) {
  StripLayout layout;
  const int radius = pair_radius(p.filter);
  OfStream::with_kernel(radius, [&](auto kernel) {
    layout = lay_out_strips(p, device, kernel, pair_table_bytes(radius), pair_columns, tuning["strip_rows"], radius,
                            radius == 1 ? 2 : 1);
  });
  return layout;
}

}  // namespace

extern const Strategy strategy{
    .id = "dp2a-stream",
    .title = "Dot products of bytes, streaming",
    .idea =
        "Each thread walks down a strip of four columns, and a row that has been loaded goes at once into the sums of "
        "all outputs that it touches. An instruction multiplies two neighbouring bytes by two weights of 16 bits and "
        "adds both products: nothing is converted, and there are half as many multiply-adds.",
    .reading = "PTX ISA, dp2a; PMPP 4th ed., ch. 8.5 (stencils: register tiling)",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return byte_filter(p.filter).cost; },  // the sums are exact
    .refuses = [](const Problem& p, const Device&, const Tuned& t) -> std::string {
      if (std::string why = why_no_pairs(p, t["strip_rows"], ", which tensor-core-int8 takes"); !why.empty())
        return why;
      if (!byte_filter(p.filter).plain)
        return "one set of weights in 16 bits has to do; register-stream takes what needs finer weights, an absolute "
               "value or a magnitude";
      return {};
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<PairStreamPlan<OfStream>>(p, strips(p, device, t));
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      return cost_of_pairs(p, t["strip_rows"], [](double size) { return size * (size + 1); });
    },
    .explains =
        [](const Problem& p, const Device& device, const Tuned& t, const OutputIndex& at) {
          const int taps = 2 * pair_radius(p.filter) + 1;
          const std::string size = std::to_string(taps);
          return explain_pairs(
              p, strips(p, device, t), OfStream::name, at,
              "Each thread walks down its strip. Of a row that it has read it puts the same channel of two neighbours "
              "side by side. Each such pair, times two weights, goes into the sums of the " +
                  size + " output rows that the row touches, which wait in registers.",
              "Weights are rounded to 16 bits, and padded with zeros to " + size + " × " + std::to_string(taps + 1) +
                  " of them; the sums of products are exact, and scaled by a shift.");
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::dp2a_stream
