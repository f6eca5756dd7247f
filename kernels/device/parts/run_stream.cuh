#pragma once
// For kernels whose warps walk down 64 columns and multiply by banded matrices, without shared memory and without
// waiting for each other. Of a row a warp makes eight runs of eight outputs. Eight outputs see 16 pixels, four on
// either side of them, and 16 is the depth of a matrix instruction: so a run's window is a column of B, of which each
// of four lanes has four neighbouring pixels, by one load and in the order in which they lie. Windows overlap by half,
// and L1 has what is read twice.
#include <string>

#include "kernels/device/parts/block_order.cuh"
#include "kernels/device/parts/row_stream.cuh"
#include "kernels/device/parts/warp.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr int run_outputs = 8, run_reach = 4;                 // of a run; pixels beside it on either side
inline constexpr int run_columns = 8 * run_outputs, run_lanes = 32;  // of a warp
inline constexpr int run_warps = 4;                                  // of a block, side by side

// Which run is column n of B. Of D a lane has columns 2t and 2t + 1: these are runs so far apart that what the lanes
// store at a time lies together by twos.
CONVOSCOPE_HOST_DEVICE constexpr int run_of_column(int n) { return (n & 4) | (n & 1) << 1 | (n & 2) >> 1; }
// The first of a lane's two outputs in a row of the warp's; the other is two runs to the right.
CONVOSCOPE_HOST_DEVICE constexpr int first_run_output(int lane) {
  return run_outputs * run_of_column(2 * (lane % 4)) + lane / 4;
}
inline constexpr int run_pair_apart = 2 * run_outputs;

// What is read where an image has no pixels and the border is zero.
static __device__ unsigned run_zeros[4];

// Four neighbouring pixels of every row, of which a lane reads what takes their place where they lie beyond the image.
// Only in images whose rows are whole quads, and that are so large that one turn at the border is enough.
class EdgeQuad {
 public:
  EdgeQuad() = default;
  // column: of the first pixel; no output needs one that is `reach` or more to the right of the image.
  __device__ EdgeQuad(int column, int width, int reach, Border border)
      : beyond_(column < 0        ? Beyond::left
                : column >= width ? Beyond::right
                                  : Beyond::no) {
    int from = min(max(column, 0), width - 4), fifth = from;
    const bool needed = beyond_ != Beyond::no && column < width + reach;
    if (border == Border::wrap && needed) from = column + (column < 0 ? width : -width);
    // Mirrored, it is three pixels of a quad and one that lies beside it.
    if (border == Border::mirror && needed) {
      from = column < 0 ? -column - 4 : 2 * width - 4 - column;
      fifth = column < 0 ? from + 4 : from - 1;
    }
    further_ = from - column;
    to_fifth_ = fifth - from;
  }
  __device__ bool outside() const { return beyond_ != Beyond::no; }
  // In pixels: from the quad to what is read, and from there to the fifth pixel.
  __device__ int further() const { return further_; }
  __device__ int to_fifth() const { return to_fifth_; }

  template <Border border>
  __device__ void settle(unsigned (&words)[5]) const {
    if constexpr (border == Border::replicate) {
      const unsigned edge = beyond_ == Beyond::left ? words[0] : words[3];
      CONVOSCOPE_UNROLL
      for (int i = 0; i < 4; ++i) words[i] = beyond_ == Beyond::no ? words[i] : edge;
    } else if constexpr (border == Border::mirror) {
      const unsigned first = words[0], second = words[1], third = words[2], fourth = words[3];
      if (beyond_ == Beyond::left) words[0] = words[4], words[1] = fourth, words[2] = third, words[3] = second;
      if (beyond_ == Beyond::right) words[0] = third, words[1] = second, words[2] = first, words[3] = words[4];
    }
  }

 private:
  enum class Beyond : char { no, left, right };
  Beyond beyond_ = Beyond::no;
  int further_ = 0, to_fifth_ = 0;
};

// Why an image is too large for places of 32 bits, empty when it is not; its rows may have some padding.
inline std::string places_reason(int width, int height) {
  constexpr double bytes = 4, padding = 512, most = 4294967296.0;
  if ((bytes * width + padding) * height < most) return {};
  return "places in an image have 32 bits here, which allows 4 GiB; this one has " + std::to_string(width) + " × " +
         std::to_string(height) + " pixels";
}

