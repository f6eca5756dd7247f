// tensor-core-int8 with Hopper's instructions. A block walks down strips of the image, 32 rows at a time: half of its
// warps load them into a ring (byte_ring.cuh), the others multiply and store, and mbarriers tell who may go on.
// Traffic: (W + 2rx)/W · (1 + 2ry/H) loads per output for strips of W columns and a block's H rows of them, one store.
// Limits: compute capability 9.0 alone; rgba8; rx, ry ≤ 16; weights that one round of 16 bits holds.
#include "kernels/device/one_kernel.cuh"
#include "kernels/device/parts/wgmma_int8.cuh"
#include "kernels/strategies/shared/image/byte_matrices.cuh"
#include "kernels/strategies/shared/image/byte_ring_areas.cuh"
#include "kernels/strategies/shared/image/byte_weights.h"
#include "kernels/strategies/shared/warpgroups.h"
#include "kernels/text/number_text.h"

namespace convoscope::CONVOSCOPE_TARGET::tensor_core_wgmma {
namespace {

constexpr int lanes = 32, warpgroup = 128, columns_at_once = 128;

// Chunks: of 16 rows of input, that 32 rows of outputs see: three up to a radius of 8, else four. The matrices of the
// weights are then so large that two warpgroups share them. As many load as multiply.
template <int Chunks>
struct Strip {
  static constexpr int multiplying = Chunks == 3 ? 1 : 2;  // warpgroups
  static constexpr int width = multiplying * columns_at_once, threads = 2 * multiplying * warpgroup;
  static constexpr int blocks = 2 / multiplying;  // of a multiprocessor
  // Of a filter column: bands of 8 rows by 16 of depth, each for the high and the low bytes. Chunk c of a warp's eight
  // rows of outputs, counted from the lowest, is band 2c + warp.
  static constexpr int bands = 2 * (Chunks - 1) + 4, band_chunks = 16, matrix_chunks = bands * band_chunks;
};
constexpr int registers_to_load = 88, registers_to_multiply = 168;  // 128 on average

struct Task {
  ImageView<const unsigned> in;
  ImageView<unsigned> out;
  const ByteColumn* weights;  // the matrices of all filter columns
  int weight_chunks, rx, ry;
  int down, steps, steps_of_block;  // tiles of 32 rows: below one another in the image, in all, of a block
  bool store_pairs;
  Border border;
  int shift, offset;  // output = (sum + offset) >> shift
};

// Tiles below one another, of those that a block has from `step` on.
struct Walk {
  int x, y, tiles;
};
CONVOSCOPE_HOST_DEVICE inline Walk walk_from(int step, int end, int down, int strip_width) {
  const int column = step / down, first = step - column * down, left = down - first;
  return {column * strip_width, first * slot_rows, end - step < left ? end - step : left};
}

constexpr int slots_full = 0, slots_free = ring_slots, barrier_count = 2 * ring_slots;

#if defined(CONVOSCOPE_WGMMA)

// A thread's part of a walk's slots: a column of both chunks.
class Loader {
 public:
  __device__ Loader(const Task& task, const Shared<ByteColumn>& ring, const Walk& walk, int strip_width)
      : upper_(part(task, ring, walk, strip_width, 0)), lower_(part(task, ring, walk, strip_width, 1)) {}
  __device__ void load(const Barriers& barriers, int slot, const RingPlace& place) const {
    // Both are under way before anyone waits for the slot to be free.
    LoadedRows upper, lower;
    upper_.load(upper, slot);
    lower_.load(lower, slot);
    barriers.wait(slots_free + place.slot, place.parity ^ 1);
    upper_.store(upper, place.slot);
    lower_.store(lower, place.slot);
    shared_writes_before_copies_and_products();
    barriers.arrive(slots_full + place.slot);
  }

