#pragma once
// A tiled matrix product, C = A · B, whatever A and B are made of: a block makes a tile of C, its threads Side × Side
// elements each. Slabs of A and B, Depth deep, lie in shared memory, two of each: while one is multiplied, the next is
// on its way through registers.
#include "kernels/device/parts/wide_pixel.cuh"
#include "kernels/strategies/shared/layer/partials.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer {

template <int Rows, int Columns, int Side, int Depth>
struct ProductTile {
  static constexpr int rows = Rows, columns = Columns, side = Side, depth = Depth;
  static constexpr int across = Columns / Side, threads = Rows / Side * across;
  // Four elements more keep the stores of a slab that is loaded along its depth off each other's banks.
  static constexpr int row_pitch = Rows + 4, column_pitch = Columns + 4;
  static constexpr int slab_floats = Depth * (row_pitch + column_pitch);
  static constexpr std::size_t shared_bytes = 2 * sizeof(float) * slab_floats;
};

// An operand's element is at the sum of two distances: of its lane, a row of A or a column of B, and of its depth. A
// distance below 0: there is none, and the element is 0.
struct Steps {
  std::ptrdiff_t step;
  int count;
  __device__ std::ptrdiff_t at(int i) const { return i < count ? i * step : -1; }
};
// The elements of a plane, numbered along its rows.
struct Positions {
  int width, count;
  std::ptrdiff_t row;
  __device__ std::ptrdiff_t at(int i) const { return i < count ? i / width * row + i % width : -1; }
};
// Along: neighbouring depths are neighbours in memory.
template <class Lanes, class Depths, bool Along>
struct Operand {
  static constexpr bool along = Along;
  const float* data;
  Lanes lanes;
  Depths depths;
  __device__ auto lane(int i) const { return lanes.at(i); }
  __device__ auto depth(int k) const { return depths.at(k); }
  __device__ float load(std::ptrdiff_t lane, std::ptrdiff_t depth) const {
    return lane < 0 || depth < 0 ? 0.0f : __ldg(data + lane + depth);
  }
};

// Where sums go: the same two distances, of a row and of a column of C.
template <class Columns>
struct Result {
  float* data;
  Steps rows;
  Columns columns;
  LayerEpilogue epilogue = {};
  int first_map = -1;  // of the rows, for the epilogue; −1: there is none
  __device__ void store(int row, std::ptrdiff_t row_at, std::ptrdiff_t column_at, float sum) const {
    if (row_at < 0 || column_at < 0) return;
    data[row_at + column_at] = first_map < 0 ? sum : epilogue.finish(sum, first_map + row);
  }
};

// A thread's share of each slab of an operand.
template <int Extent, int Pitch, class Tile, class Source>
class SlabLoader {
  static constexpr int count = Extent * Tile::depth / Tile::threads;
  static constexpr int lane_count = Source::along ? count : Extent > Tile::threads ? Extent / Tile::threads : 1;
  static constexpr int lane_step = Source::along ? Tile::threads / Tile::depth : Tile::threads;
  static constexpr int depth_count = count / lane_count;
  static constexpr int depth_step = Tile::threads > Extent ? Tile::threads / Extent : 1;
  static_assert(count > 0 && lane_count * depth_count == count);

 public:
  __device__ SlabLoader(const Source& source, int first_lane) : source_(source) {
    const int thread = static_cast<int>(threadIdx.x);
    lane_ = Source::along ? thread / Tile::depth : thread % Extent;
    depth_ = Source::along ? thread % Tile::depth : thread / Extent;
    CONVOSCOPE_UNROLL
    for (int l = 0; l < lane_count; ++l) lanes_[l] = source.lane(first_lane + lane_ + l * lane_step);
  }
  __device__ void load(int first_depth, int end_depth) {
    CONVOSCOPE_UNROLL
    for (int d = 0; d < depth_count; ++d) {
      const int k = first_depth + depth_ + d * depth_step;
      const auto depth = source_.depth(k < end_depth ? k : no_depth);
      CONVOSCOPE_UNROLL
      for (int l = 0; l < lane_count; ++l) values_[d][l] = source_.load(lanes_[l], depth);
    }
  }
  __device__ void store(const Shared<float>& shared, int slab) const {
    CONVOSCOPE_UNROLL
    for (int d = 0; d < depth_count; ++d) CONVOSCOPE_UNROLL
    for (int l = 0; l < lane_count; ++l)
      shared[slab + (depth_ + d * depth_step) * Pitch + lane_ + l * lane_step] = values_[d][l];
  }

 private:
  static constexpr int no_depth = 0x7fffffff;
  const Source& source_;
  int lane_, depth_;
  std::decay_t<decltype(std::declval<Source>().lane(0))> lanes_[lane_count];
  float values_[depth_count][lane_count];
};

struct alignas(16) Quad {
  float value[4];
};

