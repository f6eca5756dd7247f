#pragma once
// A tiled matrix product on tensor cores, C = A · B, whatever A and B are made of: float16 numbers, two in a 32-bit
// word one after the other in depth, or tf32, one in a word. In words both are the same product. Slabs of A and B, 16
// words deep, lie in shared memory, two of each: while one is multiplied, the next is on its way through registers. A
// warp makes 16 × 8 outputs with an instruction that is 8 words deep.
#include "kernels/device/parts/layer_numbers.cuh"
#include "kernels/device/parts/wide_pixel.cuh"
#include "kernels/strategies/shared/layer/partials.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

inline constexpr int slab_words = 16, chunk_words = 4, slab_chunks = slab_words / chunk_words;
inline constexpr int word_pitch = slab_words + 4;  // the fragments of a warp are on 32 different banks

template <class T>
inline constexpr int word_elements = 4 / static_cast<int>(sizeof(T));
template <class T>
inline constexpr int chunk_elements = chunk_words* word_elements<T>;  // 16 bytes of float16 or float32
template <class T>
inline constexpr int slab_depth = slab_words* word_elements<T>;
template <class T>
inline constexpr int instruction_depth = 8 * word_elements<T>;

// Neighbours in depth.
__device__ inline uint4 packed(const Half (&e)[8]) {
  const auto pair = [&](int i) { return e[i] | static_cast<unsigned>(e[i + 1]) << 16; };
  return {pair(0), pair(2), pair(4), pair(6)};
}
__device__ inline uint4 packed(const float (&e)[4]) {
  return {tf32_bits(e[0]), tf32_bits(e[1]), tf32_bits(e[2]), tf32_bits(e[3])};
}
// The same of a chunk that lies in memory so.
template <class T>
__device__ inline uint4 packed_from(const T* chunk) {
  const uint4 bits = __ldg(reinterpret_cast<const uint4*>(chunk));
  if constexpr (sizeof(T) == 2) return bits;
  return {tf32_bits(__uint_as_float(bits.x)), tf32_bits(__uint_as_float(bits.y)), tf32_bits(__uint_as_float(bits.z)),
          tf32_bits(__uint_as_float(bits.w))};
}

template <class T>
__device__ inline void multiply_words(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  if constexpr (sizeof(T) == 2)
    mma_m16n8k16(d, a, b);
  else
    mma_m16n8k8_tf32(d, a, b);
}

// A block's part of C, and how many warps share it in each direction.
template <int Rows, int Columns, int Down, int Across>
struct WordTile {
  static constexpr int rows = Rows, columns = Columns, down = Down, across = Across;
  static constexpr int warp_rows = Rows / Down, warp_columns = Columns / Across, threads = 32 * Down * Across;
  static constexpr int slab = (Rows + Columns) * word_pitch;
  static constexpr std::size_t shared_bytes = 2 * sizeof(unsigned) * slab;
  static_assert(warp_rows % 16 == 0 && warp_columns % 8 == 0);
};

// A thread's share of each slab of an operand, in chunks. The source says what is next to what in memory: a lane's
// chunks (chunks_first), or the same chunk of neighbouring lanes.
template <class T, int Lanes, class Tile, class Source>
class ChunkLoader {
  static constexpr int all = Lanes * slab_chunks, count = (all + Tile::threads - 1) / Tile::threads;

 public:
  __device__ ChunkLoader(const Source& source, int first_lane) : source_(source) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < count; ++i) lanes_[i] = source.lane(first_lane + lane(i));
  }
  __device__ void load(int first_depth, int end_depth) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < count; ++i)
      if (index(i) < all) values_[i] = source_.chunk(lanes_[i], first_depth + chunk(i) * chunk_elements<T>, end_depth);
  }
  __device__ void store(const Shared<uint4>& shared, int slab) const {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < count; ++i)
      if (index(i) < all) shared[slab / chunk_words + lane(i) * (word_pitch / chunk_words) + chunk(i)] = values_[i];
  }

 private:
  __device__ static int index(int i) { return static_cast<int>(threadIdx.x) + i * Tile::threads; }
  __device__ static int lane(int i) { return Source::chunks_first ? index(i) / slab_chunks : index(i) % Lanes; }
  __device__ static int chunk(int i) { return Source::chunks_first ? index(i) % slab_chunks : index(i) / Lanes; }

  const Source& source_;
  std::decay_t<decltype(std::declval<Source>().lane(0))> lanes_[count];
  uint4 values_[count];
};