 private:
  __device__ static ByteRing part(const Task& task, const Shared<ByteColumn>& ring, const Walk& walk, int strip_width,
                                  int chunk) {
    const int rows = min(walk.tiles * slot_rows, task.out.height - walk.y) + 2 * task.ry;
    return {task.in,
            task.border,
            ring,
            walk.x - task.rx,
            walk.y - task.ry,
            rows,
            strip_width,
            strip_width + 2 * task.rx,
            static_cast<int>(threadIdx.x) % strip_width + chunk * strip_width};
  }
  ByteRing upper_, lower_;
};

// The first slot is loaded by those that will multiply.
template <int Chunks>
__device__ inline void load_strips(const Task& task, const Barriers& barriers, const Shared<ByteColumn>& ring, int step,
                                   int end) {
  RingPlace place;
  place.next(ring_slots);
  for (int slot = 1; step < end; slot = 0) {
    const Walk walk = walk_from(step, end, task.down, Strip<Chunks>::width);
    const Loader loader(task, ring, walk, Strip<Chunks>::width);
    CONVOSCOPE_KEEP_LOOP
    for (; slot <= walk.tiles; ++slot) {
      loader.load(barriers, slot, place);
      place.next(ring_slots);
    }
    step += walk.tiles;
  }
}

// The products of all filter columns for 32 rows of 128 outputs of a channel. upper, lower: where the columns begin in
// the slot of these rows and in the one below.
template <int Chunks>
__device__ inline void multiply(int (&sums)[64], const Task& task, const Shared<ByteColumn>& shared, int upper,
                                int lower, int columns) {
  constexpr int matrix = Strip<Chunks>::matrix_chunks, chunk = 2 * Strip<Chunks>::band_chunks, eight = 8;
  CONVOSCOPE_UNROLL
  for (int i = 0; i < 64; ++i) sums[i] = i % 4 < 2 ? 0 : task.offset;
  // Both factors lie in shared memory: the instructions only say where.
  begin_products();
  if constexpr (Chunks == 3) {  // the third chunks of two columns side by side are a product together
    CONVOSCOPE_KEEP_LOOP
    for (int pair = 0; pair <= task.rx; ++pair) {
      const int a = pair * 2 * matrix, b = pair * 2;
      multiply_warpgroup(sums, shared, {a, chunk, eight}, {upper + b, columns, eight});
      multiply_warpgroup(sums, shared, {a + matrix, chunk, eight}, {upper + b + 1, columns, eight});
      multiply_warpgroup(sums, shared, {a + 2 * chunk, matrix, eight}, {lower + b, 1, eight});
    }
  } else {
    CONVOSCOPE_KEEP_LOOP
    for (int column = 0; column <= 2 * task.rx; ++column) {
      const int a = column * matrix;
      multiply_warpgroup(sums, shared, {a, chunk, eight}, {upper + column, columns, eight});
      multiply_warpgroup(sums, shared, {a + 2 * chunk, chunk, eight}, {lower + column, columns, eight});
    }
  }
  commit_products();
  wait_products<0>();
}

template <int Chunks>
__device__ inline void multiply_strips(const Task& task, const Barriers& barriers, const Shared<ByteColumn>& shared,
                                       const Shared<unsigned char>& bytes, int step, int end) {
  constexpr int pixels = columns_at_once / 4, width = Strip<Chunks>::width;
  const int t = static_cast<int>(threadIdx.x), lane = t % lanes, g = lane / 4;
  const int columns = width + 2 * task.rx, channel_step = 2 * columns;
  // Of a tile a thread has one row, and two columns of every eight.
  const int row = (3 - t / lanes % 4) * 8 + g, group = t / warpgroup * columns_at_once, column = group + lane % 4 * 2;
  const int below = row + task.ry;  // where the row is in the slot, or, from 32 on, in the one below
  const int alpha =
      (3 * channel_step + below / chunk_rows % 2 * columns + column + task.rx) * chunk_rows + below % chunk_rows;
  const auto slot_chunk = [&](const RingPlace& place) {
    return task.weight_chunks + place.slot * ByteRing::slot_elements(columns);
  };
  RingPlace upper, lower;
  lower.next(ring_slots);
  const auto go_down = [&] {
    upper = lower;
    lower.next(ring_slots);
  };
  while (step < end) {
    const Walk walk = walk_from(step, end, task.down, width);
    const int x = walk.x + column;
    const bool whole_pairs = task.store_pairs && walk.x + width <= task.out.width;
    barriers.wait(slots_full + upper.slot, upper.parity);
    CONVOSCOPE_KEEP_LOOP
    for (int tile = 0; tile < walk.tiles; ++tile) {
      const int y = walk.y + tile * slot_rows + row;
      barriers.wait(slots_full + lower.slot, lower.parity);
      unsigned made[pixels];  // begin as alpha; channels come in descending order
      const int first = slot_chunk(below < slot_rows ? upper : lower) * chunk_rows + alpha;
      CONVOSCOPE_UNROLL
      for (int i = 0; i < pixels; ++i) made[i] = bytes[first + (i / 2 * 8 + i % 2) * chunk_rows];
      CONVOSCOPE_UNROLL
      for (int c = 2; c >= 0; --c) {
        int sums[64];
        multiply<Chunks>(sums, task, shared, slot_chunk(upper) + c * channel_step + group,
                         slot_chunk(lower) + c * channel_step + group, columns);
        CONVOSCOPE_UNROLL
        for (int i = 0; i < pixels; ++i) {
          const int high = sums[i / 2 * 4 + i % 2], low = sums[i / 2 * 4 + 2 + i % 2];
          const int value =
              static_cast<int>(static_cast<unsigned>(high) * 256u + static_cast<unsigned>(low)) >> task.shift;
          if (c == 2) made[i] = pack_bytes(static_cast<int>(made[i]), value, 0);  // 0 0 a b
          if (c == 1) made[i] = pack_bytes(0, value, made[i]);                    // a b 0 g
          if (c == 0) made[i] = __byte_perm(made[i], pack_bytes(0, value, 0), 0x3204);
        }
      }
      // The slot above may be loaded anew, as soon as all warps have said so.
      __syncwarp();
      if (lane == 0) {
        barriers.arrive(slots_free + upper.slot);
        if (tile == walk.tiles - 1) barriers.arrive(slots_free + lower.slot);
      }
      if (y < task.out.height) {
        if (whole_pairs) {
          unsigned* const to = pixel_at(task.out, x, y);
          CONVOSCOPE_UNROLL
          for (int i = 0; i < pixels; i += 2) *reinterpret_cast<uint2*>(to + 4 * i) = make_uint2(made[i], made[i + 1]);
        } else {
          CONVOSCOPE_UNROLL
          for (int i = 0; i < pixels; ++i) {
            const int at = x + i / 2 * 8 + i % 2;
            if (at < task.out.width) *pixel_at(task.out, at, y) = made[i];
          }
        }
      }
      go_down();
    }
    go_down();  // the last slot was nobody's upper one
    step += walk.tiles;
  }
}

#endif

template <int Chunks>
__global__ void __launch_bounds__(Strip<Chunks>::threads, Strip<Chunks>::blocks)
    filter_bytes([[maybe_unused]] const __grid_constant__ Task task) {
#if defined(CONVOSCOPE_WGMMA)
  using S = Strip<Chunks>;
  const int t = static_cast<int>(threadIdx.x), ring_chunks = ByteRing::elements(S::width + 2 * task.rx);
  const int chunks = task.weight_chunks + ring_chunks;
  const Shared<ByteColumn> shared = shared_memory<ByteColumn>(0, chunks);
  const Barriers barriers(static_cast<std::size_t>(chunks) * sizeof(ByteColumn), barrier_count);
  if (t == 0) {
    for (int i = 0; i < ring_slots; ++i) {
      barriers.initialise(slots_full + i, S::width);
      barriers.initialise(slots_free + i, S::multiplying * warpgroup / lanes);
    }
    barriers.initialised();
  }
  for (int i = t; i < task.weight_chunks; i += S::threads) shared[i] = task.weights[i];
  shared_writes_before_copies_and_products();
  __syncthreads();
  wait_for_kernel_before();
  const int step = static_cast<int>(blockIdx.x) * task.steps_of_block,
            end = min(step + task.steps_of_block, task.steps);
  const Shared<ByteColumn> ring = shared_memory<ByteColumn>(task.weight_chunks * sizeof(ByteColumn), ring_chunks);
  // Those that load need few registers, which the others take for their 64 sums.
  if (t / warpgroup >= S::multiplying) {
    give_registers_back<registers_to_load>();
    load_strips<Chunks>(task, barriers, ring, step, end);
  } else {
    take_registers<registers_to_multiply>();
    if (step < end) Loader(task, ring, walk_from(step, end, task.down, S::width), S::width).load(barriers, 0, {});
    multiply_strips<Chunks>(task, barriers, shared, shared_memory<unsigned char>(0, 16 * chunks), step, end);
  }
#endif
}

constexpr int max_radius = 16;
int chunks_of(const Filter& filter) { return filter.ry() <= 8 ? 3 : 4; }

constexpr int step_counts[] = {0, 1, 2, 4, 8, 16, 32};
constexpr Tunable tunables[] = {
    {"steps", "Tiles of a block",
     "Tiles of 32 rows that a block makes one after the other: with many, few rows are loaded twice. 0: as many as let "
     "all multiprocessors work at once",
     step_counts, 0},
};

struct Shape {
  int strip_width, threads, down, bands, steps, steps_of_block, blocks, weight_chunks;
  std::size_t shared;
};
Shape shape(const Problem& p, int multiprocessors, int steps) {
  return with_number<3, 4>(chunks_of(p.filter), [&]<int Chunks>() {
    using S = Strip<Chunks>;
    Shape s{.strip_width = S::width, .threads = S::threads, .down = ceil_div(p.height, slot_rows), .bands = S::bands};
    s.weight_chunks = (p.filter.width + (chunks_of(p.filter) == 3 ? 1 : 0)) * S::matrix_chunks;  // by twos
    const int chunks = s.weight_chunks + ByteRing::elements(S::width + 2 * p.filter.rx());
    s.shared = static_cast<std::size_t>(chunks) * sizeof(ByteColumn) + barrier_count * sizeof(std::uint64_t);
    constexpr std::size_t half = 113 * 1024;  // of a multiprocessor's 228 KB, of which a block takes 1 KB besides
    const int resident = s.shared <= half ? S::blocks : 1;
    s.steps = s.down * ceil_div(p.width, S::width);
    s.steps_of_block = steps > 0 ? steps : ceil_div(s.steps, std::max(multiprocessors, 1) * resident);
    s.blocks = ceil_div(s.steps, s.steps_of_block);
    return s;
  });
}

struct WarpgroupBytes : OneKernel<GlobalFilter<ByteColumn>> {
  Shape strips;
  ByteFilter filter = {};

