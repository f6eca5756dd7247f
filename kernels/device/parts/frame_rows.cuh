#pragma once
// For kernels whose threads walk down a strip of all frames of a volume at once: RowStream's borders for many frames.
#include "kernels/device/one_launch.cuh"
#include "kernels/device/parts/row_stream.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

// The same row of any frame, one row after the other: downwards by direction 1, upwards by −1. Where a row lies is the
// same in every frame, so it is found once.
template <class Window, class Pixel, int Columns>
class FrameRows {
 public:
  // Elements of the table of columns for a block of `along_x` threads along x, all of which take part in filling it.
  static constexpr int table_size(int along_x) { return along_x * Columns + 2 * Window::margin; }

  __device__ FrameRows(const Frames<Pixel>& in, const Shared<int>& table, int x0, int first_row, int direction,
                       Border border, bool aligned)
      : table_(table),
        border_(border),
        height_(in.height),
        row_(first_row),
        direction_(direction),
        lane_word_(static_cast<int>(threadIdx.x) * Columns),
        pitch_(static_cast<std::ptrdiff_t>(in.pitch)) {
    const int block_x0 = x0 - lane_word_, size = table_size(blockDim.x);
    const auto fits = [&](int from, int count) {
      return aligned && from >= Window::margin && from + count + Window::margin <= in.width;
    };
    if (!fits(block_x0, blockDim.x * Columns)) {
      for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < size; i += blockDim.x * blockDim.y)
        table[i] = near_border_index(block_x0 - Window::margin + i, in.width, border);
      __syncthreads();
    }
    whole_ = fits(x0, Columns);
    column_ = whole_ ? x0 * static_cast<std::ptrdiff_t>(sizeof(Pixel)) : 0;
  }

  // To the first row, and then to the next.
  __device__ void next() {
    const int row = near_border_index(row_, height_, border_);
    row_ += direction_;
    ghost_ = row < 0;
    offset_ = row * pitch_ + column_;
  }
  __device__ void load(const Pixel* frame, Window& window) const {
    const auto* at = reinterpret_cast<const Pixel*>(reinterpret_cast<const char*>(frame) + offset_);
    if (whole_ && !ghost_)
      window.load(at);
    else if (ghost_)
      window.clear();
    else
      window.load(at, table_, lane_word_);
  }

 private:
  Shared<int> table_;
  Border border_;
  int height_, row_, direction_, lane_word_;
  std::ptrdiff_t pitch_, column_, offset_ = 0;
  bool whole_, ghost_ = false;
};

}  // namespace convoscope::CONVOSCOPE_TARGET
