// Streaming along all frames with rows that come by themselves. Idea: as in register-stream a thread owns a few
// neighbouring columns, walks along a strip, and adds each row to the sums of all 2r+1 outputs that it touches. But the
// rows that are still to come wait in a ring in shared memory, where cp.async brings them without registers: several
// rows of all frames are under way at once, as many bytes as the memory needs to be busy. A block is a single warp, so
// nobody ever waits for another. Two neighbouring outputs may share a product of every four (paired_products.cuh).
// Traffic: (1 + 8/32C)(1 + 2r/H)·M_t loads per output for C columns and H rows a thread; DRAM sees every frame once.
// Limits: loops unrolled for 3, 5 or 7 taps and up to 7 frames, whose rows must fit in shared memory.
#include "kernels/contract/model.h"
#include "kernels/contract/tolerance.h"
#include "kernels/device/constant_weights.cuh"
#include "kernels/device/row_ring.cuh"
#include "kernels/kinds/volume.h"
#include "kernels/strategies/shared/paired_products.cuh"
#include "kernels/strategies/shared/row_weights.cuh"

namespace convoscope::CONVOSCOPE_TARGET::volume::async_stream {

extern const Strategy strategy;

namespace {

__constant__ WeightPair weights[most_frames * most_side * (most_side + most_radius) + 1];
ConstantOwner weights_owner;

constexpr int block_threads = 32;

// The products of one row of all frames. Slot j holds the sums of an output row to which this row is row 2·Radius − j
// of the filter; the first frame moves all of them up by one. Whole: all slots belong to rows of the strip; otherwise
// only those from `first` to `last`.
template <class Products, bool Whole, int Count, int Size, int Sums, class Ring, class Alphas>
__device__ inline void add_rows(float (&sums)[Size][Sums], const Ring& ring, Alphas& alphas, int first_pair, int first,
                                int last) {
  CONVOSCOPE_UNROLL
  for (int t = 0; t < Count; ++t) {
    const auto window = ring.window(t);
    if (t == Count / 2) alphas.push(window);
    const Products row(window);
    CONVOSCOPE_UNROLL
    for (int j = 0; j < Size; ++j) {
      if (!Whole && (j < first || j > last)) continue;
      if (t == 0) {
        CONVOSCOPE_UNROLL
        for (int i = 0; i < Sums; ++i) sums[j][i] = j + 1 < Size ? sums[(j + 1) % Size][i] : 0.0f;
      }
      row.add(sums[j], [&](int k) {
        const int place = (t * Size + Size - 1 - j) * Products::weights + k;
        const WeightPair pair = weights[first_pair + place / 2];
        return place % 2 ? pair.second : pair.first;
      });
    }
  }
}

template <class Pixel, class Products, int Count>
__global__ void __launch_bounds__(block_threads, Products::fewest_warps)
    filter_volume_async(Frames<Pixel> in, ImageView<Pixel> out, int strip_rows, int depth, Border border,
                        Epilogue epilogue, int in_aligned, int out_aligned) {
  constexpr int size = Products::size, radius = size / 2, columns = Products::columns;
  const int x0 = static_cast<int>(blockIdx.x * block_threads + threadIdx.x) * columns;
  const int top = static_cast<int>(blockIdx.y) * strip_rows;
  const int rows = min(strip_rows, out.height - top), steps = rows + 2 * radius;
  const bool up = blockIdx.y % 2 == 1;
  const int start = up ? top + rows - 1 : top, direction = up ? -1 : 1;
  const int first_pair = up ? pairs_of(Count * size * Products::weights) : 0;
  RowRing<Pixel, Count, columns> ring(in, depth, start - direction * radius, direction, steps, border, in_aligned);

  for (int ahead = 1; ahead < depth; ++ahead) ring.start();
  float sums[size][Products::sums] = {};
  AlphaRing<Pixel, radius, columns> alphas;
  CONVOSCOPE_KEEP_LOOP
  for (int step = 0; step < steps; ++step) {
    ring.wait();
    ring.start();
    if (step >= 2 * radius && step < rows)
      add_rows<Products, true, Count>(sums, ring, alphas, first_pair, 0, 0);
    else
      add_rows<Products, false, Count>(sums, ring, alphas, first_pair, 2 * radius - step, steps - 1 - step);
    ring.next();
    if (step < 2 * radius) continue;
    const int y = start + direction * (step - 2 * radius);
    CONVOSCOPE_UNROLL
    for (int first = 0; first < columns; first += 4)
      if (x0 + first < out.width)
        store_row<Pixel, 1, 4>(
            out, x0 + first, y, epilogue, out_aligned,
            [&](int, int c, int i) { return Products::result(sums[0], c, first + i); },
            [&](int i) { return alphas.oldest(first + i); });
  }
}

constexpr int warp_choices[] = {0, 8, 12, 16, 24, 32};
constexpr int column_choices[] = {0, 4, 8};
constexpr int depths[] = {0, 3, 4, 6, 8};
constexpr int pairings[] = {0, 1};
constexpr Tunable tunables[] = {
    {"warps", "Warps",
     "Of a multiprocessor, each with a strip so high that all are done in one turn. More of them have shorter strips, "
     "which read more of their neighbours' rows. 0: 16",
     warp_choices, 0},
    {"columns", "Columns", "Neighbouring columns of a thread: 8 load each row's halo half as often. 0: 4",
     column_choices, 0},
    {"depth", "Rows in the ring",
     "Rows of every frame that a warp has in shared memory; all but one of them are under way. 0: 4 for up to 5 "
     "frames, 3 for 7",
     depths, 0},
    {"paired", "Shared products",
     "1: two neighbouring outputs share a product of every four, for some additions; for one channel, 8 columns and 5 "
     "or 7 taps. 0: each output has its own",
     pairings, 0},
};

int columns_of(const Tuning& t) {
  const int chosen = tuned(strategy, t, "columns");
  return chosen ? chosen : tuned(strategy, t, "paired") ? 8 : 4;
}
int warps_of(const Tuning& t) {
  const int chosen = tuned(strategy, t, "warps");
  return chosen ? chosen : 16;
}
int depth_of(const Problem& p, const Tuning& t) {
  const int chosen = tuned(strategy, t, "depth");
  return chosen ? chosen : p.filter.depth <= 5 ? 4 : 3;
}
std::size_t shared_bytes_of(const Problem& p, const Tuning& t) {
  return static_cast<std::size_t>(depth_of(p, t) * p.filter.depth * ring_row_bytes(columns_of(t)));
}

// Whether kernels are built whose outputs share products.
bool can_be_paired(const Problem& p) { return channels(p.format) == 1 && built_radius(p.filter) > 1; }
bool paired(const Tuning& t) { return tuned(strategy, t, "paired") != 0; }

std::vector<float> padded_weights(const Filter& filter, bool paired) {
  return rows_of_both_ways(filter, paired ? append_paired : append_row);
}

// Calls f.template operator()<Pixel>(kernel).
template <class F>
void with_kernel(const Problem& problem, const Tuning& tuning, F&& f) {
  dispatch(problem.format, false, [&]<class Pixel, int>() {
    with_number<1, 2, 3>(built_radius(problem.filter), [&]<int Radius>() {
      with_number<1, 3, 5, 7>(problem.filter.depth, [&]<int Count>() {
        if constexpr (channels_of<Pixel> == 1 && Radius > 1)
          if (paired(tuning))
            return f.template operator()<Pixel>(filter_volume_async<Pixel, PairedProducts<Radius, 8>, Count>);
        if constexpr (channels_of<Pixel> == 1)
          if (columns_of(tuning) == 8)
            return f.template operator()<Pixel>(filter_volume_async<Pixel, OwnProducts<Pixel, Radius, 8>, Count>);
        f.template operator()<Pixel>(filter_volume_async<Pixel, OwnProducts<Pixel, Radius, 4>, Count>);
      });
    });
  });
}

struct Strips {
  int columns, depth, rows;
  std::size_t shared_bytes;  // the rings
  dim3 grid;
};

// As high as makes all blocks resident at once, for a second turn with a few blocks in it would take as long as the
// first.
Strips strips_of(const Problem& problem, const Device& device, const Tuning& tuning) {
  constexpr int fewest_rows = 4;
  const int columns = columns_of(tuning), across = ceil_div(problem.width, block_threads * columns);
  const std::size_t shared = shared_bytes_of(problem, tuning);
  int rows = 0;
  with_kernel(problem, tuning, [&]<class Pixel>(auto kernel) {
    allow_shared(kernel, shared);
    const int fit = blocks_per_multiprocessor(kernel, dim3(block_threads), shared);
    const int blocks = device.multiprocessors * std::min(fit, warps_of(tuning));
    rows = std::max(fewest_rows, ceil_div(problem.height, std::max(1, blocks / across)));
  });
  return {columns, depth_of(problem, tuning), rows, shared, dim3(across, ceil_div(problem.height, rows))};
}

class AsyncStreamPlan final : public Plan {
 public:
  AsyncStreamPlan(const Problem& problem, const Strips& strips, const Tuning& tuning)
      : problem_(problem), strips_(strips), tuning_(tuning) {
    weights_.set(padded_weights(problem.filter, paired(tuning)));
  }
  void set_filter(const Filter& filter) override {
    problem_.filter = filter;
    weights_.set(padded_weights(filter, paired(tuning_)));
  }
  void prepare(Stream stream) override { weights_.upload(weights, weights_owner, stream); }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    weights_.expect_in_place();
    const auto aligned = [](const Tensor& frame) { return rows_aligned(rows_of(frame), 4); };
    with_kernel(problem_, tuning_, [&]<class Pixel>(auto kernel) {
      launch(kernel, strips_.grid, dim3(block_threads), strips_.shared_bytes, stream, VolumeViews<Pixel>::in(in),
             VolumeViews<Pixel>::out(out[0]), strips_.rows, strips_.depth, problem_.border,
             make_epilogue(problem_.filter, problem_.format), std::ranges::all_of(in, aligned), aligned(out[0]));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    with_kernel(problem_, tuning_, [&]<class Pixel>(auto kernel) {
      infos = {describe("filter_volume_async", kernel, strips_.grid, dim3(block_threads), strips_.shared_bytes)};
    });
    return infos;
  }
  std::string note() const override {
    return "strips of " + std::to_string(strips_.columns) + " columns and " + std::to_string(strips_.rows) +
           " rows, rings of " + std::to_string(strips_.depth) + " rows";
  }

 private:
  Problem problem_;
  Strips strips_;
  Tuning tuning_;
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
    .tolerance = [](const Problem& p) -> double {
      const double own = float32_sum_bound(p, p.filter.taps());
      if (!can_be_paired(p)) return own;
      return std::max(own, paired_bound(p, rows_of_weights(p.filter, append_paired, false)));
    },
    .unsupported = [](const Problem& p, const Device& device, const Tuning& t) -> std::string {
      if (std::string reason = unrolled_reason(p.filter); !reason.empty()) return reason;
      if (const int warps = warps_of(t); warps < 1)
        return "A multiprocessor cannot have " + std::to_string(warps) + " warps";
      if (const int depth = depth_of(p, t); depth < 2 || depth > most_ring_rows)
        return "A ring cannot have " + std::to_string(depth) + " rows: choose 2 to " + std::to_string(most_ring_rows);
      const int columns = columns_of(t);
      if (columns != 4 && columns != 8) return std::to_string(columns) + " columns are not built: choose 4 or 8";
      if (columns == 8 && channels(p.format) > 1)
        return "8 columns of " + std::to_string(channels(p.format)) + " channels do not fit in registers";
      if (paired(t) && (columns != 8 || built_radius(p.filter) == 1))
        return "Shared products are built for 8 columns and 5 or 7 taps; these are " + std::to_string(columns) +
               " and " + std::to_string(2 * built_radius(p.filter) + 1);
      return shared_memory_reason(shared_bytes_of(p, t), device);
    },
    .plan = [](const Problem& p, const Device& device, const Tuning& t) -> std::unique_ptr<Plan> {
      return std::make_unique<AsyncStreamPlan>(p, strips_of(p, device, t), t);
    },
    .model = [](const Problem& p, const Tuning& t) -> Cost {
      const int radius = built_radius(p.filter);
      const double size = 2 * radius + 1, columns = columns_of(t), rows = 32;
      Cost cost = direct_cost(p);
      cost.flop *= size * size / (p.filter.width * p.filter.height);  // products with the padding's zeros are made too
      if (paired(t)) cost.flop *= paired_share(2 * radius + 1);
      const double rows_loaded = p.filter.depth * (rows + 2 * radius) / rows;
      cost.global_loads_per_output = rows_loaded * (32 * columns + 8) / (32 * columns);
      cost.shared_loads_per_output = rows_loaded * (columns + 8) / columns;
      return cost;
    },
    .explain =
        [](const Problem& p, const Device& device, const Tuning& t, const OutputIndex& at) {
          const Strips strips = strips_of(p, device, t);
          const int radius = built_radius(p.filter);
          const ThreadStrip strip{strips.columns, strips.rows, 4, radius};
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
