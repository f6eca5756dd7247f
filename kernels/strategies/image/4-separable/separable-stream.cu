// Both passes in registers, in threads that walk down strips of a few columns. Up to radius 4 bytes are not converted:
// see shared/image/subnormal_bytes.h. Traffic: (1 + 2r/C)(1 + 2r/H) loads per output for strips of H rows, C columns a
// thread; L1 serves all but the first of each pixel. 2(2r+1) multiply-adds a channel, (1 + 2r/H) times.
// Limits: rank 1 only; C(2r+1) sums a channel must fit in registers, so up to radius 8.
#include "kernels/device/one_kernel.cuh"
#include "kernels/device/parts/block_order.cuh"
#include "kernels/device/parts/row_stream.cuh"
#include "kernels/device/parts/strip_layout.cuh"
#include "kernels/strategies/shared/image/separable_stream_taps.h"

namespace convoscope::CONVOSCOPE_TARGET::separable_stream {
namespace {

__constant__ float taps[max_separable_taps];

constexpr int warps = StripLayout::warps, lanes = StripLayout::lanes;

constexpr int columns_for(int radius, int channels, int sets) {
  const int most_sums = sets == 1 ? 104 : 110;  // in a thread's registers
  for (int columns = 4; columns > 1; columns /= 2)
    if ((2 * radius + 1) * columns * channels * sets <= most_sums) return columns;
  return 1;
}
// A load that depends on nothing is asked for as soon as there are registers for it: too soon where there are few.
constexpr bool asks_at_once(int radius, int sets) { return radius <= 2 || (radius == 4 && sets == 1); }
// Rows on their way while one is computed, and blocks of a multiprocessor that registers are left for: measured.
constexpr int rows_ahead(int radius, int channels, int sets) {
  if (sets > 1) return 1;
  if (channels > 1) return radius == 2 ? 3 : radius == 8 ? 1 : 2;
  return radius == 1 ? 4 : radius == 8 ? 2 : 3;
}
constexpr int blocks_for(int radius, int channels, int sets) {
  if (radius > 2) return sets == 1 && (radius == 4 || channels == 1) ? 4 : 1;
  if (channels == 1) return sets == 1 ? (radius == 1 ? 6 : 5) : (radius == 1 ? 8 : 6);
  return radius == 1 ? 5 : sets == 1 ? 3 : 1;
}

// Bytes are converted where their taps would not leave registers enough.
constexpr bool takes_subnormals(int channels, int radius) { return channels > 1 && radius <= 4; }

// taps: for each set those of a row, scaled ones once for each channel (shared/image/subnormal_bytes.h), and those of a
// column.
template <class Pixel, int Sums, int Radius, int Ahead, int Blocks>
__global__ void __launch_bounds__(warps* lanes, Blocks)
    filter_separable_stream(ImageView<const Pixel> in, ImageView<Pixel> out, int strip_rows, Border border,
                            Epilogue epilogue, int in_aligned, int out_aligned) {
  constexpr int size = 2 * Radius + 1, channels = channels_of<Pixel>;
  constexpr bool subnormal = takes_subnormals(channels, Radius);
  constexpr int set = ((subnormal ? channels : 1) + 1) * size;
  constexpr int columns = columns_for(Radius, channels, Sums);
  using Window = RowWindow<Pixel, Radius, columns>;
  // Blocks at the edges, which take longer, come first, so that the last turn is not of them.
  const BlockPlace place = edges_first();
  const int x0 = (place.x * lanes + static_cast<int>(threadIdx.x)) * columns;
  const int top = (place.y * warps + static_cast<int>(threadIdx.y)) * strip_rows;
  const int steps = min(strip_rows, out.height - top) + 2 * Radius;
  using Stream = RowStream<Window, Pixel, columns>;
  Stream stream(in, shared_memory<int>(0, Stream::table_size(lanes)), x0, top - Radius, steps, border, in_aligned,
                out_aligned);
  if (x0 >= out.width || top >= out.height) return;
  // What follows reads what the kernel before may still be writing; only L2 may be asked for it until then.
  let_next_kernel_begin();
  stream.prefetch_rows(Ahead);
  wait_until_kernel_before_is_done();

  stream.with_rows([&](auto load, auto whole) {
    // All indices are known when this is compiled, so all of it lies in registers.
    Window windows[Ahead];
    float sums[Sums][size][channels][columns] = {};
    AlphaRing<Pixel, Radius, columns> alphas;
    Pixel* to = pixel_at(out, x0, top);
    constexpr bool at_once = asks_at_once(Radius, Sums);
    if (at_once) {
      CONVOSCOPE_UNROLL
      for (int k = 0; k < Ahead; ++k) load(windows[k]);
    }
    CONVOSCOPE_KEEP_LOOP
    for (int first = at_once ? 0 : -Ahead; first < steps; first += Ahead) {
      CONVOSCOPE_UNROLL
      for (int k = 0; k < Ahead; ++k) {
        const int step = first + k;
        // The pass along the row, for this thread's columns. The neighbours' pixels come from L1.
        float row[Sums][channels][columns] = {};
        if (at_once || step >= 0) {
          CONVOSCOPE_UNROLL
          for (int dx = 0; dx < size; ++dx) CONVOSCOPE_UNROLL
          for (int s = 0; s < Sums; ++s) CONVOSCOPE_UNROLL
          for (int c = 0; c < channels; ++c) CONVOSCOPE_UNROLL
          for (int i = 0; i < columns; ++i)
            row[s][c][i] = fmaf(
                taps[s * set + (subnormal ? c : 0) * size + dx],
                subnormal ? windows[k].subnormal_channel(dx - Radius + i, c) : windows[k].channel(dx - Radius + i, c),
                row[s][c][i]);
          alphas.push(windows[k]);
        }
        // The next row is under way while the sums are made.
        if (at_once || step + Ahead < steps) load(windows[k]);
        if (!at_once && step < 0) continue;

        // The pass down the columns. Slot j holds the sums of output row step − 2·Radius + j, for which this row has
        // the tap 2·Radius − j.
        CONVOSCOPE_UNROLL
        for (int j = 0; j < size; ++j) CONVOSCOPE_UNROLL
        for (int s = 0; s < Sums; ++s) CONVOSCOPE_UNROLL
        for (int c = 0; c < channels; ++c) CONVOSCOPE_UNROLL
        for (int i = 0; i < columns; ++i)
          sums[s][j][c][i] =
              fmaf(taps[s * set + set - 1 - j], row[s][c][i], j + 1 < size ? sums[s][(j + 1) % size][c][i] : 0.0f);
        // The first 2r rows complete nothing: they are the halo above the strip.
        if (step >= 2 * Radius && step < steps) {
          store_row<Pixel, Sums, columns, whole>(
              to, x0, out.width, epilogue, out_aligned, [&](int s, int c, int i) { return sums[s][0][c][i]; },
              alphas.oldest());
          to = next_row(out, to);
        }
      }
    }
  });
}

constexpr std::size_t table_bytes(int radius, int columns) {
  return (lanes * columns + 2 * (radius + 3)) * sizeof(int);
}

constexpr int strip_heights[] = {0, 4, 8, 12, 16, 24, 32, 48, 64, 96};
constexpr Tunable tunables[] = {
    {"strip_rows", "Strip height",
     "Rows that a thread walks down. 0: as many as make one to three full turns of the blocks that the device holds",
     strip_heights, 0},
};

constexpr int radii[] = {1, 2, 4, 8};

// The radius that both sides are padded to with zeros; 0: none is large enough.
int built_radius(const Filter& filter) {
  for (const int radius : radii)
    if (std::max(filter.rx(), filter.ry()) <= radius) return radius;
  return 0;
}

// Calls f(kernel, columns of a thread).
template <class F>
void with_kernel_for(const Problem& problem, F&& f) {
  dispatch(problem, [&]<class Pixel, int Sums>() {
    with_number<1, 2, 4, 8>(built_radius(problem.filter), [&]<int Radius>() {
      constexpr int channels = channels_of<Pixel>;
      f(filter_separable_stream<Pixel, Sums, Radius, rows_ahead(Radius, channels, Sums),
                                blocks_for(Radius, channels, Sums)>,
        columns_for(Radius, channels, Sums));
    });
  });
}

StripLayout strips(const Problem& p, const Device& device, const Tuned& tuning) {
  StripLayout layout;
  with_kernel_for(p, [&](auto kernel, int columns) {
    layout = lay_out_strips(p, device, kernel, table_bytes(built_radius(p.filter), columns), columns,
                            tuning["strip_rows"], built_radius(p.filter));
  });
  return layout;
}

struct Streams : OneKernel<ConstantFilter> {
  int rows, columns;  // of a thread
  int radius = built_radius(problem.filter), gain_exponent = 0;

