#pragma once
// How the fast CPU strategies walk over an image: in strips narrow enough that the rows a filter needs at once stay
// in the cache, cut into bands so that every core has work.
#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <new>
#include <vector>

#include "kernels/contract/strategy.h"
#include "kernels/cpu/cpu_rows.h"
#include "kernels/threads/stop.h"
#include "kernels/threads/thread_pool.h"

namespace convoscope::cpu {

struct Strip {
  int x0, x1, y0, y1;  // the outputs: x0 … x1-1 of rows y0 … y1-1
  int width() const { return x1 - x0; }
};

// Their tunables.
inline constexpr int thread_choices[] = {0, 1, 2, 4, 8, 16, 32, 64};
inline constexpr Tunable threads_tunable{"threads", "Threads (0: all)",
                                         "How many cores work on a frame; 0 is all of them", thread_choices, 0};
inline constexpr int strip_widths[] = {32, 64, 128, 256, 512, 1024};
inline constexpr Tunable strip_width_tunable{"strip_width", "Strip width",
                                             "Pixels of a row that are filtered before the next row: narrow strips "
                                             "stay in the first-level cache, wide ones load "
                                             "fewer halo pixels",
                                             strip_widths, 256};

class StripGrid {
 public:
  StripGrid() = default;
  StripGrid(const Problem&, int strip_width, int workers);
  int count() const { return columns_ * bands_; }
  Strip at(int index) const;  // neighbours in a band follow each other

 private:
  int width_ = 0, height_ = 0, strip_width_ = 1, band_height_ = 1, columns_ = 0, bands_ = 0;
};

int worker_count(const Tuned&);  // 0 threads means every core
int strip_width_of(const Problem&, const Tuned&);

// In which strip the output lies, and how many threads take strips in turns; `how`: what happens to the output there.
Explanation explain_strip(const Problem&, const Tuned&, int x, int y, const std::string& how);

// A worker's rows of numbers, allocated with the plan. Row indices count along the image and go round. Rows begin
// 64 bytes aligned, and are zeroed, so that what the vector loops read behind a row's end is a number.
template <class T>
class Ring {
 public:
  Ring() = default;
  Ring(int rows, int length)
      : rows_(rows),
        stride_((static_cast<std::size_t>(length) + rows::slack + 63) / 64 * 64),
        memory_(hwy::AllocateAligned<T>(stride_ * rows)) {
    if (!memory_) throw std::bad_alloc();
    std::fill_n(memory_.get(), stride_ * rows, T());
  }
  T* row(int index) { return memory_.get() + static_cast<std::size_t>(slot(index)) * stride_; }

 private:
  int slot(int index) const {
    const int remainder = index % rows_;
    return remainder < 0 ? remainder + rows_ : remainder;
  }
  int rows_ = 1;
  std::size_t stride_ = 0;
  hwy::AlignedFreeUniquePtr<T[]> memory_;
};

inline int floats_per_pixel(PixelFormat format) { return format == PixelFormat::rgba8 ? 4 : 1; }

// Pixels x0 … x1-1 of row y, any of which may lie outside, where the border decides: as floats, or four bytes each.
void load_line(const Image& in, int y, int x0, int x1, Border, float* line);
void load_line(const Image& in, int y, int x0, int x1, Border, std::uint8_t* line);

// Outputs of the strip's columns in row y, from their sums; sums_y null but for edge magnitude.
void store_line(const float* sums, const float* sums_y, const Filter&, const Image& in, const Image& out, int y,
                const Strip&);

}  // namespace convoscope::cpu
