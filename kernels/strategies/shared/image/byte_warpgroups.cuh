#pragma once
// Products of bytes by warpgroups. A block walks down strips of the image, 32 rows at a time: half of its warps
// load them into a ring (byte_ring.cuh), the others multiply and store, and mbarriers tell who may go on. A filter
// column's matrix has the high and the low bytes of the weights for 32 rows of outputs. Eight rows further down it is
// the same matrix, so that it lies in shared memory once, and its parts overlap.
#include "kernels/device/parts/wgmma_int8.cuh"
#include "kernels/strategies/shared/image/byte_ring.cuh"

namespace convoscope::CONVOSCOPE_TARGET::byte_warpgroups {

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

}  // namespace convoscope::CONVOSCOPE_TARGET::byte_warpgroups
