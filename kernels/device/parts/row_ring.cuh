#pragma once
// For kernels whose blocks are single warps, or a few side by side, that walk along a strip of all frames of a volume:
// the rows to come, in shared memory, on their way by bulk copies or by cp.async. A ring holds the block's columns and
// a margin of whole quads (16 bytes) of pixels on both sides.
#include "kernels/device/one_launch.cuh"
#include "kernels/device/parts/async_copy.cuh"
#include "kernels/device/parts/row_stream.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

inline constexpr int most_ring_steps = 8;
inline constexpr int ring_barrier_quads = most_ring_steps / 2;  // they lie before the rows

// Of one frame; columns: of a thread, margin: quads on each side.
CONVOSCOPE_HOST_DEVICE constexpr int ring_row_quads(int columns, int margin = 1) {
  return 32 * columns / 4 + 2 * margin;
}
CONVOSCOPE_HOST_DEVICE constexpr int ring_row_bytes(int columns, int margin = 1) {
  return 16 * ring_row_quads(columns, margin);
}

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
  __device__ unsigned alphas() const {
    const auto word = [&](int i) { return __float_as_uint(words_[4 + i]); };
    return top_bytes(word(0), word(1), word(2), word(3));
  }

 private:
  float words_[4 * quads];
};

// start() asks for the next Rows rows of all frames, wait() for the oldest that were asked for, window(), pair()
// and number() read some of them, next() goes on. All threads take part in everything but reading. Several warps that
// share a ring meet in each step: in wait(), and with leave() when all have read it.
// `place`: the quad of shared memory where the ring with its barriers begins; `left`: the first of the block's columns.
// Some, here: frames as Frames has them, or fewer. OneLane: starts all bulk copies, instead of a lane for each row.
template <class Pixel, int Count, int Columns, int Rows, int Margin = 1, class Some = Frames<Pixel>, int Warps = 1,
          bool OneLane = (Warps > 1)>
class RowRing {
 public:
  __device__ RowRing(const Some& in, int place, int depth, int left, int first_row, int direction, int steps,
                     Border border, bool aligned)
      : in_(in),
        border_(border),
        barriers_(shared_memory<unsigned long long>(16 * static_cast<std::size_t>(place), most_ring_steps)),
        place_(place + ring_barrier_quads),
        depth_(depth),
        lane_(static_cast<int>(threadIdx.x)),
        first_column_(left - margin),
        quads_whole_(aligned),
        row_(first_row),
        direction_(direction),
        left_(steps),
        read_to_(ceil_div(in.width, Columns) * Columns + margin) {
    const int last_row = first_row + direction * (steps * Rows - 1);
    const bool rows_exist =
        border != Border::zero || (min(first_row, last_row) >= 0 && max(first_row, last_row) < in.height);
    edge_ = first_column_ < 0 || first_column_ + 4 * quads > in.width;
    const bool both_edges = first_column_ < 0 && first_column_ + 4 * quads > in.width;
    const bool edge_is_near = border != Border::wrap && in.width % 4 == 0 && in.width >= 2 * margin && !both_edges;
    bulk_ = bulk_copies && aligned && rows_exist && (!edge_ || edge_is_near);
    const int from = max(first_column_, 0);
    left_out_ = (from - first_column_) / 4;
    inside_ = (min(first_column_ + 4 * quads, in.width) - from) / 4;
    from_byte_ = static_cast<int>(from * static_cast<int>(sizeof(Pixel)));
    if constexpr (!OneLane) source_ = reinterpret_cast<const char*>(in.data[lane_ % Count]) + from_byte_;
    if (lane_ == 0) barriers_.make(depth);
    if (bulk_ && edge_) {
      clear_beyond();
      find_fill();
    }
    sync();
  }