// How a warp comes by its pixels, from the fastest on: all lie in the image; all columns do; rows are whole quads and
// the image is so large that one turn at the border is enough; one by one.
enum class RunWay { inside, between_columns, near_edge, anywhere };

// The rows of a warp's strip in `Count` images, one after the other, and the last again and again after it. Of each a
// lane has quads of pixels: Quads::count of them, Quads::beside(i) columns to the right of the first; no output needs
// any that is further beyond the image than Quads::reach from a whole quad. Downwards, or where Upwards allows it in
// the direction −1. Places in an image have 32 bits; see places_reason().
// Rows of warps at the edges of an image are as many instructions as others but for a few, since all warps are there at
// once and the slowest is waited for: lanes beyond the image load what takes the place of its edge.
template <class Pixel, int Radius, class Quads, int Count = 1, bool Upwards = false>
class RunStream {
 public:
  // A lane's pixels of a row on their way: four of each quad, and a fifth where a mirrored quad does not come out of
  // one.
  using Row = unsigned[Count][Quads::count][5];

  // column: of the lane's first quad; left, columns: of the outputs whose windows the warp has.
  __device__ RunStream(const FewFrames<Count, Pixel>& in, int column, int left, int columns, int first_row, int rows,
                       int direction, Border border, bool aligned)
      : in_(in),
        border_(border),
        first_(Upwards ? first_row : 0),
        next_(Upwards ? 0 : first_row),
        last_(Upwards ? rows - 1 : first_row + rows - 1),
        direction_(direction),
        pitch_(static_cast<unsigned>(in.pitch)),
        column_(column) {
    const int other = first_row + (rows - 1) * direction, top = min(first_row, other), bottom = max(first_row, other);
    const bool between = left >= Quads::reach && left + columns + Quads::reach <= in.width;
    const bool rows_inside = top >= 0 && bottom < in.height;
    const bool near = in.width % 4 == 0 && in.width >= 2 * Quads::reach + 8 && in.height > Radius;
    way_ = !aligned                                                  ? RunWay::anywhere
           : between && rows_inside                                  ? RunWay::inside
           : between && in.height > Radius && border != Border::zero ? RunWay::between_columns
           : near                                                    ? RunWay::near_edge
                                                                     : RunWay::anywhere;
  }

  // Asks L2 for the strip's first rows, as many as eight, which the kernel before may still be writing; a lane for each
  // line of 128 bytes from column `first` on.
  __device__ void prefetch_rows(int first, int lines) const {
    const int lane = lane_index(), number = next_ + lane / 4;
    CONVOSCOPE_UNROLL
    for (int t = 0; t < Count; ++t)
      if (way_ == RunWay::inside && number <= last_ && lane % 4 < lines)
        prefetch(at(t, place(row(number), first + lane % 4 * 32)));
  }

  // For warps that have to take the same way: the slowest of all.
  __device__ RunWay way() const { return way_; }
  __device__ void take(RunWay way) { way_ = way; }

  // Calls walk(load, settle, whole): load(row) brings the lane's pixels of the next row, and settle(row) completes them
  // once they are there. whole: all of the warp's columns are outputs. There is no condition in either: rows on their
  // way would be waited for. Never a call: across one ptxas waits for each instruction of a warpgroup, twice as long.
  template <class Walk>
  __device__ __forceinline__ void with_rows(Walk&& walk) {
    const auto as_it_is = [](Row&) {};
    const auto near_edge = [&]<Border border>() {
      CONVOSCOPE_UNROLL
      for (int i = 0; i < Quads::count; ++i)
        edges_[i] = EdgeQuad(column_ + Quads::beside(i), in_.width, Quads::reach, border);
      walk([this](Row& words) { load_near<border>(words); }, [this](Row& words) { settle<border>(words); },
           std::false_type{});
    };
    if (way_ == RunWay::inside) {
      walk([this](Row& words) { load_row(next_row(), words); }, as_it_is, std::true_type{});
    } else if (way_ == RunWay::between_columns) {
      const int height = in_.height;
      turn_ = border_ == Border::mirror ? -1 : border_ == Border::wrap ? 1 : 0;
      above_ = border_ == Border::wrap ? height : 0;
      below_ = border_ == Border::mirror ? 2 * (height - 1) : border_ == Border::wrap ? -height : height - 1;
      walk([this](Row& words) { load_row(turned_row(next_row()), words); }, as_it_is, std::true_type{});
    } else if (way_ == RunWay::anywhere) {
      walk([this](Row& words) { load_anywhere(words); }, as_it_is, std::false_type{});
    } else if (border_ == Border::zero) {
      near_edge.template operator()<Border::zero>();
    } else if (border_ == Border::replicate) {
      near_edge.template operator()<Border::replicate>();
    } else if (border_ == Border::mirror) {
      near_edge.template operator()<Border::mirror>();
    } else {
      near_edge.template operator()<Border::wrap>();
    }
  }

