#pragma once
// For kernels that filter by two products with banded (Toeplitz) matrices, the first down the columns, the second along
// the rows: a warp walks down a strip of 32 columns, 16 rows at a time. The order of the depth of a product is free, as
// long as both of its matrices have the same, and so are the orders of its rows and columns. Down the columns rows keep
// their order; of 16 columns the even ones are one tile of 8 and the odd ones another, so that a lane's pixels of both
// lie side by side: one access loads or stores two of them.
#include "kernels/contract/theory/model.h"
#include "kernels/device/capability.h"
#include "kernels/device/parts/async_copy.cuh"
#include "kernels/device/parts/block_order.cuh"
#include "kernels/device/parts/even_strips.cuh"
#include "kernels/device/parts/row_stream.cuh"
#include "kernels/filter/separability.h"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr int band_lanes = 32;  // of a warp; the warps of a block lie side by side and share halos in L1
inline constexpr int band_step = 16;   // rows: M of an mma in the pass down the columns
inline constexpr int band_run = 16;    // columns: M of an mma in the pass along the rows
inline constexpr int band_runs = 2, band_columns = band_runs * band_run;  // of a warp
inline constexpr int max_band_radius = 16;

// A pass needs 16 inputs and the filter's reach on both sides, in chunks of 16.
CONVOSCOPE_HOST_DEVICE constexpr int band_chunks(int radius) { return radius <= 8 ? 2 : 3; }
CONVOSCOPE_HOST_DEVICE constexpr int band_reach(int chunks) { return 8 * (chunks - 1); }
static_assert(band_reach(band_chunks(max_band_radius)) >= max_band_radius && band_reach(band_chunks(8)) >= 8);

// Lane t of four holds the inputs 2t, 2t + 1, 2t + 8 and 2t + 9 of a chunk: what the pass before leaves it with.
CONVOSCOPE_HOST_DEVICE constexpr int band_input(int t, int i) { return 2 * t + i % 2 + i / 2 * 8; }
// The column that is number k of 16 in a product.
CONVOSCOPE_HOST_DEVICE constexpr int band_column(int k) { return k < 8 ? 2 * k : 2 * k - 15; }

// The column of a run that is number m of the outputs: a lane's outputs lie where its pixels do.
CONVOSCOPE_HOST_DEVICE constexpr int band_output(int m, int chunks) {
  return (band_column(m) + band_reach(chunks)) % band_run;
}

// The tap that input k of a chunk has in output m of 16, both as a product counts them; −1 where there is none.
inline int band_tap(bool along_row, int chunk, int k, int m, int radius) {
  const int chunks = band_chunks(radius);
  const int input = 16 * chunk + (along_row ? band_column(k) : k), output = along_row ? band_output(m, chunks) : m;
  const int tap = input - output - band_reach(chunks) + radius;
  return tap > 2 * radius ? -1 : std::max(tap, -1);
}

// So many rows below `from`, none above: where rows and pitches have 32 bits, one instruction multiplies and adds.
template <class Byte>
__device__ inline Byte* row_below(Byte* from, int rows, std::size_t pitch) {
  return from + static_cast<unsigned long long>(static_cast<unsigned>(rows)) * static_cast<unsigned>(pitch);
}

// The pixels of one warp's strip and of the columns beside it, 16 rows at a time. Warps inside of the image compute
// addresses; the others look their columns up in a table that the warp makes once.
template <int ColumnChunks, int Warps>
class StripPixels {
 public:
  static constexpr int columns = 16 * ColumnChunks, tiles = 2 * ColumnChunks;
  static constexpr std::size_t table_bytes = Warps * columns * sizeof(int);

  // left: of the outputs' columns, first: of those that it reads. All threads of the block have to take part.
  __device__ StripPixels(const ImageView<const unsigned>& in, int left, int first, Border border, bool aligned)
      : in_(in), table_(shared_memory<int>(0, Warps * columns)), border_(border), left_(left), first_(first) {
    for (int i = threadIdx.x; i < columns; i += band_lanes) {
      const int column = min(first + i, in.width + max_band_radius - 1);  // no output needs what is further out
      table_[static_cast<int>(threadIdx.y) * columns + i] = near_border_index(column, in.width, border);
    }
    __syncthreads();
    const bool whole = aligned && first >= 0 && first + columns <= in.width;
    last_inside_ = whole ? in.height - 16 : -1;
  }