  __device__ void start() {
    if (left_ > 0) {
      if (bulk_)
        copy_rows();
      else
        for (int r = 0; r < Rows; ++r) copy_quads(r);
    }
    row_ += Rows * direction_;
    --left_;
    async_commit();  // an empty group after the last row, so that as many are under way to the end
    to_ = following(to_);
  }
  // Also says that all have left the rows before, in whose place the next start() copies. `ahead`: steps that were
  // asked for after these.
  __device__ void wait() const { wait(depth_ - 2); }
  __device__ void wait(int ahead) const {
    if (bulk_) barriers_.wait(from_, parity_);
    if (!bulk_ || bulk_copies_in_groups) wait_groups(ahead);
    sync();
    if (!bulk_ || !edge_) return;
    fill_edges();
    sync();
  }
  // Of row r of the step in frame t.
  __device__ QuadWindow<Pixel, Columns> window(int r, int t) const {
    QuadWindow<Pixel, Columns> window;
    const int first = quad(from_, r, t) + lane_ * (Columns / 4);
    const auto memory = shared_memory<float4>(0, place_ + depth_ * slot);
    CONVOSCOPE_UNROLL
    for (int k = 0; k < window.quads; ++k) window.set(k, memory[first + k]);
    return window;
  }
  // Of row r of the step in frame t: the pixels at columns 2p and 2p + 1 of the ring's row, which begins `margin`
  // columns left of the warp's.
  __device__ float2 pair(int r, int t, int p) const {
    return shared_memory<float2>(0, 2 * (place_ + depth_ * slot))[2 * quad(from_, r, t) + p];
  }
  // The one at this column of it.
  __device__ float number(int r, int t, int column) const {
    return shared_memory<float>(0, 4 * (place_ + depth_ * slot))[4 * quad(from_, r, t) + column];
  }
  // By all: where the oldest step lies a start() may copy from now on.
  __device__ void leave() const { sync(); }
  __device__ void next() {
    from_ = following(from_);
    if (from_ == 0) parity_ ^= 1;
  }

 private:
  __device__ static void sync() {
    if constexpr (shared)
      __syncthreads();
    else
      __syncwarp();
  }
  static constexpr bool shared = Warps > 1;
  static constexpr int threads = 32 * Warps;
  static constexpr int quads = ring_row_quads(Columns * Warps, Margin), slot = Rows * Count * quads;
  static constexpr int margin = 4 * Margin;  // columns

  __device__ int following(int at) const { return at + 1 == depth_ ? 0 : at + 1; }
  __device__ int quad(int at, int r, int t) const { return place_ + at * slot + (r * Count + t) * quads; }