// One tile, of the depths from first_depth to before end_depth.
template <class Tile, class A, class B, class C>
__device__ inline void multiply(const A& a, const B& b, const C& result, int first_row, int first_column,
                                int first_depth, int end_depth) {
  constexpr int quads = Tile::side / 4, row_step = Tile::rows / quads, column_step = Tile::columns / quads;
  const Shared<float> shared = shared_memory<float>(0, 2 * Tile::slab_floats);
  const Shared<Quad> as_quads = shared_memory<Quad>(0, 2 * Tile::slab_floats / 4);
  const int across = static_cast<int>(threadIdx.x) % Tile::across * 4,
            down = static_cast<int>(threadIdx.x) / Tile::across * 4;
  SlabLoader<Tile::rows, Tile::row_pitch, Tile, A> rows(a, first_row);
  SlabLoader<Tile::columns, Tile::column_pitch, Tile, B> columns(b, first_column);
  const auto store_slab = [&](int slab) {
    rows.store(shared, slab);
    columns.store(shared, slab + Tile::depth * Tile::row_pitch);
    __syncthreads();
  };

  float sums[Tile::side][Tile::side] = {};
  rows.load(first_depth, end_depth);
  columns.load(first_depth, end_depth);
  int slab = 0;
  store_slab(slab);
  CONVOSCOPE_KEEP_LOOP
  for (int k = first_depth; k < end_depth; k += Tile::depth) {
    const bool more = k + Tile::depth < end_depth;
    if (more) {
      rows.load(k + Tile::depth, end_depth);
      columns.load(k + Tile::depth, end_depth);
    }
    CONVOSCOPE_UNROLL
    for (int d = 0; d < Tile::depth; ++d) {
      Quad row[quads], column[quads];
      CONVOSCOPE_UNROLL
      for (int q = 0; q < quads; ++q) {
        row[q] = as_quads[(slab + d * Tile::row_pitch + q * row_step + down) / 4];
        column[q] =
            as_quads[(slab + Tile::depth * Tile::row_pitch + d * Tile::column_pitch + q * column_step + across) / 4];
      }
      CONVOSCOPE_UNROLL
      for (int i = 0; i < Tile::side; ++i) CONVOSCOPE_UNROLL
      for (int j = 0; j < Tile::side; ++j)
        sums[i][j] = fmaf(row[i / 4].value[i % 4], column[j / 4].value[j % 4], sums[i][j]);
    }
    slab = Tile::slab_floats - slab;
    if (more) store_slab(slab);
  }
  std::ptrdiff_t column_at[Tile::side];
  CONVOSCOPE_UNROLL
  for (int j = 0; j < Tile::side; ++j)
    column_at[j] = result.columns.at(first_column + j / 4 * column_step + across + j % 4);
  CONVOSCOPE_UNROLL
  for (int i = 0; i < Tile::side; ++i) {
    const int row = first_row + i / 4 * row_step + down + i % 4;
    const std::ptrdiff_t row_at = result.rows.at(row);
    CONVOSCOPE_UNROLL
    for (int j = 0; j < Tile::side; ++j) result.store(row, row_at, column_at[j], sums[i][j]);
  }
}

// What is multiplied: of a batch (blockIdx.z) and a part of the depth (blockIdx.y) the matrices, and where sums go.
// Blocks at work together have the same columns and different rows, so that they read the same part of B.
template <class Tile, class Task>
__global__ void __launch_bounds__(Tile::threads) layer_product(Task task) {
  const int down = ceil_div(task.rows, Tile::rows), batch = static_cast<int>(blockIdx.z);
  const int row = static_cast<int>(blockIdx.x) % down * Tile::rows,
            column = static_cast<int>(blockIdx.x) / down * Tile::columns;
  const int part = static_cast<int>(blockIdx.y), first = part * task.part_depth;
  multiply<Tile>(task.a(batch), task.b(batch), task.result(batch, part), row, column, first,
                 min(first + task.part_depth, task.depth));
}

template <class Tile>
dim3 product_grid(int rows, int columns, int parts, int batches) {
  return dim3(
      static_cast<unsigned>(ceil_div(rows, Tile::rows)) * static_cast<unsigned>(ceil_div(columns, Tile::columns)),
      parts, batches);
}

inline constexpr int tile_choices[] = {0, 16, 32, 64, 128};
inline constexpr Tunable tile_tunable{
    "tile", "Tile",
    "Rows of a block's tile of the product, maps or what takes their place: 16 × 256, 32 × 128, 64 × 128 or 128 × 128; "
    "to the weights 32 × 32 or 64 × 64. 0: as few as the rows fit in",
    tile_choices, 0};

// Calls f.template operator()<Tile>().
template <class F>
auto with_tile(int asked, int rows, F&& f) {
  const int tile = asked ? asked : rows;
  if (tile <= 16) return f.template operator()<ProductTile<16, 256, 8, 8>>();
  if (tile <= 32) return f.template operator()<ProductTile<32, 128, 8, 8>>();
  if (tile <= 64) return f.template operator()<ProductTile<64, 128, 8, 8>>();
  return f.template operator()<ProductTile<128, 128, 8, 8>>();
}
// To the weights, where both sides may be short and the depth is long.
template <class F>
auto with_deep_tile(int asked, int rows, F&& f) {
  return (asked ? asked : rows) <= 32 ? f.template operator()<ProductTile<32, 32, 4, 16>>()
                                      : f.template operator()<ProductTile<64, 64, 8, 16>>();
}

// The depth of a gradient to the weights, positions of a sample, is cut into parts of so many.
inline constexpr int part_positions = 2048;
inline int position_count(const LayerExtents& e) { return e.out_height * e.out_width; }
inline int position_parts(const LayerExtents& e) { return ceil_div(position_count(e), part_positions); }
inline int product_roundings(const Problem& p) {
  const LayerExtents e = layer_extents(p);
  return std::min(part_positions, position_count(e)) + PartialSums::roundings(e.samples * position_parts(e));
}

inline std::string tile_reason(int tile) {
  if (std::ranges::count(tile_choices, tile)) return {};
  return "A tile of " + std::to_string(tile) + " rows is not built: choose 16, 32, 64 or 128";
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer
