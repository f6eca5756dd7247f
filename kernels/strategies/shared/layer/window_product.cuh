#pragma once
// The implicit product on tensor cores for float16 channel by channel (nhwc), without an unrolled matrix even on chip:
// a block keeps the window of the sources that its rectangle of outputs sees, some channels deep, in shared memory, and
// reads it once for each tap, each time that tap's distance further on. cp.async brings the bank, some taps at a time,
// and the next channels' window while these are multiplied.
// Traffic: a source is loaded (w+K−1)(h+K−1)/(wh) times for each tile of maps instead of K² times.
#include "kernels/device/parts/async_copy.cuh"
#include "kernels/device/parts/mma_int8.cuh"
#include "kernels/strategies/shared/layer/correlation.cuh"
#include "kernels/strategies/shared/layer/map_order.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_tensor {

// Outputs and maps of a block, channels of a slab. Warps have 64 outputs and up to 64 maps each.
template <int Pixels, int Maps, int Channels>
struct WindowTile {
  static constexpr int pixels = Pixels, maps = Maps, channels = Channels;
  static constexpr int taps = Channels == 16 ? 9 : Channels == 32 ? 3 : 1;  // that are multiplied between two barriers
  static constexpr int warp_pixels = 64, warp_maps = Maps < 64 ? Maps : 64;
  static constexpr int down = Pixels / warp_pixels, threads = 32 * down * (Maps / warp_maps);
  // In chunks of 16 bytes. Odd, so that eight neighbours lie on all banks.
  static constexpr int chunks = Channels / 8, pitch = chunks + 1, step_chunks = taps * Maps * pitch;
};

// Of a rectangle of outputs, and of the sources that they see.
struct WindowShape {
  int width, height, across, down;  // across, down: of the plane
  int halo_width, halo_pixels;
};

// A batch is a group of a sample.
struct WindowTask {
  Strided<const Half> in;
  Strided<Half> out;
  Correlation c;
  LayerEpilogue epilogue;
  bool forward, wide;
  WindowShape shape;
  int map_tiles, slabs, stages;
  const ByteColumn* bank;  // of each group, tile of maps, slab and tap: the slab's channels of each map
};

// A thread's share of the window, one slab after the other.
template <class Tile>
class WindowCopies {
 public:
  __device__ WindowCopies(const WindowTask& task, const Shared<ByteColumn>& shared, int group, int sample, int top,
                          int left)
      : task_(task),
        shared_(shared),
        first_(task.in.at(sample, group * task.c.group_sources())),
        top_(top * task.c.stride - task.c.padding),
        left_(left * task.c.stride - task.c.padding) {}
  __device__ void begin(int slab) {
    const int thread = static_cast<int>(threadIdx.x);
    pixel_ = thread / Tile::chunks;
    y_ = pixel_ / task_.shape.halo_width;
    x_ = pixel_ % task_.shape.halo_width;
    channel_ = slab * Tile::channels + thread % Tile::chunks * 8;
    at_ = (slab % 2 * task_.shape.halo_pixels + pixel_) * Tile::pitch + thread % Tile::chunks;
  }
  // At most `turns` chunks of 16 bytes.
  __device__ void copy(int turns) {
    const int width = task_.shape.halo_width;
    for (; turns > 0 && pixel_ < task_.shape.halo_pixels; --turns) {
      const int y = top_ + y_, x = left_ + x_;
      const bool there =
          y >= 0 && y < task_.c.height && x >= 0 && x < task_.c.width && channel_ < task_.c.group_sources();
      const Half* const from = there ? first_ + y * task_.in.row + x * task_.in.column + channel_ : first_;
      async_copy<16>(shared_, at_, reinterpret_cast<const ByteColumn*>(from), there);
      pixel_ += step;
      at_ += step * Tile::pitch;
      for (x_ += step; x_ >= width; x_ -= width) ++y_;
    }
  }
  __device__ static int turns(int pixels) { return ceil_div(pixels, step); }

 private:
  static constexpr int step = Tile::threads / Tile::chunks;
  const WindowTask& task_;
  const Shared<ByteColumn>& shared_;
  const Half* first_;
  int top_, left_, pixel_ = 0, y_ = 0, x_ = 0, channel_ = 0, at_ = 0;
};

