#pragma once
// For kernels whose threads stream down the image: each thread owns a few neighbouring columns, and takes one row after
// another of them and of the pixels beside them. Both pixel formats are words of four bytes, loaded up to four at once.
#include "kernels/device/parts/bytes.cuh"
#include "kernels/device/parts/wide_pixel.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

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
  __device__ unsigned alpha(int dx) const { return words_[margin + dx] >> 24; }

 private:
  unsigned words_[words];
};

// The rows of a thread's strip, one after the other. Threads whose window lies inside of the image walk a pointer down;
// the others look their columns up in a table that the block makes once, since borders are the same for every row.
template <class Window, class Pixel, int Columns>
class RowStream {
 public:
  // Elements of the table for a block of `along_x` threads along x, all of which take part in filling it.
  static constexpr int table_size(int along_x) { return along_x * Columns + 2 * Window::margin; }

  __device__ RowStream(const ImageView<const Pixel>& in, const Shared<int>& table, int x0, int first_row, int rows,
                       Border border, bool aligned)
      : in_(in), table_(table), border_(border), row_(first_row), lane_word_(static_cast<int>(threadIdx.x) * Columns) {
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
    inside_ = fits(block_x0, blockDim.x * Columns) && first_row >= 0 && first_row + rows <= in.height;
    next_ = reinterpret_cast<const char*>(in.data) + first_row * static_cast<std::ptrdiff_t>(in.pitch) +
            x0 * static_cast<std::ptrdiff_t>(sizeof(Pixel));
  }

  // Whether all windows of the warp's strips lie in the image: then load<true>() will do.
  __device__ bool inside() const { return inside_; }
  template <bool Inside>
  __device__ void load(Window& window) {
    if constexpr (Inside) {
      window.load(reinterpret_cast<const Pixel*>(next_));
    } else {
      const int row = near_border_index(row_, in_.height, border_);
      if (row < 0)
        window.clear();
      else if (whole_)
        window.load(reinterpret_cast<const Pixel*>(next_ + (row - row_) * static_cast<std::ptrdiff_t>(in_.pitch)));
      else
        window.load(reinterpret_cast<const Pixel*>(reinterpret_cast<const char*>(in_.data) +
                                                   row * static_cast<std::ptrdiff_t>(in_.pitch)),
                    table_, lane_word_);
    }
    next_ += in_.pitch;
    ++row_;
  }

 private:
  ImageView<const Pixel> in_;
  Shared<int> table_;
  Border border_;
  int row_, lane_word_;
  bool whole_, inside_;
  const char* next_;
};

// Code values of the rounded and clamped channels, alpha as it is, in one word.
__device__ inline unsigned pack_rgba8(float r, float g, float b, unsigned alpha) {
#if defined(CONVOSCOPE_EMULATED)
  return to_code_value(r) | to_code_value(g) << 8 | to_code_value(b) << 16 | alpha << 24;
#else
  const unsigned high = pack_bytes(static_cast<int>(alpha), __float2int_rn(b), 0);
  return pack_bytes(__float2int_rn(g), __float2int_rn(r), high);
#endif
}

// A row of Columns outputs from x0 on. value(s, c, column): the sums of weight set s; alpha(column): of the input
// pixel.
template <class Pixel, int Sums, int Columns, class Value, class Alpha>
__device__ inline void store_row(const ImageView<Pixel>& out, int x0, int y, const Epilogue& epilogue, bool aligned,
                                 Value value, Alpha alpha) {
  unsigned words[Columns];
  CONVOSCOPE_UNROLL
  for (int i = 0; i < Columns; ++i) {
    const auto finished = [&](int c) { return finish_channel<Sums>(epilogue, value(0, c, i), value(Sums - 1, c, i)); };
    if constexpr (channels_of<Pixel> == 1)
      words[i] = __float_as_uint(finished(0));
    else
      words[i] = pack_rgba8(finished(0), finished(1), finished(2), alpha(i));
  }
  Pixel* pixels = pixel_at(out, x0, y);
  if (aligned && x0 + Columns <= out.width) return store_vector<Columns>(pixels, words);
  CONVOSCOPE_UNROLL
  for (int i = 0; i < Columns; ++i)
    if (x0 + i < out.width) store_vector<1>(pixels + i, words + i);
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
      unsigned word = 0;
      CONVOSCOPE_UNROLL
      for (int i = 0; i < Columns; ++i) word |= window.alpha(i) << (8 * i);
      words_[Radius] = word;
    }
  }
  __device__ unsigned oldest(int i) const { return words_[0] >> (8 * i) & 0xFF; }  // pushed Radius rows ago

 private:
  unsigned words_[Radius + 1] = {};
};

}  // namespace convoscope::CONVOSCOPE_TARGET
