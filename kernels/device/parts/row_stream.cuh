#pragma once
// For kernels whose threads stream down the image: each thread owns a few neighbouring columns, and takes one row after
// another of them and of the pixels beside them. Both pixel formats are words of four bytes, loaded up to four at once.
#include "kernels/device/parts/async_copy.cuh"
#include "kernels/device/parts/bytes.cuh"
#include "kernels/device/parts/wide_pixel.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

// So few images of one size and pitch as kernels get by value at no cost.
template <int Count, class Pixel = float>
struct FewFrames {
  const Pixel* data[Count];
  int width, height;
  std::size_t pitch;
};

template <class Pixel>
inline constexpr int channels_of = sizeof(Wide<Pixel>) == sizeof(float) ? 1 : 3;

// Count words (1, 2 or 4) by one access; the address is a multiple of its size.
template <int Count>
__device__ inline void load_vector(const void* from, unsigned* to) {
#if defined(CONVOSCOPE_EMULATED)
  if (reinterpret_cast<std::uintptr_t>(from) % (4 * Count)) fail("a wide load from an address that is not aligned");
  note_read(from, 4 * Count);
  std::memcpy(to, from, 4 * Count);
#else
  if constexpr (Count == 4) {
    const uint4 v = __ldg(static_cast<const uint4*>(from));
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
  } else if constexpr (Count == 2) {
    const uint2 v = __ldg(static_cast<const uint2*>(from));
    to[0] = v.x, to[1] = v.y;
  } else {
    to[0] = __ldg(static_cast<const unsigned*>(from));
  }
#endif
}
// The same, where the load stands in the code: the compiler may not wait with it until registers are free.
template <int Count>
__device__ inline void load_vector_now(const void* from, unsigned* to) {
#if defined(CONVOSCOPE_EMULATED)
  load_vector<Count>(from, to);
#else
  static_assert(Count == 1 || Count == 4);
  if constexpr (Count == 4)
    asm volatile("ld.global.nc.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "l"(from));
  else
    asm volatile("ld.global.nc.b32 %0, [%1];" : "=r"(to[0]) : "l"(from));
#endif
}
template <int Count>
__device__ inline void store_vector(void* to, const unsigned* from) {
#if defined(CONVOSCOPE_EMULATED)
  if (reinterpret_cast<std::uintptr_t>(to) % (4 * Count)) fail("a wide store to an address that is not aligned");
  std::memcpy(to, from, 4 * Count);
#else
  // Nobody reads the output soon: it should not push the input out of the caches.
  if constexpr (Count == 4)
    __stcs(static_cast<uint4*>(to), make_uint4(from[0], from[1], from[2], from[3]));
  else if constexpr (Count == 2)
    __stcs(static_cast<uint2*>(to), make_uint2(from[0], from[1]));
  else
    __stcs(static_cast<unsigned*>(to), from[0]);
#endif
}

// Whether rows can be accessed by vectors of `words` words: every row begins at a multiple of their size.
inline bool rows_aligned(const Image& image, int words) {
  const std::size_t bytes = 4 * static_cast<std::size_t>(words);
  return reinterpret_cast<std::uintptr_t>(image.data) % bytes == 0 && image.pitch % bytes == 0;
}

// A plan's inputs as a kernel gets them, and whether rows of all of them can be accessed by quads.
template <int Count>
struct GivenFrames {
  FewFrames<Count> frames;
  bool aligned;
};
template <int Count>
GivenFrames<Count> few_frames(std::span<const Tensor> in) {
  const Image first = rows_of(in[0]);
  GivenFrames<Count> given{{{}, first.width, first.height, first.pitch}, true};
  for (int t = 0; t < Count; ++t) {
    const Image frame = rows_of(in[static_cast<std::size_t>(t)]);
    given.frames.data[t] = static_cast<const float*>(frame.data);
    given.aligned = given.aligned && rows_aligned(frame, 4);
  }
  return given;
}

// border_index() without its divisions, which would be most of a kernel's code: an index near the image needs one turn.
__device__ inline int near_border_index(int i, int n, Border border) {
  while (static_cast<unsigned>(i) >= static_cast<unsigned>(n)) {
    if (border == Border::zero) return -1;
    if (border == Border::replicate || n == 1) return i < 0 ? 0 : n - 1;
    if (border == Border::mirror)
      i = i < 0 ? -i : 2 * (n - 1) - i;
    else
      i += i < 0 ? n : -n;
  }
  return i;
}

// Words of a load beside the columns, and how many words there are on each side.
CONVOSCOPE_HOST_DEVICE constexpr int side_vector(int radius, int columns) {
  const int widest = radius <= 1 ? 1 : radius == 2 ? 2 : 4;
  return widest < columns ? widest : columns;
}
CONVOSCOPE_HOST_DEVICE constexpr int window_margin(int radius, int columns) {
  return (radius + side_vector(radius, columns) - 1) / side_vector(radius, columns) * side_vector(radius, columns);
}

// The pixels x0 − Radius … x0 + Columns − 1 + Radius of one row, and up to three more where that makes loads wider.
template <class Pixel, int Radius, int Columns>
class RowWindow {
 public:
  static constexpr int side = side_vector(Radius, Columns);
  static constexpr int vector = Columns < 4 ? Columns : 4;  // words of a load of the columns
  static constexpr int margin = window_margin(Radius, Columns);
  static constexpr int words = Columns + 2 * margin;

  // Where x0 is in the image's memory, with all of the window in the row.
  __device__ void load(const Pixel* at_x0) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < margin; i += side) {
      load_vector<side>(at_x0 - margin + i, words_ + i);
      load_vector<side>(at_x0 + Columns + i, words_ + margin + Columns + i);
    }
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Columns; i += vector) load_vector<vector>(at_x0 + i, words_ + margin + i);
  }
  // columns[first + i]: the column of word i, −1 for a ghost cell.
  __device__ void load(const Pixel* row, const Shared<int>& columns, int first) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < words; ++i) {
      const int column = columns[first + i];
      words_[i] = 0;
      if (column >= 0) load_vector<1>(row + column, words_ + i);
    }
  }
  // The same where pixels beside the columns lie elsewhere: offsets[i] of x0, for those on the left and then on the
  // right. Bit i of there: it is no ghost cell; the bit above: the columns are none.
  __device__ void load(const Pixel* at_x0, const int (&offsets)[2 * margin], unsigned there) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Columns; i += vector) load_vector<vector>(at_x0 + i, words_ + margin + i);
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 2 * margin; ++i) load_vector<1>(at_x0 + offsets[i], words_ + i + (i < margin ? 0 : Columns));
    CONVOSCOPE_UNROLL
    for (int i = 0; i < words; ++i) {
      const int bit = i < margin ? i : i < margin + Columns ? 2 * margin : i - Columns;
      if (!(there >> bit & 1)) words_[i] = 0;
    }
  }
  __device__ void clear() {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < words; ++i) words_[i] = 0;
  }

  // Channel c of the pixel at x0 + dx, dx from −Radius to Columns − 1 + Radius.
  __device__ float channel(int dx, int c) const {
    const unsigned word = words_[margin + dx];
    if constexpr (channels_of<Pixel> == 1) return __uint_as_float(word);
    return static_cast<float>(word >> (8 * c) & 0xFF);
  }
  // The same without a conversion, which takes two instructions or one of few: a code value where it lies in its word
  // is a subnormal float, 2^(8c − 149) times its value. Weights are scaled in turn (shared/image/subnormal_bytes.h).
  __device__ float subnormal_channel(int dx, int c) const {
    const unsigned word = words_[margin + dx];
    return __uint_as_float(channels_of<Pixel> == 1 ? word : word & 0xFFu << (8 * c));
  }
  // The pixels as they are, from the leftmost on.
  __device__ unsigned word(int i) const { return words_[i]; }
  // Those of the first four columns, or as many as there are, a byte each.
  __device__ unsigned alphas() const {
    const unsigned* at = words_ + margin;
    return top_bytes(at[0], at[1 % Columns], at[2 % Columns], at[3 % Columns]);
  }

 private:
  unsigned words_[words];
};

// The rows of a thread's strip, one after the other, and the last again and again after it. Threads whose window lies
// inside of the image walk a pointer down; the others look their columns up in a table that the block makes once, since
// borders are the same for every row. Where there are few beside a thread's own, it keeps them in registers instead:
// the blocks at the image's edges are few, but all wait for the slowest.
template <class Window, class Pixel, int Columns>
class RowStream {
 public:
  // Elements of the table for a block of `along_x` threads along x, all of which take part in filling it.
  static constexpr int table_size(int along_x) { return along_x * Columns + 2 * Window::margin; }

  // aligned: rows begin where vectors of Columns words do; out_aligned: those of the output, too, for with_rows().
  __device__ RowStream(const ImageView<const Pixel>& in, const Shared<int>& table, int x0, int first_row, int rows,
                       Border border, bool aligned, bool out_aligned = false)
      : in_(in), table_(table), border_(border), row_(first_row), last_(first_row + rows - 1), x0_(x0) {
    const int block_x0 = x0 - lane_word(), size = table_size(blockDim.x);
    const auto fits = [&](int from, int count) {
      return aligned && from >= Window::margin && from + count + Window::margin <= in.width;
    };
    const bool block_fits = fits(block_x0, blockDim.x * Columns);
    beside_ = few_beside && aligned && out_aligned && in.width % Columns == 0;
    if (!block_fits && !beside_) {
      for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < size; i += blockDim.x * blockDim.y)
        table[i] = near_border_index(block_x0 - Window::margin + i, in.width, border);
      __syncthreads();
    }
    whole_ = fits(x0, Columns);
    inside_ = block_fits && first_row >= 0 && last_ < in.height;
    out_aligned_ = out_aligned;
    next_ = reinterpret_cast<const char*>(in.data) + first_row * static_cast<std::ptrdiff_t>(in.pitch) +
            x0 * static_cast<std::ptrdiff_t>(sizeof(Pixel));
  }

  // Asks L2 for the strip's first rows, which the kernel before may still be writing; one lane for each line of 128
  // bytes.
  __device__ void prefetch_rows(int rows) const {
    if (!inside_ || x0_ % 32 != 0) return;
    CONVOSCOPE_UNROLL
    for (int k = 0; k < rows; ++k) prefetch(in_row(min(row_ + k, last_)));
  }
  // Calls walk(load, whole): load(window) brings the next row. It is another for strips inside of the image, beside its
  // edges and in images whose rows do not consist of vectors; whole: those of the output, which are aligned or not, do.
  // No load is under a condition: what it brings would be moved to where the loop keeps it, and be waited for, at once.
  template <class Walk>
  __device__ void with_rows(Walk&& walk) {
    if (inside_ && out_aligned_) return walk([this](Window& window) { load_inside(window); }, std::true_type{});
    if constexpr (few_beside)
      if (beside_) {
        int offsets[2 * Window::margin];
        const unsigned there = find_beside(offsets);
        return walk([&](Window& window) { load_beside(window, offsets, there); }, std::true_type{});
      }
    walk([this](Window& window) { load_anywhere(window); }, std::false_type{});
  }
  // A row of a strip that is not walked down by with_rows().
  __device__ void load(Window& window) { inside_ ? load_inside(window) : load_anywhere(window); }

 private:
  static constexpr bool few_beside = Window::margin <= 2;

  // Of the table, a thread's first column.
  __device__ static int lane_word() { return static_cast<int>(threadIdx.x) * Columns; }
  // A thread's first column.
  __device__ const Pixel* in_row(int row) const {
    return reinterpret_cast<const Pixel*>(next_ + (row - row_) * static_cast<std::ptrdiff_t>(in_.pitch));
  }
  __device__ void step() {
    const bool more = row_ < last_;
    next_ += more ? static_cast<std::ptrdiff_t>(in_.pitch) : 0;
    row_ += more ? 1 : 0;
  }
  __device__ void load_inside(Window& window) {
    window.load(reinterpret_cast<const Pixel*>(next_));
    step();
  }
  __device__ unsigned find_beside(int (&offsets)[2 * Window::margin]) const {
    unsigned there = 1u << 2 * Window::margin;
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 2 * Window::margin; ++i) {
      const int column = near_border_index(x0_ + i + (i < Window::margin ? -Window::margin : Columns - Window::margin),
                                           in_.width, border_);
      offsets[i] = max(column, 0) - x0_;
      there |= (column < 0 ? 0u : 1u) << i;
    }
    return there;
  }
  __device__ void load_beside(Window& window, const int (&offsets)[2 * Window::margin], unsigned there) {
    const int row = near_border_index(row_, in_.height, border_);
    window.load(in_row(max(row, 0)), offsets, row < 0 ? 0u : there);
    step();
  }
  __device__ void load_anywhere(Window& window) {
    const int row = near_border_index(row_, in_.height, border_);
    if (row < 0)
      window.clear();
    else if (whole_)
      window.load(in_row(row));
    else
      window.load(reinterpret_cast<const Pixel*>(reinterpret_cast<const char*>(in_.data) +
                                                 row * static_cast<std::ptrdiff_t>(in_.pitch)),
                  table_, lane_word());
    step();
  }

  ImageView<const Pixel> in_;
  Shared<int> table_;
  Border border_;
  int row_, last_, x0_;
  bool out_aligned_, beside_, whole_, inside_;
  const char* next_;
};