// One tile, of the depths from first_depth to before end_depth. first_depth is a whole number of slabs.
template <class T, class Tile, class A, class B, class C>
__device__ inline void multiply_tile(const A& a, const B& b, const C& result, int first_row, int first_column,
                                     int first_depth, int end_depth) {
  const Shared<unsigned> words = shared_memory<unsigned>(0, 2 * Tile::slab);
  const Shared<uint4> chunks = shared_memory<uint4>(0, 2 * Tile::slab / chunk_words);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int g = lane / 4, t = lane % 4;
  const int own_row = warp % Tile::down * Tile::warp_rows, own_column = warp / Tile::down * Tile::warp_columns;
  ChunkLoader<T, Tile::rows, Tile, A> rows(a, first_row);
  ChunkLoader<T, Tile::columns, Tile, B> columns(b, first_column);
  const auto store_slab = [&](int slab) {
    rows.store(chunks, slab);
    columns.store(chunks, slab + Tile::rows * word_pitch);
    __syncthreads();
  };

  constexpr int down = Tile::warp_rows / 16, across = Tile::warp_columns / 8;
  float sums[down][across][4] = {};
  rows.load(first_depth, end_depth);
  columns.load(first_depth, end_depth);
  int slab = 0;
  store_slab(slab);
  CONVOSCOPE_KEEP_LOOP
  for (int k = first_depth; k < end_depth; k += slab_depth<T>) {
    const bool more = k + slab_depth<T> < end_depth;
    if (more) {
      rows.load(k + slab_depth<T>, end_depth);
      columns.load(k + slab_depth<T>, end_depth);
    }
    CONVOSCOPE_UNROLL
    for (int step = 0; step < slab_words; step += 8) {
      const int first_a = slab + (own_row + g) * word_pitch + step + t;
      const int first_b = slab + (Tile::rows + own_column + g) * word_pitch + step + t;
      unsigned right[across][2];
      CONVOSCOPE_UNROLL
      for (int j = 0; j < across; ++j) CONVOSCOPE_UNROLL
      for (int half = 0; half < 2; ++half) right[j][half] = words[first_b + j * 8 * word_pitch + half * 4];
      CONVOSCOPE_UNROLL
      for (int i = 0; i < down; ++i) {
        unsigned left[4];
        CONVOSCOPE_UNROLL
        for (int q = 0; q < 4; ++q) left[q] = words[first_a + (i * 16 + q % 2 * 8) * word_pitch + q / 2 * 4];
        CONVOSCOPE_UNROLL
        for (int j = 0; j < across; ++j) multiply_words<T>(sums[i][j], left, right[j]);
      }
    }
    slab = Tile::slab - slab;
    if (more) store_slab(slab);
  }
  CONVOSCOPE_UNROLL
  for (int i = 0; i < 2 * down; ++i) {
    const auto place = result.place(first_row + own_row + i * 8 + g);
    CONVOSCOPE_UNROLL
    for (int j = 0; j < across; ++j)
      result.store(place, first_column + own_column + j * 8 + 2 * t, sums[i / 2][j][i % 2 * 2],
                   sums[i / 2][j][i % 2 * 2 + 1]);
  }
}

// What is multiplied: of a batch (blockIdx.z) and a part of the depth (blockIdx.y) the matrices, and where sums go.
// Blocks at work together have the same rows and different columns, so that they read the same part of A.
template <class T, class Tile, class Task>
__global__ void __launch_bounds__(Tile::threads) layer_product_tensor(Task task) {
  const int across = ceil_div(task.columns, Tile::columns), batch = static_cast<int>(blockIdx.z);
  const int row = static_cast<int>(blockIdx.x) / across * Tile::rows,
            column = static_cast<int>(blockIdx.x) % across * Tile::columns;
  const int part = static_cast<int>(blockIdx.y), first = part * task.part_depth;
  multiply_tile<T, Tile>(task.a(batch), task.b(batch), task.result(batch, part), row, column, first,
                         min(first + task.part_depth, task.depth));
}

// How many roundings a product passes: an instruction lines its products and the sum up with the largest of them and
// cuts off what is below 2^-23 of it, where a rounding is 2^-24 (Fasi et al., 2021).
template <class T>
int tensor_roundings(int depth) {
  const int instructions = ceil_div(depth, instruction_depth<T>);
  return 2 * instructions * (instruction_depth<T> + 1);
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
