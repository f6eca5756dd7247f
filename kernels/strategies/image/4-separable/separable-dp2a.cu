// separable-stream with a row pass of two multiply-adds an instruction, from bytes to the mantissas of floats.
// Traffic: (1 + 2r/4)(1 + 2r/H) loads per output for strips of H rows; L1 serves all but the first of each pixel.
// Limits: rgba8; rank 1; radius 2, whose sums fit in a thread's registers.
#include "kernels/strategies/shared/image/pair_plan.cuh"
#include "kernels/strategies/shared/image/pair_weights.h"

namespace convoscope::CONVOSCOPE_TARGET::separable_dp2a {
namespace {

// A row's taps, for outputs in even columns and in odd ones, radius + 1 pairs each; then a column's, as floats.
constexpr int row_words(int radius) { return 2 * (radius + 1); }
__constant__ unsigned taps[row_words(largest_pair_radius) + 2 * largest_pair_radius + 1];
ConstantOwner taps_owner;

// Rows on their way while one is computed; blocks of a multiprocessor that registers are left for: measured.
constexpr int rows_ahead(int radius) { return radius == 1 ? 3 : 4; }
constexpr int blocks_for(int radius) { return radius == 1 ? 5 : 3; }

template <int Radius>
__global__ void __launch_bounds__(StripLayout::warps* StripLayout::lanes, blocks_for(Radius))
    filter_separable_dp2a(ImageView<const Rgba8> in, ImageView<Rgba8> out, int strip_rows, Border border, float start,
                          int in_aligned, int out_aligned) {
  using Window = typename BytePairs<Radius>::Window;
  using Stream = RowStream<Window, Rgba8, pair_columns>;
  constexpr int size = 2 * Radius + 1, ahead = rows_ahead(Radius);
  constexpr int base = 0x4B400000;  // of the float 1.5 · 2^23: see SeparablePairs
  static_assert(SeparablePairs::base == 12582912.0f && SeparablePairs::of_sums + SeparablePairs::of_byte == -149);
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
    float sums[size][3][pair_columns] = {};  // all indices are known when this is compiled: they stay in registers
    unsigned alphas[Radius + 1] = {};        // of the last rows: the oldest is that of the row that is complete
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
        // The pass along the row: an integer, which is the mantissa of a float, so that nothing is converted. Then the
        // one down the columns: slot j holds the sums of the output row that is j rows above complete, for which this
        // row has the tap size − 1 − j.
        CONVOSCOPE_UNROLL
        for (int i = 0; i < pair_columns; ++i) CONVOSCOPE_UNROLL
        for (int c = 0; c < 3; ++c) {
          const float sum = __int_as_float(row.row_sum(
              c, i, [](int odd, int pair) { return taps[odd * (Radius + 1) + pair]; }, base));
          CONVOSCOPE_UNROLL
          for (int j = 0; j < size; ++j)
            sums[j][c][i] = fmaf(__uint_as_float(taps[row_words(Radius) + size - 1 - j]), sum,
                                 j + 1 < size ? sums[(j + 1) % size][c][i] : start);
        }
        // A product as small as this is rounded to a multiple of the smallest float, and its bits are how many: the
        // code value, and of negative floats negative.
        // The first 2r rows complete nothing: they are the halo above the strip.
        if (const int y = first + k; y >= 0 && y < outputs) {
          store_integers<decltype(whole)::value>(
              to, x0, out.width, out_aligned, [&](int c, int i) { return __float_as_int(sums[0][c][i] * 0x1p-109f); },
              alphas[0]);
          to = next_row(out, to);
        }
      }
    }
  });
}

constexpr int strip_heights[] = {0, 4, 8, 12, 16, 24, 32, 48, 64, 96};
constexpr Tunable tunables[] = {
    {"strip_rows", "Strip height",
     "Rows that a thread walks down. 0: as many as make one or two turns of the blocks that the device holds",
     strip_heights, 0},
};

struct OfSeparable {
  static constexpr const char *name = "filter_separable_dp2a", *rounded = "a row's taps";
  template <class F>
  static void with_kernel(int radius, F&& f) {
    with_number<1, 2>(radius, [&]<int Radius>() { f(filter_separable_dp2a<Radius>); });
  }
  static PairFilter<float> filter(const Filter& filter, int radius) {
    const SeparablePairs pairs = separable_pairs(filter);
    return {separable_pair_taps(pairs, filter, radius), {pairs.start}, pairs.cost};
  }
  static void upload(const ConstantWeights& all, Stream stream) { all.upload(taps, taps_owner, stream); }
};

// Two turns, at radius 2 with a twentieth of the last one left; but one where strips would be lower than is worth what
// they repeat at their ends.
StripLayout strips(const Problem& p, const Device& device, const Tuned& tuning) {
  constexpr int low = 12;
  StripLayout layout;
  const int radius = pair_radius(p.filter);
  OfSeparable::with_kernel(radius, [&](auto kernel) {
    for (const double turns : {radius == 1 ? 2 : 1.9, 0.95}) {
      layout = lay_out_strips(p, device, kernel, pair_table_bytes(radius), pair_columns, tuning["strip_rows"], radius,
                              turns);
      if (radius == 1 || layout.rows >= low) break;
    }
  });
  return layout;
}

}  // namespace

extern const Strategy strategy{
    .id = "separable-dp2a",
    .title = "Separable, dot products of bytes",
    .idea =
        "Each thread walks down a strip of four columns. It sums a new row along x two bytes at a time, by an "
        "instruction that multiplies them by two taps of 16 bits. The integer is the mantissa of a float, which goes "
        "at once, times a tap of the column, into the sums of all outputs that the row touches.",
    .reading = "PTX ISA, dp2a; PMPP 4th ed., ch. 7.4 and 8.5 (stencils: register tiling)",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return separable_pairs(p.filter).cost; },
    .refuses = [](const Problem& p, const Device&, const Tuned& t) -> std::string {
      if (std::string why = why_no_pairs(p, t["strip_rows"], ", which separable-int8 takes"); !why.empty()) return why;
      if (p.filter.is_magnitude() || p.filter.absolute)
        return "its outputs are sums of one set of weights; separable-stream takes an absolute value or a magnitude";
      if (std::string reason = separable_reason(p.filter); !reason.empty()) return reason;
      if (std::string trouble = separable_pairs(p.filter).trouble; !trouble.empty())
        return trouble + "; separable-stream takes it";
      return {};
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<PairStreamPlan<OfSeparable>>(p, strips(p, device, t));
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      return cost_of_pairs(p, t["strip_rows"], [](double size) { return size + 1 + size; });
    },
    .explains =
        [](const Problem& p, const Device& device, const Tuned& t, const OutputIndex& at) {
          const int taps = 2 * pair_radius(p.filter) + 1;
          const std::string size = std::to_string(taps);
          const bool padded = p.filter.width < taps || p.filter.height < taps;
          return explain_pairs(
              p, strips(p, device, t), OfSeparable::name, at,
              "Each thread walks down its strip, a row at a time. It puts the same channel of two neighbours side by "
              "side, and sums the row along x for its columns two pixels at a time. It adds the result at once, times "
              "a tap of the column, to the sums of the " +
                  size + " output rows that it touches, which wait in registers.",
              "The weights are a column times a row: their product is what is shown. The row's taps are rounded to 16 "
              "bits" +
                  (padded ? "; both are padded with zeros to " + size + " taps." : "."));
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::separable_dp2a
