// Both passes in registers. Idea: a thread owns a few neighbouring columns and walks down a strip. It filters each new
// row along x for its own columns, and adds the result at once, times the column's taps, to the sums of the 2r+1
// outputs that the row touches. They wait in registers, so the intermediate image is never stored anywhere. Bytes are
// not converted, up to radius 4: as they lie in their words they are floats, too small by a power of two, and the row's
// taps are too large by it (shared/image/subnormal_bytes.h).
// Traffic: (1 + 2r/C)(1 + 2r/H) loads per output for strips of H rows, C columns a thread; L1 serves all but the first
// of each pixel. 2(2r+1) multiply-adds a channel, (1 + 2r/H) times.
// Limits: rank 1 only; C(2r+1) sums a channel must fit in registers, so up to radius 8.
#include "kernels/contract/image_plan.h"
#include "kernels/contract/theory/model.h"
#include "kernels/device/constant_weights.cuh"
#include "kernels/device/parts/block_order.cuh"
#include "kernels/device/parts/row_stream.cuh"
#include "kernels/device/parts/strip_layout.cuh"
#include "kernels/strategies/shared/image/separable_taps.h"
#include "kernels/strategies/shared/image/subnormal_bytes.h"

namespace convoscope::CONVOSCOPE_TARGET::separable_stream {
namespace {

__constant__ float taps[max_separable_taps];
ConstantOwner taps_owner;

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
  const BlockPlace place = edges_first();
  const int x0 = (place.x * lanes + static_cast<int>(threadIdx.x)) * columns;
  const int top = (place.y * warps + static_cast<int>(threadIdx.y)) * strip_rows;
  const int steps = min(strip_rows, out.height - top) + 2 * Radius;
  using Stream = RowStream<Window, Pixel, columns>;
  Stream stream(in, shared_memory<int>(0, Stream::table_size(lanes)), x0, top - Radius, steps, border, in_aligned,
                out_aligned);
  if (x0 >= out.width || top >= out.height) return;
  let_next_kernel_begin();
  stream.prefetch_rows(Ahead);
  wait_until_kernel_before_is_done();