template <class Pixel>
__device__ inline Pixel* next_row(const ImageView<Pixel>& image, Pixel* pixel) {
  return reinterpret_cast<Pixel*>(reinterpret_cast<char*>(pixel) + image.pitch);
}

// A row of Columns pixels at x0, whose first is at `pixels`. Whole: all columns are there, and aligned.
template <int Columns, bool Whole, class Pixel>
__device__ inline void store_words(Pixel* pixels, int x0, int width, bool aligned, const unsigned (&words)[Columns]) {
  if constexpr (Whole) {
    store_vector<Columns>(pixels, words);
  } else {
    if (aligned && x0 + Columns <= width) return store_vector<Columns>(pixels, words);
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Columns; ++i)
      if (x0 + i < width) store_vector<1>(pixels + i, words + i);
  }
}

// The same for outputs that are not finished. value(s, c, column): the sums of weight set s; alphas: of the input
// pixels, a byte each.
template <class Pixel, int Sums, int Columns, bool Whole = false, class Value>
__device__ inline void store_row(Pixel* pixels, int x0, int width, const Epilogue& epilogue, bool aligned, Value value,
                                 unsigned alphas) {
  unsigned words[Columns];
  CONVOSCOPE_UNROLL
  for (int i = 0; i < Columns; ++i) {
    const auto finished = [&](int c) { return finish_channel<Sums>(epilogue, value(0, c, i), value(Sums - 1, c, i)); };
    if constexpr (channels_of<Pixel> == 1)
      words[i] = __float_as_uint(finished(0));
    else
      words[i] = __byte_perm(__byte_perm(nearest_byte(finished(0)), nearest_byte(finished(1)), 0x0040),
                             __byte_perm(nearest_byte(finished(2)), alphas, 0x0040 + 16 * i), 0x5410);
  }
  store_words<Columns, Whole>(pixels, x0, width, aligned, words);
}

// The alphas of the last Radius + 1 rows, so that those of the row whose sums are complete are at hand; four to a word.
template <class Pixel, int Radius, int Columns>
class AlphaRing {
 public:
  template <class Window>
  __device__ void push(const Window& window) {
    if constexpr (channels_of < Pixel >> 1) {
      CONVOSCOPE_UNROLL
      for (int k = 0; k < Radius; ++k) words_[k] = words_[k + 1];
      words_[Radius] = window.alphas();
    }
  }
  __device__ unsigned oldest() const { return words_[0]; }  // pushed Radius rows ago

 private:
  unsigned words_[Radius + 1] = {};
};

}  // namespace convoscope::CONVOSCOPE_TARGET