  // Column band_column(lane / 4) of even tiles and the one beside it of odd tiles, rows band_input(lane % 4, i).
  __device__ void load(unsigned (&pixels)[tiles][4], int first_row) const {
    const int lane = threadIdx.x;
    if (first_row >= 0 && first_row <= last_inside_) {
      const char* const at = reinterpret_cast<const char*>(in_.data + first_ + band_column(lane / 4));
      CONVOSCOPE_UNROLL
      for (int i = 0; i < 4; ++i) {
        const auto* const row =
            reinterpret_cast<const unsigned*>(row_below(at, first_row + band_input(lane % 4, i), in_.pitch));
        CONVOSCOPE_UNROLL
        for (int c = 0; c < ColumnChunks; ++c) {
          unsigned pair[2];
          load_vector<2>(row + 16 * c, pair);
          pixels[2 * c][i] = pair[0], pixels[2 * c + 1][i] = pair[1];
        }
      }
      return;
    }
    const int first = static_cast<int>(threadIdx.y) * columns + band_column(lane / 4);
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int row = near_border_index(first_row + band_input(lane % 4, i), in_.height, border_);
      const auto* const from =
          reinterpret_cast<const unsigned*>(row_below(reinterpret_cast<const char*>(in_.data), row, in_.pitch));
      CONVOSCOPE_UNROLL
      for (int tile = 0; tile < tiles; ++tile) {
        const int column = table_[first + tile / 2 * 16 + tile % 2];
        pixels[tile][i] = 0;
        if (row >= 0 && column >= 0) load_vector<1>(from + column, &pixels[tile][i]);
      }
    }
  }

  // Asks for the warp's own columns of 16 rows, by sectors of 32 bytes; the halo is what its neighbours ask for.
  __device__ void prefetch_rows(int first_row) const {
    const int lane = threadIdx.x, row = first_row + lane / 2;
    if (row < 0 || row >= in_.height) return;
    const char* const from =
        row_below(reinterpret_cast<const char*>(in_.data + left_ + lane % 2 * (band_columns / 2)), row, in_.pitch);
    prefetch(from);
    prefetch(from + 32);
  }

 private:
  ImageView<const unsigned> in_;
  Shared<int> table_;
  Border border_;
  int left_, first_, last_inside_;  // of the rows from which on 16 of them, and all of the columns, lie in the image
};

// Where the results of a product along the rows go: of rows 8n … 8n + 7 and run m, d[i] is the pixel of row
// 8n + 2t + i % 2 and of column band_output(g) + i / 2. words[m][n][i]: what to store.
template <int ChunksX, class Pixel>
__device__ inline void store_strip(const ImageView<Pixel>& out, int left, int first_row, bool aligned,
                                   const unsigned (&words)[band_runs][2][4]) {
  const int lane = threadIdx.x, x = left + band_output(lane / 4, ChunksX), y = first_row + band_input(lane % 4, 0);
  const bool whole = aligned && left + band_columns <= out.width && first_row + band_step <= out.height;
  const auto each_row = [&](auto store) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int row = y + i / 2 * 8 + i % 2;
      char* const to = row_below(reinterpret_cast<char*>(out.data + x), row, out.pitch);
      CONVOSCOPE_UNROLL
      for (int m = 0; m < band_runs; ++m) {
        const unsigned pair[2] = {words[m][i / 2][i % 2], words[m][i / 2][i % 2 + 2]};
        store(to + m * band_run * sizeof(Pixel), pair, x + m * band_run, row);
      }
    }
  };
  if (whole) {
    each_row([](char* to, const unsigned* pair, int, int) { store_vector<2>(to, pair); });
  } else {
    each_row([&](char* to, const unsigned* pair, int column, int row) {
      if (row < out.height && column < out.width) store_vector<1>(to, pair);
      if (row < out.height && column + 1 < out.width) store_vector<1>(to + sizeof(Pixel), pair + 1);
    });
  }
}

// f.template operator()<ChunksY, ChunksX>(), as the filter needs them.
template <class F>
void with_band_chunks(const Filter& filter, F&& f) {
  with_number<2, 3>(band_chunks(filter.ry()), [&]<int ChunksY>() {
    with_number<2, 3>(band_chunks(filter.rx()), [&]<int ChunksX>() { f.template operator()<ChunksY, ChunksX>(); });
  });
}