  stream.with_rows([&](auto load, auto whole) {
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
        if (at_once || step + Ahead < steps) load(windows[k]);
        if (!at_once && step < 0) continue;

        // Slot j holds the sums of output row step − 2·Radius + j, for which this row has the tap 2·Radius − j.
        CONVOSCOPE_UNROLL
        for (int j = 0; j < size; ++j) CONVOSCOPE_UNROLL
        for (int s = 0; s < Sums; ++s) CONVOSCOPE_UNROLL
        for (int c = 0; c < channels; ++c) CONVOSCOPE_UNROLL
        for (int i = 0; i < columns; ++i)
          sums[s][j][c][i] =
              fmaf(taps[s * set + set - 1 - j], row[s][c][i], j + 1 < size ? sums[s][(j + 1) % size][c][i] : 0.0f);
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

// The taps as the kernel has them, each row and column with zeros around, and the power of two that is left for
// the gain.
struct KernelTaps {
  std::vector<float> taps;
  int gain_exponent = 0;
};
KernelTaps kernel_taps(const Filter& filter, PixelFormat format, int radius) {
  const std::vector<float> all = separable_taps(filter);
  const auto padded = [&](auto from, int length) {
    std::vector<float> line(2 * static_cast<std::size_t>(radius) + 1);
    std::copy_n(from, length, line.begin() + (radius - length / 2));
    return line;
  };
  std::vector<std::pair<std::vector<float>, std::vector<float>>> sets;
  for (auto at = all.begin(); at != all.end(); at += filter.width + filter.height)
    sets.emplace_back(padded(at, filter.width), padded(at + filter.width, filter.height));
  int exponent = std::numeric_limits<int>::max();  // of a row and its column together, the same for both sets
  for (const auto& [row, column] : sets)
    exponent = std::min(exponent, exponent_for_bytes(row) + exponent_to(0, column));

  KernelTaps result;
  const auto append = [&](const std::vector<float>& line) {
    result.taps.insert(result.taps.end(), line.begin(), line.end());
  };
  const bool scales = takes_subnormals(channels(format), radius);
  for (const auto& [row, column] : sets) {
    const int of_row = exponent_for_bytes(row);
    append(scales ? scaled_for_bytes(row, of_row) : row);
    append(scales ? scaled(column, exponent - of_row) : column);
  }
  if (scales) result.gain_exponent = exponent_of_gain(exponent);
  return result;
}

// Calls f.template operator()<Pixel>(kernel, columns of a thread).
template <class F>
void with_kernel(const Problem& problem, F&& f) {
  dispatch(problem.format, problem.filter.is_magnitude(), [&]<class Pixel, int Sums>() {
    with_number<1, 2, 4, 8>(built_radius(problem.filter), [&]<int Radius>() {
      f.template operator()<Pixel>(
          filter_separable_stream<Pixel, Sums, Radius, rows_ahead(Radius, channels_of<Pixel>, Sums),
                                  blocks_for(Radius, channels_of<Pixel>, Sums)>,
          columns_for(Radius, channels_of<Pixel>, Sums));
    });
  });
}

StripLayout strips(const Problem& p, const Device& device, const Tuned& tuning) {
  StripLayout layout;
  with_kernel(p, [&]<class Pixel>(auto kernel, int columns) {
    layout = lay_out_strips(p, device, kernel, table_bytes(built_radius(p.filter), columns), columns,
                            tuning["strip_rows"], built_radius(p.filter));
  });
  return layout;
}

class SeparableStreamPlan final : public ImagePlan {
 public:
  SeparableStreamPlan(const Problem& problem, const StripLayout& strips)
      : problem_(problem), radius_(built_radius(problem.filter)), strips_(strips) {
    with_kernel(problem, [&]<class Pixel>(auto kernel, int) { early_ = starts_early(kernel); });
    SeparableStreamPlan::set_filter(problem.filter);
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    auto [values, exponent] = kernel_taps(filter, problem_.format, radius_);
    taps_.set(std::move(values));
    epilogue_ = make_epilogue(filter, problem_.format);
    epilogue_.gain = scaled(epilogue_.gain, exponent);
  }
  void prepare(Stream stream) override { taps_.upload(taps, taps_owner, stream); }
  void enqueue_frame(const Image& in, const Image& out, Stream stream) override {
    taps_.expect_in_place();
    with_kernel(problem_, [&]<class Pixel>(auto kernel, int columns) {
      launch(early_, kernel, strips_.grid, strip_block(), table_bytes(radius_, columns), stream, in.view<const Pixel>(),
             out.view<Pixel>(), strips_.rows, problem_.border, epilogue_, rows_aligned(in, columns),
             rows_aligned(out, columns));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    with_kernel(problem_, [&]<class Pixel>(auto kernel, int columns) {
      infos = {describe("filter_separable_stream", kernel, strips_.grid, strip_block(), table_bytes(radius_, columns))};
    });
    return taps_.described(std::move(infos));
  }
  std::string note() const override {
    return "built for radius " + std::to_string(radius_) + ", strips of " + std::to_string(strips_.rows) + " rows";
  }

 private:
  Problem problem_;
  int radius_;
  StripLayout strips_;
  bool early_ = false;
  Epilogue epilogue_;
  ConstantWeights taps_;
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
      return std::make_unique<SeparableStreamPlan>(p, strips(p, device, t));
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const int radius = std::max(built_radius(p.filter), 1), sets = p.filter.is_magnitude() ? 2 : 1;
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
          KernelStep step =
              one_strip_per_thread("filter_separable_stream", lanes, warps, strip, p.width, p.height, at.x, at.y);
          const std::string size = std::to_string(2 * radius + 1);
          step.words =
              "Each thread walks down its strip, a row at a time. It sums the row along x for its columns, and "
              "adds the result at once, times a tap of the column, to the sums of the " +
              size + " output rows that it touches, which wait in registers.";
          number_edges_first(step, layout.grid);
          std::string words = "The weights are a column times a row: their product is what is shown.";
          if (p.filter.width < 2 * radius + 1 || p.filter.height < 2 * radius + 1)
            words += " Both are padded with zeros to " + size + " taps.";
          return Explanation{.steps = {std::move(step)}, .words = std::move(words)};
        },
};

}  // namespace convoscope::CONVOSCOPE_TARGET::separable_stream