// A thread's share of the bank, step by step.
template <class Tile>
class BankCopies {
 public:
  __device__ BankCopies(const ByteColumn* bank, const Shared<ByteColumn>& shared, int first, int stages, int taps)
      : from_(bank + threadIdx.x), shared_(shared), first_(first), stages_(stages), taps_(taps) {}
  __device__ void next() {
    const int thread = static_cast<int>(threadIdx.x), taps = min(Tile::taps, taps_ - tap_), rows = taps * Tile::maps;
    int at = first_ + stage_ * Tile::step_chunks + thread / Tile::chunks * Tile::pitch + thread % Tile::chunks;
    const ByteColumn* from = from_;
    CONVOSCOPE_UNROLL
    for (int first_row = 0; first_row < Tile::taps * Tile::maps; first_row += row_step) {
      if (first_row + thread / Tile::chunks < rows) async_copy<16>(shared_, at, from);
      at += row_step * Tile::pitch;
      from += Tile::threads;
    }
    from_ += rows * Tile::chunks;
    if ((tap_ += taps) == taps_) tap_ = 0;
    if (++stage_ == stages_) stage_ = 0;
  }

 private:
  static constexpr int row_step = Tile::threads / Tile::chunks;
  const ByteColumn* from_;
  const Shared<ByteColumn>& shared_;
  int first_, stages_, taps_, stage_ = 0, tap_ = 0;
};

// A warp's sums, and where its lanes find their rows of both factors.
template <class Tile>
class WindowSums {
  static constexpr int blocks = Tile::warp_pixels / 16, columns = Tile::warp_maps / 8, depth = Tile::channels / 16;

 public:
  __device__ WindowSums(const WindowTask& task, const Shared<ByteColumn>& shared, int first_pixel, int first_column)
      : shared_(shared), filter_(task.c.filter), step_(task.c.dilation * Tile::pitch) {
    const int lane = static_cast<int>(threadIdx.x) % 32, width = task.shape.width;
    CONVOSCOPE_UNROLL
    for (int i = 0; i < blocks; ++i) {
      int pixel = first_pixel + i * 16 + lane % 16;
      if (pixel >= width * task.shape.height) pixel = 0;  // beyond the rectangle: whatever it makes, nobody stores it
      rows_[i] = (pixel / width * task.shape.halo_width + pixel % width) * task.c.stride * Tile::pitch + lane / 16;
    }
    column_ = (first_column + lane / 16 * 8 + lane % 8) * Tile::pitch + lane / 8 % 2;
    row_step_ = (task.shape.halo_width - filter_) * step_;
  }
  __device__ void begin(int window) { tap_column_ = 0, tap_ = window; }
  // `Taps` taps from where the last ones ended; their weights lie at `weights`.
  template <int Taps>
  __device__ void multiply(int weights) {
    unsigned left[2][blocks][4], right[2][columns / 2][4];
    const auto load = [&](int q) {
      const int k = q % depth * 2;
      CONVOSCOPE_UNROLL
      for (int j = 0; j < columns / 2; ++j)
        load_matrices(right[q % 2][j], shared_,
                      weights + column_ + (q / depth * Tile::maps + j * 16) * Tile::pitch + k);
      CONVOSCOPE_UNROLL
      for (int i = 0; i < blocks; ++i) load_matrices(left[q % 2][i], shared_, rows_[i] + tap_ + k);
      if (q % depth == depth - 1) next_tap();
    };
    load(0);
    CONVOSCOPE_UNROLL
    for (int q = 0; q < Taps * depth; ++q) {
      if (q + 1 < Taps * depth) load(q + 1);
      CONVOSCOPE_UNROLL
      for (int i = 0; i < blocks; ++i) CONVOSCOPE_UNROLL
      for (int j = 0; j < columns; ++j) {
        const unsigned pair[2] = {right[q % 2][j / 2][j % 2 * 2], right[q % 2][j / 2][j % 2 * 2 + 1]};
        mma_m16n8k16(sums[i][j], left[q % 2][i], pair);
      }
    }
  }

  float sums[blocks][columns][4] = {};

 private:
  __device__ void next_tap() {
    tap_ += step_;
    if (++tap_column_ == filter_) tap_column_ = 0, tap_ += row_step_;
  }

  const Shared<ByteColumn>& shared_;
  int rows_[blocks], column_, filter_, step_, row_step_, tap_column_ = 0, tap_ = 0;
};

