// Streaming along all frames with rows that come by themselves. Idea: as in register-stream a thread owns a few
// neighbouring columns, walks along a strip, and adds each row to the sums of all 2r+1 outputs that it touches. But the
// rows that are still to come wait in a ring in shared memory, where bulk copies (cp.async before compute capability
// 9.0) bring them without registers: several rows of all frames are under way at once, as many bytes as the memory
// needs to be busy. A block is a single warp, so nobody ever waits for another. Weights come from shared memory into
// registers, four by a load, since multiply-adds with operands from constant memory were slower.
// Traffic: (1 + 1/16)(1 + 2r/H)·M_t loads per output for 4 columns and H rows a thread; DRAM sees every frame once.
// Limits: loops unrolled for 3, 5 or 7 taps and up to 7 frames, whose rows must fit in shared memory.
#include "kernels/contract/theory/model.h"
#include "kernels/contract/theory/tolerance.h"
#include "kernels/device/constant_weights.cuh"
#include "kernels/device/parts/even_strips.cuh"
#include "kernels/device/parts/row_ring.cuh"
#include "kernels/device/parts/row_stream.cuh"
#include "kernels/kinds/volume.h"
#include "kernels/strategies/shared/row_weights.cuh"

namespace convoscope::CONVOSCOPE_TARGET::volume::async_stream {

namespace {

__constant__ WeightPair weights[most_weight_pairs];
ConstantOwner weights_owner;

constexpr int block_threads = 32, columns = 4;  // columns: of a thread

// Rows of a step. Two share each weight's way from shared memory; of colours the sums of two do not fit in registers.
template <class Pixel>
constexpr int step_rows = channels_of<Pixel> > 1 ? 1 : 2;

constexpr int row_weight_quads(int size) { return (size + 3) / 4; }
constexpr int weight_quads(int count, int size) { return count * size * row_weight_quads(size); }

// The products of the ring's next rows of all frames. Slot j holds the sums of an output row to which row r of the step
// is row 2·Radius − j + r of the filter; all of them move up by the rows of a step first. Slots before `first` and
// after `last` belong to no row of the strip.
template <int Rows, int Channels, int Count, int Size, class Ring, class Alphas>
__device__ inline void add_rows(float (&sums)[Size + Rows - 1][Channels][columns], const Ring& ring,
                                const Shared<float4>& row_weights, Alphas& alphas, int first, int last) {
  constexpr int slots = Size + Rows - 1, quads = row_weight_quads(Size);
  CONVOSCOPE_UNROLL
  for (int j = 0; j < slots; ++j) CONVOSCOPE_UNROLL
  for (int c = 0; c < Channels; ++c) CONVOSCOPE_UNROLL
  for (int i = 0; i < columns; ++i) sums[j][c][i] = j + Rows < slots ? sums[(j + Rows) % slots][c][i] : 0.0f;
  CONVOSCOPE_UNROLL
  for (int t = 0; t < Count; ++t) {
    float x[Rows][Channels][columns + Size - 1];
    CONVOSCOPE_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const auto window = ring.window(r, t);
      if (t == Count / 2) alphas.push(window);
      CONVOSCOPE_UNROLL
      for (int c = 0; c < Channels; ++c) CONVOSCOPE_UNROLL
      for (int i = 0; i < columns + Size - 1; ++i) x[r][c][i] = window.channel(i - Size / 2, c);
    }
    CONVOSCOPE_UNROLL
    for (int j = 0; j < Size; ++j) {
      if (j + Rows - 1 < first || j > last) continue;
      float w[4 * quads];
      CONVOSCOPE_UNROLL
      for (int q = 0; q < quads; ++q) {
        const float4 four = row_weights[(t * Size + Size - 1 - j) * quads + q];
        w[4 * q] = four.x, w[4 * q + 1] = four.y, w[4 * q + 2] = four.z, w[4 * q + 3] = four.w;
      }
      CONVOSCOPE_UNROLL
      for (int k = 0; k < Size; ++k) CONVOSCOPE_UNROLL
      for (int r = 0; r < Rows; ++r) CONVOSCOPE_UNROLL
      for (int c = 0; c < Channels; ++c) CONVOSCOPE_UNROLL
      for (int i = 0; i < columns; ++i) sums[j + r][c][i] = fmaf(w[k], x[r][c][i + k], sums[j + r][c][i]);
    }
  }
}

// From constant memory, each row of the filter padded to whole quads.
template <int Count, int Size>
__device__ inline void fetch_weights(const Shared<float>& to, int first_pair) {
  constexpr int row = 4 * row_weight_quads(Size);
  CONVOSCOPE_KEEP_LOOP
  for (int i = static_cast<int>(threadIdx.x); i < Count * Size * row; i += block_threads) {
    const int place = i / row * Size + min(i % row, Size - 1);
    const WeightPair pair = weights[first_pair + place / 2];
    to[i] = place % 2 ? pair.second : pair.first;
  }
}

// Blocks on a multiprocessor, as far as registers go: so many that multiply-adds hide what each of them waits for.
template <class Pixel>
constexpr int fewest_blocks = channels_of<Pixel> > 1 ? 10 : 20;

template <class Pixel, int Radius, int Count>
__global__ void __launch_bounds__(block_threads, (fewest_blocks<Pixel>))
    filter_volume_async(Frames<Pixel> in, ImageView<Pixel> out, EvenStrips strips, int depth, Border border,
                        Epilogue epilogue, int in_aligned, int out_aligned) {
  constexpr int size = 2 * Radius + 1, channels = channels_of<Pixel>, step = step_rows<Pixel>;
  constexpr int quads = weight_quads(Count, size);
  static_assert(step == 1 || channels == 1, "the alphas of one row are kept");
  const int x0 = static_cast<int>(blockIdx.x * block_threads + threadIdx.x) * columns;
  const auto [top, rows] = strips.at(static_cast<int>(blockIdx.y), out.height, step);
  const int steps = (rows + 2 * Radius + step - 1) / step;
  const bool up = blockIdx.y % 2 == 1;
  const int start = up ? top + rows - 1 : top, direction = up ? -1 : 1;
  RowRing<Pixel, Count, columns, step> ring(in, quads, depth, static_cast<int>(blockIdx.x) * block_threads * columns,
                                            start - direction * Radius, direction, steps, border, in_aligned);

  for (int ahead = 1; ahead < depth; ++ahead) ring.start();
  fetch_weights<Count, size>(shared_memory<float>(0, 4 * quads), up ? pairs_of(Count * size * size) : 0);
  const auto row_weights = shared_memory<float4>(0, quads);
  float sums[size + step - 1][channels][columns] = {};
  AlphaRing<Pixel, Radius, columns> alphas;
  CONVOSCOPE_KEEP_LOOP
  for (int at = -2 * Radius; at < rows; at += step) {  // the row of the strip that slot 0 is for
    ring.wait();
    ring.start();
    add_rows<step, channels, Count, size>(sums, ring, row_weights, alphas, -at, rows - 1 - at);
    ring.next();
    if (x0 >= out.width) continue;
    CONVOSCOPE_UNROLL
    for (int r = 0; r < step; ++r)
      if (at + r >= 0 && at + r < rows)
        store_row<Pixel, 1, columns>(
            pixel_at(out, x0, start + direction * (at + r)), x0, out.width, epilogue, out_aligned,
            [&](int, int c, int i) { return sums[r][c][i]; }, alphas.oldest());
  }
}

constexpr int warp_choices[] = {0, 8, 12, 16, 24, 32};
constexpr int depths[] = {0, 2, 3, 4, 6, 8};
constexpr Tunable tunables[] = {
    {"warps", "Warps",
     "Of a multiprocessor, each with a strip so high that all are done in one turn. More of them have shorter strips, "
     "which read more of their neighbours' rows. 0: 16, and 12 for 7 frames",
     warp_choices, 0},
    {"depth", "Steps in the ring",
     "Steps whose rows of every frame a warp has in shared memory, two rows of one channel or one of colours each; all "
     "but one of them are under way. 0: 2 of two rows, 3 of one",
     depths, 0},
};

int warps_of(const Problem& p, const Tuned& t) {
  const int chosen = t["warps"];
  return chosen ? chosen : p.filter.depth == 7 ? 12 : 16;
}
int step_rows_of(const Problem& p) { return channels(p.format) > 1 ? 1 : 2; }
int depth_of(const Problem& p, const Tuned& t) {
  const int chosen = t["depth"];
  return chosen ? chosen : step_rows_of(p) == 2 ? 2 : 3;
}
std::size_t shared_bytes_of(const Problem& p, const Tuned& t) {
  const int before = weight_quads(p.filter.depth, 2 * built_radius(p.filter) + 1) + ring_barrier_quads;
  return static_cast<std::size_t>(16 * before +
                                  depth_of(p, t) * step_rows_of(p) * p.filter.depth * ring_row_bytes(columns));
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
  int depth;
  EvenStrips all;
  std::size_t shared_bytes;  // the rings
  dim3 grid;
};

// As high as makes all blocks resident at once, for a second turn with a few blocks in it would take as long as the
// first.
Strips strips_of(const Problem& problem, const Device& device, const Tuned& tuning) {
  constexpr int fewest_rows = 4;
  const int across = ceil_div(problem.width, block_threads * columns);
  const std::size_t shared = shared_bytes_of(problem, tuning);
  int count = 1;
  with_kernel(problem, [&]<class Pixel>(auto kernel) {
    allow_shared(kernel, shared);
    const int fit = blocks_per_multiprocessor(kernel, dim3(block_threads), shared);
    const int blocks = device.multiprocessors * std::min(fit, warps_of(problem, tuning));
    count = strips_at_once(problem.height, across, blocks, fewest_rows);
  });
  return {depth_of(problem, tuning), even_strips(problem.height, step_rows_of(problem), count, LongerStrips::at_top),
          shared, dim3(across, count)};
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
             VolumeViews<Pixel>::out(out[0]), strips_.all, strips_.depth, problem_.border,
             make_epilogue(problem_.filter, problem_.format), std::ranges::all_of(in, aligned), aligned(out[0]));
    });
  }
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos;
    with_kernel(problem_, [&]<class Pixel>(auto kernel) {
      infos = {describe("filter_volume_async", kernel, strips_.grid, dim3(block_threads), strips_.shared_bytes)};
    });
    return weights_.described(std::move(infos));
  }
  std::string note() const override {
    return "strips of " + std::to_string(columns) + " columns and " +
           std::to_string(strips_.all.highest() * step_rows_of(problem_)) + " rows, rings of " +
           std::to_string(strips_.depth * step_rows_of(problem_)) + " rows";
  }

 private:
  Problem problem_;
  Strips strips_;
  ConstantWeights weights_;
};

}  // namespace