 private:
  // Rows have numbers: where they only go down, their own. None depends on the one before, so that many can be asked
  // for at once.
  __device__ int row(int number) const { return Upwards ? first_ + direction_ * number : number; }
  __device__ int next_row() { return row(min(next_++, last_)); }
  static __device__ constexpr int bytes(int pixels) { return pixels * static_cast<int>(sizeof(Pixel)); }
  __device__ unsigned place(int row, int column) const {
    return static_cast<unsigned>(row) * pitch_ + static_cast<unsigned>(bytes(column));
  }
  __device__ const char* at(int image, unsigned place) const {
    return reinterpret_cast<const char*>(in_.data[image]) + place;
  }
  __device__ void load_row(int row, Row& words) {
    const unsigned first = place(row, column_);
    CONVOSCOPE_UNROLL
    for (int t = 0; t < Count; ++t) CONVOSCOPE_UNROLL
    for (int i = 0; i < Quads::count; ++i) load_vector_now<4>(at(t, first) + bytes(Quads::beside(i)), words[t][i]);
  }
  // What a row stands for that may lie beyond the image, when the border is not zero.
  __device__ int turned_row(int row) const {
    const int turned = turn_ * row;
    return row < 0 ? above_ + turned : row < in_.height ? row : below_ + turned;
  }

  template <Border border>
  __device__ void load_near(Row& words) {
    const int height = in_.height, asked = next_row();
    int row = asked;
    if constexpr (border == Border::mirror) {
      row = row < 0 ? -row : row;
      row = row < height ? row : 2 * (height - 1) - row;
    } else if constexpr (border == Border::wrap) {
      row += row < 0 ? height : 0;
      row -= row < height ? 0 : height;
    } else {
      row = min(max(row, 0), height - 1);
    }
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Quads::count; ++i) {
      const unsigned from = place(row, column_ + Quads::beside(i) + edges_[i].further());
      const bool nothing = border == Border::zero && (row != asked || edges_[i].outside());
      CONVOSCOPE_UNROLL
      for (int t = 0; t < Count; ++t) {
        load_vector_now<4>(nothing ? reinterpret_cast<const char*>(run_zeros) : at(t, from), words[t][i]);
        if constexpr (border == Border::mirror && Radius >= 4)
          load_vector_now<1>(at(t, from + static_cast<unsigned>(bytes(edges_[i].to_fifth()))), words[t][i] + 4);
      }
    }
  }
  template <Border border>
  __device__ void settle(Row& words) const {
    CONVOSCOPE_UNROLL
    for (int t = 0; t < Count; ++t) CONVOSCOPE_UNROLL
    for (int i = 0; i < Quads::count; ++i) edges_[i].template settle<border>(words[t][i]);
  }

  __device__ void load_anywhere(Row& words) {
    const int row = near_border_index(next_row(), in_.height, border_), end = (in_.width + 3) / 4 * 4 + Quads::reach;
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Quads::count; ++i) CONVOSCOPE_UNROLL
    for (int k = 0; k < 4; ++k) {
      const int here = column_ + Quads::beside(i) + k, column = near_border_index(here, in_.width, border_);
      CONVOSCOPE_UNROLL
      for (int t = 0; t < Count; ++t) {
        words[t][i][k] = 0;
        if (row >= 0 && column >= 0 && here < end) load_vector<1>(at(t, place(row, column)), words[t][i] + k);
      }
    }
  }

  const FewFrames<Count, Pixel>& in_;
  Border border_;
  int first_, next_, last_, direction_;
  unsigned pitch_;
  int column_;
  RunWay way_;
  int turn_ = 0, above_ = 0, below_ = 0;  // of rows above and below the image: above_ + turn_ · row
  EdgeQuad edges_[Quads::count];
};

// One quad of a row for a lane.
struct OneQuad {
  static constexpr int count = 1, reach = run_reach;
  CONVOSCOPE_HOST_DEVICE static constexpr int beside(int) { return 0; }
};

}  // namespace convoscope::CONVOSCOPE_TARGET