  __device__ static void wait_groups(int ahead) {
    switch (ahead) {
      case 0:
        async_wait<0>();
        break;
      case 1:
        async_wait<1>();
        break;
      case 2:
        async_wait<2>();
        break;
      case 3:
        async_wait<3>();
        break;
      case 4:
        async_wait<4>();
        break;
      case 5:
        async_wait<5>();
        break;
      default:
        async_wait<6>();
    }
  }
  __device__ const Pixel* pixel(int t, int row, int column) const {
    return reinterpret_cast<const Pixel*>(reinterpret_cast<const char*>(in_.data[t]) +
                                          max(row, 0) * static_cast<std::ptrdiff_t>(in_.pitch)) +
           column;
  }
  __device__ Shared<Pixel> destination() const { return shared_memory<Pixel>(0, 4 * (place_ + depth_ * slot)); }
  __device__ std::ptrdiff_t row_byte(int r) const {
    return near_border_index(row_ + r * direction_, in_.height, border_) * static_cast<std::ptrdiff_t>(in_.pitch);
  }
  __device__ void copy_row(int r, int t, const char* from) const {
    barriers_.copy(to_, destination(), 4 * (quad(to_, r, t) + left_out_), reinterpret_cast<const Pixel*>(from),
                   16 * inside_);
  }
  __device__ void copy_rows() const {
    if constexpr (OneLane) {
      // The instruction takes addresses from uniform registers: those that all lanes know need no way there, and of
      // lanes with rows of their own one after the other has its turn.
      std::ptrdiff_t bytes[Rows];
      CONVOSCOPE_UNROLL
      for (int r = 0; r < Rows; ++r) bytes[r] = row_byte(r);
      if (lane_ != 0) return;
      barriers_.expect(to_, 16 * Rows * Count * inside_);
      CONVOSCOPE_UNROLL
      for (int r = 0; r < Rows; ++r) CONVOSCOPE_UNROLL
      for (int t = 0; t < Count; ++t)
        copy_row(r, t, reinterpret_cast<const char*>(in_.data[t]) + (bytes[r] + from_byte_));
    } else {
      static_assert(!shared && Rows * Count <= 32, "a lane for each row of each frame");
      if (lane_ >= Rows * Count) return;
      if (lane_ == 0) barriers_.expect(to_, 16 * Rows * Count * inside_);
      copy_row(lane_ / Count, lane_ % Count, source_ + row_byte(lane_ / Count));
    }
  }
  // What the filter reaches beyond the frame comes from the same row of the ring. A lane fills the same place of some
  // rows in each step; warps at an edge have this to do and should not last longer than the others.
  __device__ void find_fill() {
    const int column = lane_ % margin + (first_column_ < 0 ? -margin : in_.width), place = column - first_column_;
    const int source = near_border_index(column, in_.width, border_);
    if (place < 4 * quads) fill_ = place << 16 | (source < 0 ? 0 : source - first_column_ + 1);
  }
  __device__ void fill_edges() const {
    if (fill_ < 0) return;
    const Shared<Pixel> memory = destination();
    const int to = fill_ >> 16, source = (fill_ & 0xffff) - 1;
    int row = 4 * (place_ + from_ * slot) + lane_ / margin * (4 * quads);
    CONVOSCOPE_UNROLL
    for (int i = 0; i < Rows * Count; i += threads / margin) {
      if (i + lane_ / margin < Rows * Count) memory[row + to] = source < 0 ? Pixel{} : memory[row + source];
      row += threads / margin * (4 * quads);
    }
  }
  // What no copy brings and no output needs is a number at least, which may be multiplied by zero.
  __device__ void clear_beyond() const {
    const auto memory = shared_memory<float4>(0, place_ + depth_ * slot);
    const int first = left_out_ + inside_;
    for (int row = 0; row < depth_ * Rows * Count; ++row)
      for (int i = first + lane_; i < quads; i += threads) memory[place_ + row * quads + i] = float4{};
  }
  // A lane for each quad.
  __device__ void copy_quads(int r) const {
    const int row = near_border_index(row_ + r * direction_, in_.height, border_);
    CONVOSCOPE_KEEP_LOOP
    for (int i = lane_; i < quads; i += threads) {
      const int column = first_column_ + 4 * i;
      if (quads_whole_ && column >= 0 && column + 4 <= in_.width) {
        CONVOSCOPE_UNROLL
        for (int t = 0; t < Count; ++t)
          async_copy<16>(destination(), 4 * (quad(to_, r, t) + i), pixel(t, row, column), row >= 0);
      } else {
        copy_pixels(r, row, i, column);
      }
    }
  }
  __device__ void copy_pixels(int r, int row, int i, int first) const {
    CONVOSCOPE_KEEP_LOOP
    for (int k = 0; k < 4; ++k) {
      const int column = near_border_index(first + k, in_.width, border_);
      CONVOSCOPE_UNROLL
      for (int t = 0; t < Count; ++t)
        async_copy<4>(destination(), 4 * (quad(to_, r, t) + i) + k, pixel(t, row, max(column, 0)),
                      row >= 0 && column >= 0 && first + k < read_to_);
    }
  }

  const Some& in_;
  Border border_;
  BulkBarriers barriers_;
  int place_, depth_, lane_, first_column_;  // lane_: of all threads
  bool quads_whole_, bulk_, edge_;  // rows of whole quads; they come by bulk copies; some columns lie beyond the frames
  int left_out_, inside_;           // quads of a row on the left that lie beyond, and those that lie in the frames
  int from_byte_;                   // of a row, the first of these
  const char* source_;              // it, of row 0 in the lane's frame
  int row_, direction_, left_;      // the next row to ask for, and how many steps there are
  int read_to_;                     // no thread with an output needs a column from here on
  int fill_ = -1;                   // of an edge: the lane's place in a row, and that of what comes there, or 0
  int to_ = 0, from_ = 0;           // steps of the ring
  unsigned parity_ = 0;             // of what is read
};

}  // namespace convoscope::CONVOSCOPE_TARGET
