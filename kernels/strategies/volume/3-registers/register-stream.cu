// Streaming down all frames in registers. Idea: a thread owns a few neighbouring columns and walks down a strip of the
// volume. The same row of every frame goes at once into the sums of all 2r+1 outputs that it touches, which wait in
// registers; the first is then complete and the others move up. A frame's next row is loaded as soon as its last one
// has been used, while the other frames are multiplied. Strips walk down and up in turns, so that two neighbours read
// the rows that both need at the same time: all frames together are larger than L2, which would have lost them.
// Traffic: (1 + 2r/C)(1 + 2r/H)·M_t loads per output for C columns and H rows a thread; DRAM sees every frame once.
// Limits: loops unrolled for 3, 5 or 7 taps and up to 7 frames, whose rows must fit in registers.
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/constant_weights.cuh"
#include "kernels/device/parts/frame_rows.cuh"
#include "kernels/kinds/volume.h"
#include "kernels/strategies/shared/row_weights.cuh"

namespace convoscope::CONVOSCOPE_TARGET::volume::register_stream {

namespace {

__constant__ WeightPair weights[most_weight_pairs];
ConstantOwner weights_owner;

constexpr int block_threads = 64;
// On a multiprocessor. Of colours in few frames the compiler would keep more in registers than pays.
template <class Pixel, int Count>
constexpr int fewest_blocks = channels_of<Pixel> > 1 && Count <= 3 ? 5 : 1;

// The products of one row of frame t. Slot j holds the sums of an output row to which this row is row 2·Radius − j of
// the filter; the first frame moves all of them up by one. Whole: all slots belong to rows of the strip; otherwise only
// those from `first` to `last`, and the products of the others, a good part of a short strip's, are left out.
template <int Radius, bool Whole, int Channels, int Columns>
__device__ inline void add_row(float (&sums)[2 * Radius + 1][Channels][Columns],
                               const float (&x)[Channels][Columns + 2 * Radius], int t, int first_pair, int first,
                               int last) {
  constexpr int size = 2 * Radius + 1;
  CONVOSCOPE_UNROLL
  for (int j = 0; j < size; ++j) {
    if (!Whole && (j < first || j > last)) continue;
    if (t == 0) {
      CONVOSCOPE_UNROLL
      for (int c = 0; c < Channels; ++c) CONVOSCOPE_UNROLL
      for (int i = 0; i < Columns; ++i) sums[j][c][i] = j + 1 < size ? sums[(j + 1) % size][c][i] : 0.0f;
    }
    CONVOSCOPE_UNROLL
    for (int dx = 0; dx < size; ++dx) {
      const int place = (t * size + size - 1 - j) * size + dx;
      const WeightPair pair = weights[first_pair + place / 2];
      const float weight = place % 2 ? pair.second : pair.first;
      CONVOSCOPE_UNROLL
      for (int c = 0; c < Channels; ++c) CONVOSCOPE_UNROLL
      for (int i = 0; i < Columns; ++i) sums[j][c][i] = fmaf(weight, x[c][i + dx], sums[j][c][i]);
    }
  }
}

template <class Pixel, int Radius, int Count, int Columns>
__global__ void __launch_bounds__(block_threads, (fewest_blocks<Pixel, Count>))
    filter_volume_stream(Frames<Pixel> in, ImageView<Pixel> out, int strip_rows, Border border, Epilogue epilogue,
                         int in_aligned, int out_aligned) {
  constexpr int size = 2 * Radius + 1, channels = channels_of<Pixel>;
  using Window = RowWindow<Pixel, Radius, Columns>;
  using Rows = FrameRows<Window, Pixel, Columns>;
  const int x0 = static_cast<int>(blockIdx.x * block_threads + threadIdx.x) * Columns;
  const int top = static_cast<int>(blockIdx.y) * strip_rows;
  const int rows = min(strip_rows, out.height - top), steps = rows + 2 * Radius;
  const bool up = blockIdx.y % 2 == 1;
  const int start = up ? top + rows - 1 : top, direction = up ? -1 : 1;
  const int first_pair = up ? pairs_of(Count * size * size) : 0;
  Rows input(in, shared_memory<int>(0, Rows::table_size(block_threads)), x0, start - direction * Radius, direction,
             border, in_aligned);
  if (x0 >= out.width) return;

  Window windows[Count];
  input.next();
  CONVOSCOPE_UNROLL
  for (int t = 0; t < Count; ++t) input.load(in.data[t], windows[t]);
  float sums[size][channels][Columns] = {};
  AlphaRing<Pixel, Radius, Columns> alphas;
  CONVOSCOPE_KEEP_LOOP
  for (int step = 0; step < steps; ++step) {
    const bool whole = step >= 2 * Radius && step < rows, more = step + 1 < steps;
    alphas.push(windows[Count / 2]);
    if (more) input.next();
    CONVOSCOPE_UNROLL
    for (int t = 0; t < Count; ++t) {
      float x[channels][Columns + 2 * Radius];
      CONVOSCOPE_UNROLL
      for (int c = 0; c < channels; ++c) CONVOSCOPE_UNROLL
      for (int i = 0; i < Columns + 2 * Radius; ++i) x[c][i] = windows[t].channel(i - Radius, c);
      if (whole)
        add_row<Radius, true>(sums, x, t, first_pair, 0, 0);
      else
        add_row<Radius, false>(sums, x, t, first_pair, 2 * Radius - step, steps - 1 - step);
      if (more) input.load(in.data[t], windows[t]);
    }
    if (step < 2 * Radius) continue;
    const int y = start + direction * (step - 2 * Radius);
    CONVOSCOPE_UNROLL
    for (int first = 0; first < Columns; first += 4)
      if (x0 + first < out.width)
        store_row<Pixel, 1, 4>(
            pixel_at(out, x0 + first, y), x0 + first, out.width, epilogue, out_aligned,
            [&](int, int c, int i) { return sums[0][c][first + i]; }, alphas.oldest());
  }
}

constexpr int strip_heights[] = {0, 4, 8, 12, 16, 24, 32, 48, 64, 96};
constexpr int column_choices[] = {0, 4, 8};
constexpr Tunable tunables[] = {
    {"strip_rows", "Strip height",
     "Rows that a thread walks along. 0: 4 for one channel and 3 × 3 weights a frame, otherwise as many as make all "
     "strips resident on the device at once",
     strip_heights, 0},
    {"columns", "Columns",
     "Neighbouring columns of a thread: 8 use each weight for twice as many products as 4, and take more registers. "
     "0: 4",
     column_choices, 0},
};

// Only for these do the sums and the windows of 8 columns fit in registers.
constexpr bool eight_fit(int channels, int frames) { return channels == 1 && frames <= 3; }
// With few products for each row, short strips pay, whose neighbours read the same rows at the same time.
constexpr int fewest_rows = 4;
bool short_strips(const Problem& p) { return channels(p.format) == 1 && built_radius(p.filter) == 1; }

int columns_of(const Tuned& t) {
  const int chosen = t["columns"];
  return chosen ? chosen : 4;
}

// Calls f.template operator()<Pixel>(kernel).
template <class F>
void with_kernel(const Problem& problem, int columns, F&& f) {
  dispatch(problem.format, false, [&]<class Pixel, int>() {
    with_number<1, 2, 3>(built_radius(problem.filter), [&]<int Radius>() {
      with_number<1, 3, 5, 7>(problem.filter.depth, [&]<int Count>() {
        if constexpr (eight_fit(channels_of<Pixel>, Count))
          if (columns == 8) return f.template operator()<Pixel>(filter_volume_stream<Pixel, Radius, Count, 8>);
        f.template operator()<Pixel>(filter_volume_stream<Pixel, Radius, Count, 4>);
      });
    });
  });
}

struct Strips {
  int columns, rows;
  std::size_t shared_bytes;  // the table of columns
  dim3 grid;
};

// Rows 0, but for short strips: as many as make all blocks resident at once, for a second turn with a few blocks in it
// would take as long as the first.
Strips strips_of(const Problem& problem, const Device& device, const Tuned& tuning) {
  const int columns = columns_of(tuning), across = ceil_div(problem.width, block_threads * columns);
  const int table = block_threads * columns + 2 * window_margin(built_radius(problem.filter), columns);
  const std::size_t shared = sizeof(int) * static_cast<std::size_t>(table);
  int rows = tuning["strip_rows"];
  if (rows == 0 && short_strips(problem))
    rows = fewest_rows;
  else if (rows == 0)
    with_kernel(problem, columns, [&]<class Pixel>(auto kernel) {
      const int blocks = device.multiprocessors * blocks_per_multiprocessor(kernel, dim3(block_threads), shared);
      rows = std::max(fewest_rows, ceil_div(problem.height, std::max(1, blocks / across)));
    });
  return {columns, rows, shared, dim3(across, ceil_div(problem.height, rows))};
}

class RegisterStreamPlan final : public Plan {
 public:
  RegisterStreamPlan(const Problem& problem, const Strips& strips) : problem_(problem), strips_(strips) {
    weights_.set(padded_weights(problem.filter));
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    weights_.set(padded_weights(filter));
  }
  void prepare(Stream stream) override { weights_.upload(weights, weights_owner, stream); }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    weights_.expect_in_place();
    const auto aligned = [](const Tensor& frame) { return rows_aligned(rows_of(frame), 4); };
    with_kernel(problem_, strips_.columns, [&]<class Pixel>(auto kernel) {
      launch(kernel, strips_.grid, dim3(block_threads), strips_.shared_bytes, stream, VolumeViews<Pixel>::in(in),
             VolumeViews<Pixel>::out(out[0]), strips_.rows, problem_.border,
             make_epilogue(problem_.filter, problem_.format), std::ranges::all_of(in, aligned), aligned(out[0]));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    with_kernel(problem_, strips_.columns, [&]<class Pixel>(auto kernel) {
      infos = {describe("filter_volume_stream", kernel, strips_.grid, dim3(block_threads), strips_.shared_bytes)};
    });
    return weights_.described(std::move(infos));
  }
  std::string note() const override {
    return "strips of " + std::to_string(strips_.columns) + " columns and " + std::to_string(strips_.rows) + " rows";
  }

 private:
  Problem problem_;
  Strips strips_;
  ConstantWeights weights_;
};

}  // namespace

extern const Strategy strategy{
    .id = "register-stream",
    .title = "Register stream",
    .idea =
        "Each thread walks along a strip of a few columns in all frames at once. A row that has been loaded goes at "
        "once into the sums of all outputs that it touches; they wait in registers until they are complete.",
    .reading = "PMPP 4th ed., ch. 8.4 and 8.5 (stencils: thread coarsening and register tiling)",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem& p, const Device&, const Tuned& t) -> std::string {
      if (std::string reason = unrolled_reason(p.filter); !reason.empty()) return reason;
      if (const int rows = t["strip_rows"]; rows < 0) return "A strip cannot have " + std::to_string(rows) + " rows";
      const int columns = columns_of(t);
      if (columns != 4 && columns != 8) return std::to_string(columns) + " columns are not built: choose 4 or 8";
      if (columns == 8 && !eight_fit(channels(p.format), p.filter.depth))
        return "8 columns of " + std::to_string(channels(p.format)) + " channels in " + std::to_string(p.filter.depth) +
               " frames do not fit in registers; 1 channel in 3 frames does";
      return {};
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<RegisterStreamPlan>(p, strips_of(p, device, t));
    },
    .costs = [](const Problem& p, const Tuned& t) -> Cost {
      const int radius = built_radius(p.filter), chosen = t["strip_rows"];
      const double size = 2 * radius + 1, columns = columns_of(t),
                   rows = chosen            ? chosen
                          : short_strips(p) ? fewest_rows
                                            : 24;
      Cost cost = direct_cost(p);
      cost.flop *= size * size / (p.filter.width * p.filter.height);  // products with the padding's zeros are made too
      cost.global_loads_per_output = p.filter.depth * (columns + 2 * radius) / columns * (rows + 2 * radius) / rows;
      return cost;
    },
    .explains =
        [](const Problem& p, const Device& device, const Tuned& t, const OutputIndex& at) {
          const Strips strips = strips_of(p, device, t);
          const int radius = built_radius(p.filter);
          const ThreadStrip strip{strips.columns, strips.rows, window_margin(radius, strips.columns), radius};
          KernelStep step =
              one_strip_per_thread("filter_volume_stream", block_threads, 1, strip, p.width, p.height, at.x, at.y);
          const std::string size = std::to_string(2 * radius + 1);
          step.words = std::string("Each thread walks ") + (step.block[1] % 2 ? "up" : "down") +
                       " its strip in all frames at once. A row that it has read goes at once into the sums of the " +
                       size + " output rows that it touches, which wait in registers.";
          std::string words;
          if (p.filter.width < 2 * radius + 1 || p.filter.height < 2 * radius + 1)
            words = "In each frame the filter is padded with zeros to " + size + " × " + size + " weights.";
          return in_all_frames(p, Explanation{.steps = {std::move(step)}, .words = std::move(words)});
        },
    .kind = &volume_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::volume::register_stream