// Grid: rectangles and, of each, tiles of maps, which share the window in L2; batches along z.
template <class Tile>
__global__ void __launch_bounds__(Tile::threads) layer_window_product(WindowTask task) {
  const Correlation& c = task.c;
  const int batch = static_cast<int>(blockIdx.z), group = batch % c.groups, sample = batch / c.groups;
  const int rectangle = static_cast<int>(blockIdx.x) / task.map_tiles,
            map_tile = static_cast<int>(blockIdx.x) % task.map_tiles;
  const int top = rectangle / task.shape.across * task.shape.height,
            left = rectangle % task.shape.across * task.shape.width;
  const int taps = c.filter * c.filter, slab_steps = ceil_div(taps, Tile::taps), steps = task.slabs * slab_steps;
  const int window = task.shape.halo_pixels * Tile::pitch, first_bank = min(task.slabs, 2) * window;
  const Shared<ByteColumn> shared = shared_memory<ByteColumn>(0, first_bank + task.stages * Tile::step_chunks);

  WindowCopies<Tile> windows(task, shared, group, sample, top, left);
  BankCopies<Tile> banks(task.bank + static_cast<std::ptrdiff_t>(group * task.map_tiles + map_tile) * task.slabs *
                                         taps * Tile::maps * Tile::chunks,
                         shared, first_bank, task.stages, taps);
  windows.begin(0);
  const int turns = windows.turns(task.shape.halo_pixels);
  windows.copy(turns);
  for (int stage = 0; stage + 1 < max(task.stages, 2); ++stage) {
    if (stage < steps) banks.next();
    async_commit();
  }
  // The next slab's window is there when its first step begins: in the steps after this many nothing more is asked for.
  const int copy_steps = slab_steps + 2 - max(task.stages, 2), step_turns = ceil_div(turns, copy_steps);

  const int warp = static_cast<int>(threadIdx.x) / 32, first_pixel = warp % Tile::down * Tile::warp_pixels,
            first_column = warp / Tile::down * Tile::warp_maps;
  WindowSums<Tile> product(task, shared, first_pixel, first_column);
  int stage = 0, in_slab = 0, slab = 0;
  CONVOSCOPE_KEEP_LOOP
  for (int step = 0; step < steps; ++step) {
    if (task.stages <= 2)
      async_wait<0>();
    else if (task.stages == 3)
      async_wait<1>();
    else
      async_wait<2>();
    __syncthreads();
    if (step + max(task.stages, 2) - 1 < steps) banks.next();
    if (slab + 1 < task.slabs) {
      if (in_slab == 0) windows.begin(slab + 1);
      if (in_slab < copy_steps) windows.copy(step_turns);
    }
    async_commit();
    if (in_slab == 0) product.begin(slab % 2 * window);
    const int weights = first_bank + stage * Tile::step_chunks, count = min(Tile::taps, taps - in_slab * Tile::taps);
    if (count == Tile::taps)
      product.template multiply<Tile::taps>(weights);
    else
      CONVOSCOPE_KEEP_LOOP
    for (int tap = 0; tap < count; ++tap) product.template multiply<1>(weights + tap * Tile::maps * Tile::pitch);
    if (++in_slab == slab_steps) in_slab = 0, ++slab;
    if (++stage == task.stages) stage = 0;
  }

  const int first_target = group * c.group_targets(), g = static_cast<int>(threadIdx.x) % 32 / 4;
  Half* places[Tile::warp_pixels / 8];
  CONVOSCOPE_UNROLL
  for (int i = 0; i < Tile::warp_pixels / 8; ++i) {
    const int pixel = first_pixel + i * 8 + g, y = top + pixel / task.shape.width, x = left + pixel % task.shape.width;
    places[i] = pixel < task.shape.width * task.shape.height && y < c.out_height && x < c.out_width
                    ? task.out.at(sample, first_target) + y * task.out.row + x * task.out.column
                    : nullptr;
  }
  const MapStores stores{task.out.channel, task.epilogue, task.forward ? first_target : -1, c.group_targets(),
                         task.wide};
  store_sums<Tile::warp_maps>(product.sums, stores, map_tile * Tile::maps + first_column,
                              static_cast<int>(threadIdx.x) % 4, [&](int i) { return places[i]; });
}

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::implicit_gemm_tensor
