#pragma once
// For kernels whose blocks are single warps that walk along a strip of all frames of a volume: the rows to come, in
// shared memory, on their way by cp.async. A ring holds the warp's columns and a quad (16 bytes) of pixels on both
// sides.
#include "kernels/device/one_launch.cuh"
#include "kernels/device/parts/async_copy.cuh"
#include "kernels/device/parts/row_stream.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr int most_ring_rows = 8;

// Of one frame.
CONVOSCOPE_HOST_DEVICE constexpr int ring_row_quads(int columns) { return 32 * columns / 4 + 2; }
CONVOSCOPE_HOST_DEVICE constexpr int ring_row_bytes(int columns) { return 16 * ring_row_quads(columns); }

// The pixels of one row from 4 left of a thread's columns to 4 right of them.
template <class Pixel, int Columns>
class QuadWindow {
 public:
  static constexpr int quads = Columns / 4 + 2;
  __device__ void set(int quad, const float4& four) {
    words_[4 * quad] = four.x;
    words_[4 * quad + 1] = four.y;
    words_[4 * quad + 2] = four.z;
    words_[4 * quad + 3] = four.w;
  }
  // Channel c of the pixel at x0 + dx.
  __device__ float channel(int dx, int c) const {
    if constexpr (channels_of<Pixel> == 1) return words_[4 + dx];
    return static_cast<float>(__float_as_uint(words_[4 + dx]) >> (8 * c) & 0xFF);
  }
  __device__ unsigned alpha(int dx) const { return __float_as_uint(words_[4 + dx]) >> 24; }

 private:
  float words_[4 * quads];
};

// start() asks for the next row of all frames, wait() for the oldest that was asked for, window() reads it, next()
// leaves it. All lanes of the warp take part in everything but window().
template <class Pixel, int Count, int Columns>
class RowRing {
 public:
  __device__ RowRing(const Frames<Pixel>& in, int depth, int first_row, int direction, int rows, Border border,
                     bool aligned)
      : in_(in),
        border_(border),
        depth_(depth),
        lane_(static_cast<int>(threadIdx.x)),
        lane_column_(static_cast<int>(blockIdx.x) * 32 * Columns + 4 * lane_ - 4),
        whole_(aligned && blockIdx.x > 0 && static_cast<int>(blockIdx.x + 1) * 32 * Columns + 4 <= in.width),
        row_(first_row),
        direction_(direction),
        left_(rows),
        read_to_(ceil_div(in.width, Columns) * Columns + 4) {}

  __device__ void start() {
    if (left_ > 0) {
      const int row = near_border_index(row_, in_.height, border_);
      const std::ptrdiff_t offset = max(row, 0) * static_cast<std::ptrdiff_t>(in_.pitch) +
                                    lane_column_ * static_cast<std::ptrdiff_t>(sizeof(Pixel));
      CONVOSCOPE_UNROLL
      for (int turn = 0; turn < (quads + 31) / 32; ++turn) {
        if (turn * 32 + lane_ >= quads) break;
        if (whole_)
          copy_quad(turn, offset, row >= 0);
        else
          copy_pixels(turn, row);
      }
    }
    row_ += direction_;
    --left_;
    async_commit();  // an empty group after the last row, so that as many are under way to the end
    to_ = following(to_);
  }
  // Also says that all lanes have left the row before, in whose place the next start() copies.
  __device__ void wait() const {
    switch (depth_) {
      case 2:
        async_wait<0>();
        break;
      case 3:
        async_wait<1>();
        break;
      case 4:
        async_wait<2>();
        break;
      case 5:
        async_wait<3>();
        break;
      case 6:
        async_wait<4>();
        break;
      case 7:
        async_wait<5>();
        break;
      default:
        async_wait<6>();
    }
    __syncwarp();
  }
  __device__ QuadWindow<Pixel, Columns> window(int t) const {
    QuadWindow<Pixel, Columns> window;
    const auto memory = shared_memory<float4>(0, from_ + slot);
    CONVOSCOPE_UNROLL
    for (int k = 0; k < window.quads; ++k) window.set(k, memory[from_ + t * quads + lane_ * (Columns / 4) + k]);
    return window;
  }
  __device__ void next() { from_ = following(from_); }

 private:
  static constexpr int quads = ring_row_quads(Columns), slot = Count * quads;  // in quads, as are all places

  __device__ int following(int at) const { return at + slot == depth_ * slot ? 0 : at + slot; }

  __device__ const Pixel* pixels(int t, std::ptrdiff_t offset) const {
    return reinterpret_cast<const Pixel*>(reinterpret_cast<const char*>(in_.data[t]) + offset);
  }
  __device__ Shared<Pixel> destination() const { return shared_memory<Pixel>(0, 4 * (to_ + slot)); }
  __device__ void copy_quad(int turn, std::ptrdiff_t offset, bool valid) const {
    CONVOSCOPE_UNROLL
    for (int t = 0; t < Count; ++t)
      async_copy<16>(destination(), 4 * (to_ + t * quads + 32 * turn + lane_), pixels(t, offset) + 128 * turn, valid);
  }
  __device__ void copy_pixels(int turn, int row) const {
    const int to = 4 * (to_ + 32 * turn + lane_);
    CONVOSCOPE_KEEP_LOOP
    for (int k = 0; k < 4; ++k) {
      const int asked = lane_column_ + 128 * turn + k, column = near_border_index(asked, in_.width, border_);
      const std::ptrdiff_t offset = max(row, 0) * static_cast<std::ptrdiff_t>(in_.pitch);
      CONVOSCOPE_UNROLL
      for (int t = 0; t < Count; ++t)
        async_copy<4>(destination(), to + 4 * t * quads + k, pixels(t, offset) + max(column, 0),
                      row >= 0 && column >= 0 && asked < read_to_);
    }
  }

  const Frames<Pixel>& in_;
  Border border_;
  int depth_, lane_, lane_column_;  // of the first quad that the lane copies
  bool whole_;                      // all of the warp's columns lie in the frame, in rows of whole quads
  int row_, direction_, left_;      // the next row to ask for, and how many there are
  int read_to_;                     // no thread with an output needs a column from here on
  int to_ = 0, from_ = 0;
};

}  // namespace convoscope::CONVOSCOPE_TARGET
