// Streaming along all frames with rows that come by themselves. Idea: as in register-stream a thread owns a few
// neighbouring columns, walks along a strip, and adds each row to the sums of all 2r+1 outputs that it touches. But the
// rows that are still to come wait in a ring in shared memory, where cp.async brings them without registers: several
// rows of all frames are under way at once, as many bytes as the memory needs to be busy. A block is a single warp, so
// nobody ever waits for another.
// Traffic: (1 + 1/16)(1 + 2r/H)·M_t loads per output for 4 columns and H rows a thread; DRAM sees every frame once.
// Limits: loops unrolled for 3, 5 or 7 taps and up to 7 frames, whose rows must fit in shared memory.
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/constant_weights.cuh"
#include "kernels/device/parts/row_ring.cuh"
#include "kernels/device/parts/row_stream.cuh"
#include "kernels/kinds/volume.h"
#include "kernels/strategies/shared/row_weights.cuh"

namespace convoscope::CONVOSCOPE_TARGET::volume::async_stream {

extern const Strategy strategy;

namespace {

__constant__ WeightPair weights[most_weight_pairs];
ConstantOwner weights_owner;

constexpr int block_threads = 32, columns = 4;  // columns: of a thread

// The products of one row of all frames. Slot j holds the sums of an output row to which this row is row 2·Radius − j
// of the filter; the first frame moves all of them up by one. Whole: all slots belong to rows of the strip; otherwise
// only those from `first` to `last`.
template <bool Whole, int Channels, int Count, int Size, class Ring, class Alphas>
__device__ inline void add_rows(float (&sums)[Size][Channels][columns], const Ring& ring, Alphas& alphas,
                                int first_pair, int first, int last) {
  CONVOSCOPE_UNROLL
  for (int t = 0; t < Count; ++t) {
    const auto window = ring.window(t);
    if (t == Count / 2) alphas.push(window);
    float x[Channels][columns + Size - 1];
    CONVOSCOPE_UNROLL
    for (int c = 0; c < Channels; ++c) CONVOSCOPE_UNROLL
    for (int i = 0; i < columns + Size - 1; ++i) x[c][i] = window.channel(i - Size / 2, c);
    CONVOSCOPE_UNROLL
    for (int j = 0; j < Size; ++j) {
      if (!Whole && (j < first || j > last)) continue;
      if (t == 0) {
        CONVOSCOPE_UNROLL
        for (int c = 0; c < Channels; ++c) CONVOSCOPE_UNROLL
        for (int i = 0; i < columns; ++i) sums[j][c][i] = j + 1 < Size ? sums[(j + 1) % Size][c][i] : 0.0f;
      }
      CONVOSCOPE_UNROLL
      for (int k = 0; k < Size; ++k) {
        const int place = (t * Size + Size - 1 - j) * Size + k;
        const WeightPair pair = weights[first_pair + place / 2];
        const float weight = place % 2 ? pair.second : pair.first;
        CONVOSCOPE_UNROLL
        for (int c = 0; c < Channels; ++c) CONVOSCOPE_UNROLL
        for (int i = 0; i < columns; ++i) sums[j][c][i] = fmaf(weight, x[c][i + k], sums[j][c][i]);
      }
    }
  }
}

// Blocks on a multiprocessor, as far as registers go: so many that multiply-adds hide what each of them waits for.
template <class Pixel>
constexpr int fewest_blocks = channels_of<Pixel> > 1 ? 10 : 20;

template <class Pixel, int Radius, int Count>
__global__ void __launch_bounds__(block_threads, (fewest_blocks<Pixel>))
    filter_volume_async(Frames<Pixel> in, ImageView<Pixel> out, int strip_rows, int depth, Border border,
                        Epilogue epilogue, int in_aligned, int out_aligned) {
  constexpr int size = 2 * Radius + 1, channels = channels_of<Pixel>;
  const int x0 = static_cast<int>(blockIdx.x * block_threads + threadIdx.x) * columns;
  const int top = static_cast<int>(blockIdx.y) * strip_rows;
  const int rows = min(strip_rows, out.height - top), steps = rows + 2 * Radius;
  const bool up = blockIdx.y % 2 == 1;
  const int start = up ? top + rows - 1 : top, direction = up ? -1 : 1;
  const int first_pair = up ? pairs_of(Count * size * size) : 0;
  RowRing<Pixel, Count, columns> ring(in, depth, start - direction * Radius, direction, steps, border, in_aligned);

  for (int ahead = 1; ahead < depth; ++ahead) ring.start();
  float sums[size][channels][columns] = {};
  AlphaRing<Pixel, Radius, columns> alphas;
  CONVOSCOPE_KEEP_LOOP
  for (int step = 0; step < steps; ++step) {
    ring.wait();
    ring.start();
    if (step >= 2 * Radius && step < rows)
      add_rows<true, channels, Count>(sums, ring, alphas, first_pair, 0, 0);
    else
      add_rows<false, channels, Count>(sums, ring, alphas, first_pair, 2 * Radius - step, steps - 1 - step);
    ring.next();
    if (step < 2 * Radius || x0 >= out.width) continue;
    const int y = start + direction * (step - 2 * Radius);
    store_row<Pixel, 1, columns>(
        out, x0, y, epilogue, out_aligned, [&](int, int c, int i) { return sums[0][c][i]; },
        [&](int i) { return alphas.oldest(i); });
  }
}

constexpr int warp_choices[] = {0, 8, 12, 16, 24, 32};
constexpr int depths[] = {0, 3, 4, 6, 8};
constexpr Tunable tunables[] = {
    {"warps", "Warps",
     "Of a multiprocessor, each with a strip so high that all are done in one turn. More of them have shorter strips, "
     "which read more of their neighbours' rows. 0: 32 for 3 taps, 16 for more",
     warp_choices, 0},
    {"depth", "Rows in the ring",
     "Rows of every frame that a warp has in shared memory; all but one of them are under way. 0: 3", depths, 0},
};

int warps_of(const Problem& p, const Tuning& t) {
  const int chosen = tuned(strategy, t, "warps");
  return chosen ? chosen : built_radius(p.filter) == 1 ? 32 : 16;
}
int depth_of(const Tuning& t) {
  const int chosen = tuned(strategy, t, "depth");
  return chosen ? chosen : 3;
}
std::size_t shared_bytes_of(const Problem& p, const Tuning& t) {
  return static_cast<std::size_t>(depth_of(t) * p.filter.depth * ring_row_bytes(columns));
}

// Calls f.template operator()<Pixel>(kernel).
template <class F>
void with_kernel(const Problem& problem, F&& f) {
  dispatch(problem.format, false, [&]<class Pixel, int>() {
    with_number<1, 2, 3>(built_radius(problem.filter), [&]<int Radius>() {
      with_number<1, 3, 5, 7>(problem.filter.depth, [&]<int Count>() {
        f.template operator()<Pixel>(filter_volume_async<Pixel, Radius, Count>);
      });
    });
  });
}

struct Strips {
  int depth, rows;
  std::size_t shared_bytes;  // the rings
  dim3 grid;
};

// As high as makes all blocks resident at once, for a second turn with a few blocks in it would take as long as the
// first.
Strips strips_of(const Problem& problem, const Device& device, const Tuning& tuning) {
  constexpr int fewest_rows = 4;
  const int across = ceil_div(problem.width, block_threads * columns);
  const std::size_t shared = shared_bytes_of(problem, tuning);
  int rows = 0;
  with_kernel(problem, [&]<class Pixel>(auto kernel) {
    allow_shared(kernel, shared);
    const int fit = blocks_per_multiprocessor(kernel, dim3(block_threads), shared);
    const int blocks = device.multiprocessors * std::min(fit, warps_of(problem, tuning));
    rows = std::max(fewest_rows, ceil_div(problem.height, std::max(1, blocks / across)));
  });
  return {depth_of(tuning), rows, shared, dim3(across, ceil_div(problem.height, rows))};
}

class AsyncStreamPlan final : public Plan {
 public:
  AsyncStreamPlan(const Problem& problem, const Strips& strips) : problem_(problem), strips_(strips) {
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
    with_kernel(problem_, [&]<class Pixel>(auto kernel) {
      launch(kernel, strips_.grid, dim3(block_threads), strips_.shared_bytes, stream, VolumeViews<Pixel>::in(in),
             VolumeViews<Pixel>::out(out[0]), strips_.rows, strips_.depth, problem_.border,
             make_epilogue(problem_.filter, problem_.format), std::ranges::all_of(in, aligned), aligned(out[0]));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    with_kernel(problem_, [&]<class Pixel>(auto kernel) {
      infos = {describe("filter_volume_async", kernel, strips_.grid, dim3(block_threads), strips_.shared_bytes)};
    });
    return infos;
  }
  std::string note() const override {
    return "strips of " + std::to_string(columns) + " columns and " + std::to_string(strips_.rows) +
           " rows, rings of " + std::to_string(strips_.depth) + " rows";
  }

 private:
  Problem problem_;
  Strips strips_;
  ConstantWeights weights_;
};

}  // namespace

const Strategy strategy{
    .id = "async-stream",
    .title = "Register stream from a ring",
    .idea =
        "Each thread walks along a strip of a few columns in all frames at once, as in register-stream. The rows to "
        "come are copied into a ring in shared memory meanwhile, without passing through registers, so several are "
        "under way at any time. Every warp has its own ring and waits for no other.",
    .reading = "PMPP 4th ed., ch. 8.4 and 8.5 (stencils: thread coarsening and register tiling); CUDA guide, cp.async",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .unsupported = [](const Problem& p, const Device& device, const Tuning& t) -> std::string {
      if (std::string reason = unrolled_reason(p.filter); !reason.empty()) return reason;
      if (const int warps = warps_of(p, t); warps < 1)
        return "A multiprocessor cannot have " + std::to_string(warps) + " warps";
      if (const int depth = depth_of(t); depth < 2 || depth > most_ring_rows)
        return "A ring cannot have " + std::to_string(depth) + " rows: choose 2 to " + std::to_string(most_ring_rows);
      return shared_memory_reason(shared_bytes_of(p, t), device);
    },
    .plan = [](const Problem& p, const Device& device, const Tuning& t) -> std::unique_ptr<Plan> {
      return std::make_unique<AsyncStreamPlan>(p, strips_of(p, device, t));
    },
    .model = [](const Problem& p, const Tuning&) -> Cost {
      const int radius = built_radius(p.filter);
      const double size = 2 * radius + 1, rows = 32;
      Cost cost = direct_cost(p);
      cost.flop *= size * size / (p.filter.width * p.filter.height);  // products with the padding's zeros are made too
      const double rows_loaded = p.filter.depth * (rows + 2 * radius) / rows;
      cost.global_loads_per_output = rows_loaded * (block_threads * columns + 8) / (block_threads * columns);
      cost.shared_loads_per_output = rows_loaded * (columns + 8) / columns;
      return cost;
    },
    .explain =
        [](const Problem& p, const Device& device, const Tuning& t, const OutputIndex& at) {
          const Strips strips = strips_of(p, device, t);
          const int radius = built_radius(p.filter);
          const ThreadStrip strip{columns, strips.rows, 4, radius};
          KernelStep step =
              one_strip_per_thread("filter_volume_async", block_threads, 1, strip, p.width, p.height, at.x, at.y);
          const std::string size = std::to_string(2 * radius + 1);
          step.words = "Each warp has the next " + std::to_string(strips.depth) +
                       " rows of its columns in every frame in shared memory or on the way there. Each thread adds a "
                       "row to the sums of the " +
                       size + " output rows that it touches, which wait in registers.";
          return in_all_frames(p, Explanation{.steps = {std::move(step)},
                                              .words = "In each frame the filter is padded with zeros to " + size +
                                                       " × " + size + " weights."});
        },
    .kind = &volume_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::volume::async_stream
