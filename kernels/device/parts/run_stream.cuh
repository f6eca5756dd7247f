#pragma once
// For kernels whose warps walk down 64 columns and multiply by banded matrices, without shared memory and without
// waiting for each other. Of a row a warp makes eight runs of eight outputs. Eight outputs see 16 pixels, four on
// either side of them, and 16 is the depth of a matrix instruction: so a run's window is a column of B, of which each
// of four lanes has four neighbouring pixels, by one load and in the order in which they lie. Windows overlap by half,
// and L1 has what is read twice.
#include "kernels/device/parts/block_order.cuh"
#include "kernels/device/parts/row_stream.cuh"
#include "kernels/device/parts/warp.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr int run_outputs = 8, run_reach = 4;  // of a run; pixels beside it on either side
inline constexpr int runs = 8, run_columns = runs * run_outputs, run_lanes = 32;  // of a warp
inline constexpr int run_warps = 4;                                               // of a block, side by side

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

// The rows of a warp's strip, one after the other, and the last again and again after it: a lane's four pixels of each.
// Rows of warps at the edges of an image are as many instructions as others but for a few, since all warps are there at
// once and the slowest is waited for: lanes beyond the image load what takes the place of its edge. Only images whose
// rows are not whole quads, or that are hardly larger than the filter, are read pixel by pixel there.
template <class Pixel, int Radius>
class RunStream {
 public:
  // A lane's pixels of a row on their way: four, and a fifth where a mirrored quad does not come out of one.
  using Quad = unsigned[5];

  __device__ RunStream(const ImageView<const Pixel>& in, int left, int first_row, int rows, Border border, bool aligned)
      : in_(in), border_(border), row_(first_row), last_(first_row + rows - 1), pitch_(static_cast<int>(in.pitch)) {
    const int lane = lane_index();
    column_ = left - run_reach + run_outputs * run_of_column(lane / 4) + 4 * (lane % 4);
    inside_ = aligned && left >= run_reach && left + run_columns + run_reach <= in.width && first_row >= 0 &&
              last_ < in.height;
    near_ = aligned && in.width % 4 == 0 && in.width >= 16 && in.height > run_reach;
    from_ = reinterpret_cast<const char*>(in.data + column_);
    if (!inside_ && near_) find_edge(left);
  }

  // Asks L2 for the strip's first rows, as many as eight, which the kernel before may still be writing; a lane for each
  // line of 128 bytes.
  __device__ void prefetch_rows() const {
    const int lane = lane_index(), row = row_ + lane / 4, first = column_ - 8 * run_of_column(lane / 4) - lane % 4 * 4;
    if (inside_ && row <= last_ && lane % 4 < 3)
      prefetch(reinterpret_cast<const char*>(in_.data + first + lane % 4 * 32) + at_row(row));
  }

  // Calls walk(load, settle, whole): load(words) brings the lane's pixels of the next row, and settle(words) completes
  // them once they are there. whole: all of the warp's columns are outputs. There is no condition in either: rows on
  // their way would be waited for.
  template <class Walk>
  __device__ void with_rows(Walk&& walk) {
    const auto as_it_is = [](Quad&) {};
    const auto near_edge = [&]<Border border>() {
      walk([this](Quad& words) { load_near<border>(words); }, [this](Quad& words) { settle<border>(words); },
           std::false_type{});
    };
    if (inside_)
      walk([this](Quad& words) { load_inside(words); }, as_it_is, std::true_type{});
    else if (!near_)
      walk([this](Quad& words) { load_anywhere(words); }, as_it_is, std::false_type{});
    else if (border_ == Border::zero)
      near_edge.template operator()<Border::zero>();
    else if (border_ == Border::replicate)
      near_edge.template operator()<Border::replicate>();
    else if (border_ == Border::mirror)
      near_edge.template operator()<Border::mirror>();
    else
      near_edge.template operator()<Border::wrap>();
  }

 private:
  enum class Beyond : char { no, left, right };

  __device__ std::ptrdiff_t at_row(int row) const { return row * static_cast<std::ptrdiff_t>(pitch_); }
  __device__ void load_inside(Quad& words) {
    load_vector<4>(from_ + at_row(row_), words);
    row_ = min(row_ + 1, last_);
  }