  static constexpr const char* name = "filter_separable_stream";
  static constexpr bool begins_early = true;
  void take_filter() {
    auto [values, exponent] = stream_taps(problem.filter, radius, takes_subnormals(channels(problem.format), radius));
    memory.set(std::move(values), upload_to<taps>);
    gain_exponent = exponent;
  }
  template <class F>
  void with_kernel(F&& f) const {
    with_kernel_for(problem, [&](auto kernel, int) { f(kernel); });
  }
  auto arguments(const Image& in, const Image& out) const {
    Epilogue scaled_back = epilogue();
    scaled_back.gain = scaled(scaled_back.gain, gain_exponent);
    return std::tuple(rows, problem.border, scaled_back, rows_aligned(in, columns), rows_aligned(out, columns));
  }
  std::string note() const {
    return "built for radius " + std::to_string(radius) + ", strips of " + std::to_string(rows) + " rows";
  }
};

}  // namespace

extern const Strategy strategy{
    .id = "separable-stream",
    .title = "Separable, streaming",
    .idea =
        "Each thread walks down a strip of a few columns, filters every new row along x and adds it at once to the "
        "sums of all outputs that it touches. They wait in registers: no shared memory, no barrier, no intermediate "
        "image.",
    .reading = "PMPP 4th ed., ch. 7.4 and 8.5 (stencils: register tiling)",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = separable_sum_bound,
    .refuses = [](const Problem& p, const Device&, const Tuned& t) -> std::string {
      if (std::string reason = separable_reason(p.filter); !reason.empty()) return reason;
      if (built_radius(p.filter) == 0)
        return "The sums of " + std::to_string(std::max(p.filter.width, p.filter.height)) +
               " taps do not fit in a thread's registers, which hold up to 17; separable-fused takes this filter";
      if (t["strip_rows"] < 0) return "A strip cannot have fewer than 0 rows";
      return {};
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      const StripLayout s = strips(p, device, t);
      const std::size_t table = table_bytes(built_radius(p.filter), s.columns);
      return one_kernel_plan<Streams>(p, {s.grid, strip_block(), table}, s.rows, s.columns);
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const int radius = std::max(built_radius(p.filter), 1), sets = sets_of(p.filter);
      const int columns = columns_for(radius, channels(p.format), sets);
      const int chosen = t["strip_rows"];
      const double rows = chosen ? chosen : 16, size = 2.0 * radius + 1, repeated = (rows + 2 * radius) / rows;
      return {.flop = 2 * 2 * size * repeated * sets * channels(p.format) * outputs(p),
              .global_loads_per_output = (columns + 2.0 * radius) / columns * repeated,
              .global_stores_per_output = 1,
              .shared_loads_per_output = 0,
              .dram_bytes = 2 * frame_bytes(p)};
    },
    .explains =
        [](const Problem& p, const Device& device, const Tuned& t, const OutputIndex& at) {
          const StripLayout layout = strips(p, device, t);
          const int radius = built_radius(p.filter);
          const ThreadStrip strip{layout.columns, layout.rows, window_margin(radius, layout.columns), radius};
          KernelStep step = one_strip_per_thread(Streams::name, lanes, warps, strip, p.width, p.height, at.x, at.y);
          const std::string size = std::to_string(2 * radius + 1);
          step.words =
              "Each thread walks down its strip, a row at a time. It sums the row along x for its columns. It adds the "
              "result at once, times a tap of the column, to the sums of the " +
              size + " output rows that it touches, which wait in registers.";
          number_edges_first(step, layout.grid);
          std::string words = factors_words;
          if (p.filter.width < 2 * radius + 1 || p.filter.height < 2 * radius + 1)
            words += " Both are padded with zeros to " + size + " taps.";
          return Explanation{.steps = {std::move(step)}, .words = std::move(words)};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::separable_stream