extern const Strategy strategy{
    .id = "async-stream",
    .title = "Register stream from a ring",
    .idea =
        "Each thread walks along a strip of a few columns in all frames at once, as in register-stream. The rows to "
        "come are copied into a ring in shared memory meanwhile, without passing through registers, so several are "
        "under way at any time. Every warp has its own ring and waits for no other.",
    .reading =
        "PMPP 4th ed., ch. 8.4 and 8.5 (stencils: thread coarsening and register tiling); CUDA guide, "
        "asynchronous and bulk copies",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return float32_sum_bound(p, p.filter.taps()); },
    .refuses = [](const Problem& p, const Device& device, const Tuned& t) -> std::string {
      if (std::string reason = unrolled_reason(p.filter); !reason.empty()) return reason;
      if (const int warps = warps_of(p, t); warps < 1)
        return "A multiprocessor cannot have " + std::to_string(warps) + " warps";
      if (const int depth = depth_of(p, t); depth < 2 || depth > most_ring_steps)
        return "A ring cannot have " + std::to_string(depth) + " steps: choose 2 to " + std::to_string(most_ring_steps);
      return shared_memory_reason(shared_bytes_of(p, t), device);
    },
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      return std::make_unique<AsyncStreamPlan>(p, strips_of(p, device, t));
    },
    .costs = [](const Problem& p, const Tuned&) -> Cost {
      const int radius = built_radius(p.filter);
      const double size = 2 * radius + 1, rows = 32;
      Cost cost = direct_cost(p);
      cost.flop *= size * size / (p.filter.width * p.filter.height);  // products with the padding's zeros are made too
      const double rows_loaded = p.filter.depth * (rows + 2 * radius) / rows;
      cost.global_loads_per_output = rows_loaded * (block_threads * columns + 8) / (block_threads * columns);
      cost.shared_loads_per_output = rows_loaded * (columns + 8) / columns;
      return cost;
    },
    .explains =
        [](const Problem& p, const Device& device, const Tuned& t, const OutputIndex& at) {
          const Strips strips = strips_of(p, device, t);
          const int radius = built_radius(p.filter);
          const int step_rows = step_rows_of(p);
          const ThreadStrip strip{columns, p.height, 4, radius};
          KernelStep step =
              one_strip_per_thread("filter_volume_async", block_threads, 1, strip, p.width, p.height, at.x, at.y);
          const PixelArea made = place_in_strip(step, strips.all, p.height, step_rows, at.y);
          step.thread_outputs[0].y = made.y, step.thread_outputs[0].height = made.height;
          step.direct[0].y = made.y - radius, step.direct[0].height = made.height + 2 * radius;
          // The last step of a strip may have rows more than are needed, on the side that the warp walks to.
          const int rows = made.height + 2 * radius;
          const int beyond = ceil_div(rows, step_rows) * step_rows - rows;
          step.direct[0].height += beyond;
          if (step.block[1] % 2 == 1) step.direct[0].y -= beyond;
          const std::string size = std::to_string(2 * radius + 1);
          step.words = "Each warp has the next " + std::to_string(strips.depth * step_rows_of(p)) +
                       " rows of its columns in every frame in shared memory or on the way there. Each thread adds a "
                       "row to the sums of the " +
                       size + " output rows that it touches, which wait in registers.";
          std::string words;
          if (p.filter.width < 2 * radius + 1 || p.filter.height < 2 * radius + 1)
            words = "In each frame the filter is padded with zeros to " + size + " × " + size + " weights.";
          return in_all_frames(p, Explanation{.steps = {std::move(step)}, .words = std::move(words)});
        },
    .kind = &volume_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::volume::async_stream