inline constexpr int band_strip_heights[] = {0, 32, 48, 64, 96, 128, 192, 288};
inline constexpr Tunable band_tunables[] = {
    {"strip_rows", "Strip height",
     "Rows that a warp walks down: tall strips repeat fewer rows, short ones make more blocks. 0: chosen by the "
     "image's size",
     band_strip_heights, 0},
};

// For unsupported().
inline std::string band_reason(const Problem& p, const Device& device, int chosen_strip_rows) {
  if (std::max(p.filter.rx(), p.filter.ry()) > max_band_radius)
    return "48 inputs are multiplied for 16 outputs, which allows a radius of " + std::to_string(max_band_radius) +
           "; this filter's is " + std::to_string(std::max(p.filter.rx(), p.filter.ry()));
  if (device.compute_capability < 75)
    return "these matrix instructions need compute capability 7.5; " + capability_at_hand(device);
  if (std::string reason = separable_reason(p.filter); !reason.empty()) return reason;
  if (chosen_strip_rows < 0 || chosen_strip_rows % band_step)
    return "A strip's height must be a multiple of " + std::to_string(band_step) + "; this one is " +
           std::to_string(chosen_strip_rows);
  return {};
}

// For a model, which knows no device.
inline constexpr int typical_multiprocessors = 64;

// Columns that a warp reads for each of its own when it makes all that its outputs need.
inline double band_overlap(int chunks_x) { return (band_columns + 16.0 * (chunks_x - 1)) / band_columns; }

// products_down, products_along: of parts of a pixel and parts of a tap, in each pass; overlap: columns that the pass
// down makes for each of the outputs'.
inline Cost band_cost(const Problem& p, const EvenStrips& strips, double products_down, double products_along,
                      double overlap, double shared_loads) {
  const double chunks_y = band_chunks(p.filter.ry()), chunks_x = band_chunks(p.filter.rx());
  const double strip_rows = static_cast<double>(p.height) / strips.count;
  return {.flop = 2 * 16 * (products_down * chunks_y * overlap + products_along * chunks_x) * channels(p.format) *
                  outputs(p),
          .global_loads_per_output = overlap * (strip_rows + 16 * (chunks_y - 1)) / strip_rows,
          .global_stores_per_output = 1,
          .shared_loads_per_output = shared_loads,
          .dram_bytes = 2 * frame_bytes(p),
          .on_matrix_units = true};
}

// As many strips as a chosen height makes, else as let a device that holds so many blocks of `warps` have all of them
// at once.
inline EvenStrips band_strips(const Problem& p, int chosen_rows, int warps, int blocks, LongerStrips where) {
  const int across = ceil_div(p.width, warps * band_columns);
  return even_strips(
      p.height, band_step,
      chosen_rows > 0 ? ceil_div(p.height, chosen_rows) : strips_at_once(p.height, across, blocks, 2 * band_step),
      where);
}

inline dim3 band_grid(const Problem& p, int warps, const EvenStrips& strips) {
  return dim3(ceil_div(p.width, warps * band_columns), strips.count);
}

inline KernelStep explain_bands(std::string kernel, const Problem& p, int warps, const EvenStrips& strips, int x,
                                int y) {
  KernelStep step = one_thread_per_output(std::move(kernel), warps * band_columns, p.height, x, y);
  const PixelArea block = place_in_strip(step, strips, p.height, band_step, y);
  const int warp = (x - block.x) / band_columns, left = block.x + warp * band_columns;
  const int reach_x = band_reach(band_chunks(p.filter.rx())), reach_y = band_reach(band_chunks(p.filter.ry()));
  const int first = (x - left) % band_run / 2 * 2, g = (first + reach_x) % band_run / 2, t = (y - block.y) % 8 / 2;
  step.thread = {4 * g + t, warp, 0};
  step.block_size = {band_lanes, warps, 1};
  step.thread_outputs.clear();
  for (int row = 2 * t; row < block.height; row += 8)
    for (int column = first; column < band_columns; column += band_run)
      step.thread_outputs.push_back({left + column, block.y + row, 2, std::min(2, block.height - row)});
  const int across = std::min(warps, ceil_div(p.width - block.x, band_columns)) * band_columns;
  const int down = ceil_div(block.height, band_step) * band_step;
  step.direct = {{block.x - reach_x, block.y - reach_y, across + 2 * reach_x, down + 2 * reach_y}};
  return step;
}

}  // namespace convoscope::CONVOSCOPE_TARGET
