#pragma once
// For kernels whose threads walk down strips of four columns of rgba8 and multiply two neighbouring bytes of a channel
// at a time (shared/image/pair_weights.h).
#include "kernels/device/parts/block_order.cuh"
#include "kernels/device/parts/dot_product.cuh"
#include "kernels/device/parts/row_stream.cuh"
#include "kernels/device/parts/strip_layout.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr int pair_columns = 4;

// What a row has for the outputs of four columns: of each two neighbouring pixels the reds and the greens in one word,
// the blues and the alphas in another.
template <int Radius>
class BytePairs {
 public:
  using Window = RowWindow<Rgba8, Radius, pair_columns>;
  static_assert(Window::margin == Radius);

  __device__ explicit BytePairs(const Window& window) {
    CONVOSCOPE_UNROLL
    for (int i = 0; i < count; ++i) {
      const unsigned left = window.word(2 * i), right = window.word(2 * i + 1);
      rg_[i] = __byte_perm(left, right, 0x5140);
      ba_[i] = __byte_perm(left, right, 0x7362);
    }
  }
  // sum + those weights (shared/image/pair_weights.h) times what `column` sees of the channel, two pixels at a time.
  template <class Weights>
  __device__ int row_sum(int channel, int column, Weights weights, int sum) const {
    CONVOSCOPE_UNROLL
    for (int pair = 0; pair <= Radius; ++pair) {
      const int at = column / 2 + pair;
      if (channel == 1)
        sum = dot_product_of_two<true>(weights(column % 2, pair), rg_[at], sum);
      else
        sum = dot_product_of_two<false>(weights(column % 2, pair), channel == 0 ? rg_[at] : ba_[at], sum);
    }
    return sum;
  }
  // Of the four columns, a byte each.
  __device__ unsigned alphas() const {
    if constexpr (Radius % 2 == 0) return __byte_perm(ba_[Radius / 2], ba_[Radius / 2 + 1], 0x7632);
    return __byte_perm(__byte_perm(ba_[Radius / 2], ba_[Radius / 2 + 1], 0x0763), ba_[Radius / 2 + 2], 0x6210);
  }

 private:
  static constexpr int count = Window::words / 2;
  unsigned rg_[count], ba_[count];
};

// A row of outputs from their integers, which are clamped, and the alphas. value(channel, column).
template <bool Whole, class Value>
__device__ inline void store_integers(Rgba8* pixels, int x0, int width, bool aligned, Value value, unsigned alphas) {
  unsigned words[pair_columns];
  CONVOSCOPE_UNROLL
  for (int i = 0; i < pair_columns; i += 2) {
    const unsigned blues = pack_bytes(value(2, i + 1), value(2, i), 0);
    words[i] = pack_bytes(value(1, i), value(0, i), __byte_perm(blues, alphas, (4 + i) << 4));
    words[i + 1] = pack_bytes(value(1, i + 1), value(0, i + 1), __byte_perm(blues, alphas, (5 + i) << 4 | 1));
  }
  store_words<pair_columns, Whole>(pixels, x0, width, aligned, words);
}

constexpr std::size_t pair_table_bytes(int radius) {
  return (StripLayout::lanes * pair_columns + 2 * radius) * sizeof(int);
}

}  // namespace convoscope::CONVOSCOPE_TARGET