  // Where the lane reads when its quad lies beyond the image. Mirrored, it is three pixels of the quad at the edge, and
  // one that lies beside that and that only a filter of radius 4 sees.
  __device__ void find_edge(int left) {
    const int width = in_.width, last_quad = width - 4;
    beyond_ = column_ < 0 ? Beyond::left : column_ >= width ? Beyond::right : Beyond::no;
    int column = min(max(column_, 0), last_quad);
    if (border_ == Border::wrap && column_ < 0) column = last_quad;
    if (border_ == Border::wrap && column_ == width) column = 0;
    from_ = reinterpret_cast<const char*>(in_.data + column);
    if (border_ == Border::zero && beyond_ != Beyond::no) from_ = reinterpret_cast<const char*>(run_zeros), pitch_ = 0;
    const int fifth = beyond_ == Beyond::left ? 4 : beyond_ == Beyond::right ? width - 5 : column;
    to_fifth_ = 4 * (fifth - column);
  }
  template <Border border>
  __device__ void load_near(Quad& words) {
    const int height = in_.height;
    int row = row_;
    if constexpr (border == Border::mirror) {
      row = row < 0 ? -row : row;
      row = row < height ? row : 2 * (height - 1) - row;
    } else if constexpr (border == Border::wrap) {
      row += row < 0 ? height : 0;
      row -= row < height ? 0 : height;
    } else {
      row = min(max(row, 0), height - 1);
    }
    const char* from = from_ + at_row(row);
    if (border == Border::zero && row != row_) from = reinterpret_cast<const char*>(run_zeros);
    load_vector<4>(from, words);
    if constexpr (border == Border::mirror && Radius == run_reach) load_vector<1>(from + to_fifth_, words + 4);
    row_ = min(row_ + 1, last_);
  }
  template <Border border>
  __device__ void settle(Quad& words) const {
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

  // No output needs a column that is further beyond the image than four from a whole quad.
  __device__ void load_anywhere(Quad& words) {
    const int row = near_border_index(row_, in_.height, border_), end = (in_.width + 3) / 4 * 4 + run_reach;
    CONVOSCOPE_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int column = near_border_index(column_ + i, in_.width, border_);
      words[i] = 0;
      if (row >= 0 && column >= 0 && column_ + i < end)
        load_vector<1>(reinterpret_cast<const char*>(in_.data + column) + at_row(row), words + i);
    }
    row_ = min(row_ + 1, last_);
  }

  ImageView<const Pixel> in_;
  Border border_;
  int row_, last_, pitch_, column_;  // column_: of the lane's first pixel
  bool inside_, near_;
  Beyond beyond_ = Beyond::no;
  int to_fifth_ = 0;  // bytes from a quad
  const char* from_;
};

// Walks a warp down its strip, with `Ahead` rows on their way while one is computed. Sums: Sums::Row is made of a
// lane's four pixels; add(row) takes it to the sums of all outputs that it touches; outputs(words) are the lane's two
// of the row that has just been completed. make(): the sums, with weights that are loaded meanwhile.
template <int Radius, int Ahead, class Sums, class Pixel, class Out, class Make>
__device__ inline void walk_down_runs(const ImageView<const Pixel>& in, const ImageView<Out>& out, int strip_rows,
                                      Border border, bool in_aligned, Make make) {
  static_assert(Radius <= run_reach);
  const BlockPlace place = edges_first();
  const int left = (place.x * run_warps + warp_in_block()) * run_columns, top = place.y * strip_rows;
  if (left >= out.width) return;
  const int outputs = min(strip_rows, out.height - top);
  RunStream<Pixel, Radius> stream(in, left, top - Radius, outputs + 2 * Radius, border, in_aligned);
  let_next_kernel_begin();
  stream.prefetch_rows();
  Sums sums = make();
  wait_until_kernel_before_is_done();

  stream.with_rows([&](auto load, auto settle, auto whole) {
    const int x = left + first_run_output(lane_index());
    Out* to = pixel_at(out, x, top);
    typename RunStream<Pixel, Radius>::Quad coming[Ahead] = {};
    CONVOSCOPE_UNROLL
    for (int k = 0; k < Ahead; ++k) load(coming[k]);
    CONVOSCOPE_KEEP_LOOP
    for (int first = -2 * Radius; first < outputs; first += Ahead) {
      CONVOSCOPE_UNROLL
      for (int k = 0; k < Ahead; ++k) {
        settle(coming[k]);
        const typename Sums::Row row(coming[k]);
        load(coming[k]);
        sums.add(row);
        if (const int complete = first + k; complete >= 0 && complete < outputs) {
          unsigned words[2];
          sums.outputs(words);
          CONVOSCOPE_UNROLL
          for (int i = 0; i < 2; ++i)
            if (whole || x + i * run_pair_apart < out.width) store_vector<1>(to + i * run_pair_apart, words + i);
          to = next_row(out, to);
        }
      }
    }
  });
}

}  // namespace convoscope::CONVOSCOPE_TARGET