  static constexpr const char* name = "filter_bytes";
  static constexpr bool begins_early = true;
  void take_filter() {
    filter = byte_filter(problem.filter);
    memory.set(byte_matrices(filter.fixed.values, problem.filter, strips.bands, strips.weight_chunks));
  }
  template <class F>
  void with_kernel(F&& f) const {
    with_number<3, 4>(chunks_of(problem.filter), [&]<int Chunks>() { f(filter_bytes<Chunks>); });
  }
  Task task(const Image& in, const Image& out) const {
    return {.in = in.view<const unsigned>(),
            .out = out.view<unsigned>(),
            .weights = memory.data(),
            .weight_chunks = strips.weight_chunks,
            .rx = problem.filter.rx(),
            .ry = problem.filter.ry(),
            .down = strips.down,
            .steps = strips.steps,
            .steps_of_block = strips.steps_of_block,
            .store_pairs = (reinterpret_cast<std::uintptr_t>(out.data) | out.pitch) % sizeof(uint2) == 0,
            .border = problem.border,
            .shift = filter.fixed.shift,
            .offset = filter.fixed.offset};
  }
  std::string note() const {
    return "weights in 16 bits, which costs at most " + rounded_text(filter.cost, 2) + " code values; " +
           std::to_string(strips.steps_of_block) + " tiles of " + std::to_string(strips.strip_width) + " × 32 a block";
  }
};

std::string unsupported(const Problem& p, const Device& device, const Tuned&) {
  if (p.format != PixelFormat::rgba8)
    return "the matrices take 8-bit pixels, rgba8; this image is " + std::string(to_string(p.format));
  if (const int radius = std::max(p.filter.rx(), p.filter.ry()); radius > max_radius)
    return "shared memory holds the matrices of radii up to " + std::to_string(max_radius) + "; this filter's is " +
           std::to_string(radius);
  if (!byte_filter(p.filter).plain)
    return "one round of products with weights of 16 bits has to do; tensor-core-int8 takes several, for what needs "
           "finer weights, an absolute value or a magnitude";
  if (const std::string reason = reason_without_warpgroups(device); !reason.empty()) return reason;
  return shared_memory_reason(shape(p, device.multiprocessors, 0).shared, device);
}

// An instruction makes 64 · 32 multiply-adds for each of 128 columns, of 32 rows of outputs; alpha is copied.
Cost model(const Problem& p, const Tuned& tuning) {
  constexpr int multiprocessors = 132;  // of the devices that have the instruction
  const Shape s = shape(p, multiprocessors, tuning["steps"]);
  const double products = 3.0 * (chunks_of(p.filter) == 3 ? 3 * (p.filter.rx() + 1) : 2 * p.filter.width);
  const double repeated = 1 + 2.0 * p.filter.ry() / (slot_rows * s.steps_of_block);
  constexpr double words_of_factors = (64 + columns_at_once) * 8;
  return {.flop = 2 * 64 * products * outputs(p),
          .global_loads_per_output = static_cast<double>(s.strip_width + 2 * p.filter.rx()) / s.strip_width * repeated,
          .global_stores_per_output = 1,
          .shared_loads_per_output = words_of_factors * products / (slot_rows * columns_at_once),
          .dram_bytes = 2 * frame_bytes(p),
          .on_matrix_units = true};
}

Explanation explain(const Problem& p, const Device& device, const Tuned& tuning, const OutputIndex& at) {
  const Shape s = shape(p, device.multiprocessors, tuning["steps"]);
  const int column = at.x % s.strip_width, row = at.y % slot_rows;
  const int block = (at.x / s.strip_width * s.down + at.y / slot_rows) / s.steps_of_block;
  KernelStep step;
  step.kernel = WarpgroupBytes::name;
  step.block = {block, 0, 0};
  step.block_size = {s.threads, 1, 1};
  step.thread = {column / columns_at_once * warpgroup + (3 - row / 8) * lanes + row % 8 * 4 + column % 8 / 2, 0, 0};
  step.tile_in_turns = true;
  const int end = std::min((block + 1) * s.steps_of_block, s.steps);
  for (int first = block * s.steps_of_block; first < end;) {
    const Walk walk = walk_from(first, end, s.down, s.strip_width);
    step.outputs.push_back({walk.x, walk.y, s.strip_width, walk.tiles * slot_rows});
    for (const PixelArea& area : areas_in_ring(p, walk.x, walk.y, s.strip_width, walk.tiles * slot_rows))
      step.tile.push_back(area);
    for (int tile = 0; tile < walk.tiles; ++tile)
      for (int eight = 0; eight < columns_at_once; eight += 8)
        step.thread_outputs.push_back({walk.x + column / columns_at_once * columns_at_once + eight + column % 8 / 2 * 2,
                                       walk.y + tile * slot_rows + row, 2, 1});
    first += walk.tiles;
  }
  step.words =
      "Half of the block's warps load 32 rows after the other into shared memory, one channel after the other. For "
      "each filter column the others multiply the matrix of its weights, which lies there from the beginning, with 128 "
      "columns of pixels, that column's distance further right. The thread that is named here holds this output's "
      "sums.";
  return Explanation{.steps = {std::move(step)},
                     .words =
                         "Weights are rounded to 16 bits, each in two signed bytes; the sums of products are exact, "
                         "and scaled by a shift."};
}

}  // namespace

extern const Strategy strategy{
    .id = "tensor-core-wgmma",
    .title = "Tensor cores, integers, warpgroups",
    .idea =
        "tensor-core-int8 with Hopper's instructions: four warps multiply a filter column's banded matrix with 128 "
        "columns of pixels at a time, both straight from shared memory. As many more load the image and lay its "
        "bytes in order.",
    .reading = "PMPP 4th ed., ch. 16.4; PTX ISA, wgmma.mma_async and setmaxnreg",
    .backend = target_backend,
    .tunables = tunables,
    .tolerance = [](const Problem& p) { return byte_filter(p.filter).cost; },  // the sums are exact
    .refuses = unsupported,
    .plans = [](const Problem& p, const Device& device, const Tuned& t) -> std::unique_ptr<Plan> {
      const Shape s = shape(p, device.multiprocessors, t["steps"]);
      return one_kernel_plan<WarpgroupBytes>(p, {dim3(s.blocks), dim3(s.threads), s.shared}, s);
    },
    .costs = model,
    .explains = explain,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::tensor_core_wgmma
