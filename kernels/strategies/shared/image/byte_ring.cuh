#pragma once
// The rgba8 image as the integer tensor cores read it. A block walks down a strip; shared memory holds a ring of three
// slots of 32 rows, which as many threads fill as a slot has columns in both chunks of 16 rows. In a slot each channel
// is a plane of its own, in two chunks of 16 rows, and the 16 bytes of a column and chunk lie together: one column of
// half a B matrix. Getting there is a transposition of bytes.
#include "kernels/device/parts/async_copy.cuh"
#include "kernels/device/parts/bytes.cuh"
#include "kernels/device/parts/mma_int8.cuh"
#include "kernels/device/parts/warp.cuh"
#include "kernels/device/parts/wide_pixel.cuh"
#include "kernels/device/pixel.cuh"

namespace convoscope::CONVOSCOPE_TARGET {

constexpr int chunk_rows = 16, slot_rows = 2 * chunk_rows, ring_slots = 3;

// What a thread has loaded of a slot and not stored yet: a column of a chunk, and four rows of a column beside it.
struct LoadedRows {
  unsigned main[chunk_rows] = {}, side[4] = {};
};

class ByteRing {
 public:
  CONVOSCOPE_HOST_DEVICE static int slot_elements(int columns) { return 8 * columns; }
  CONVOSCOPE_HOST_DEVICE static int elements(int columns) { return ring_slots * slot_elements(columns) + 1; }
  // Rows of a slot that the strip needs when it needs `left_over` from the slot's first on: by fours, which are stored
  // together; none when that is not positive.
  CONVOSCOPE_HOST_DEVICE static int wanted_rows(int left_over) {
    return left_over < slot_rows ? (left_over + 3) / 4 * 4 : slot_rows;
  }
  // Whether none of the strip's and their side columns are ghost cells, and the side columns fit in the registers of
  // the threads. Only then are slots inside of the image loaded as far as they are wanted, else always whole.
  CONVOSCOPE_HOST_DEVICE static bool takes_all_columns(const ImageView<const unsigned>& in, Border border, int left,
                                                       int columns, int strip_width) {
    return 8 * (columns - strip_width) <= 2 * strip_width &&
           (border != Border::zero || (left >= 0 && left + columns <= in.width));
  }

  // left, top: where row 0 of slot 0, column 0 lies in the image; rows: how many the strip needs in all. thread: of the
  // 2 · strip_width that fill a slot; those of a warp follow one another.
  __device__ ByteRing(const ImageView<const unsigned>& in, Border border, const Shared<ByteColumn>& memory, int left,
                      int top, int rows, int strip_width, int columns, int thread)
      : in_(in),
        memory_(memory),
        border_(border),
        left_(left),
        top_(top),
        rows_(rows),
        columns_(columns),
        strip_width_(strip_width),
        thread_(thread) {
    chunk_ = thread / strip_width, column_ = thread % strip_width;
    if (thread < 8 * sides()) side_group_ = thread / sides(), side_column_ = strip_width + thread % sides();
    all_columns_ = takes_all_columns(in, border, left, columns, strip_width);
    main_x_ = border_index(left + column_, in.width, border);
    side_x_ = border_index(left + side_column_, in.width, border);
  }

  // Place of chunk 0, channel 0, column 0; the other chunk follows at columns, further channels at channel_step().
  __device__ int place(int slot) const { return slot % ring_slots * slot_elements(columns_); }
  __device__ int channel_step() const { return 2 * columns_; }

  // Loads a slot into registers; store() of the same thread ends it. What does not fit there, of filters wider than a
  // sixteenth of the threads, is stored at once. All threads of a warp take part.
  __device__ void load(LoadedRows& loaded, int slot) const {
    const int first = slot * slot_rows, y = top_ + first, left_over = rows_ - first;
    const int wanted = wanted_rows(left_over);
    if (all_columns_ && y >= 0 && y + wanted <= in_.height) {
      load_rows(loaded.main, main_x_, y + chunk_ * chunk_rows, wanted - chunk_ * chunk_rows);
      if (thread_ < 8 * sides()) load_rows(loaded.side, side_x_, y + 4 * side_group_, wanted - 4 * side_group_);
      // A warp's columns are a line or two of each row of the next slot: one lane for each row of a chunk.
      const int lane = lane_index(), ahead = slot_rows + chunk_ * chunk_rows + lane;
      if (lane < chunk_rows && ahead < left_over && y + ahead < in_.height)
        prefetch(pixel_address(in_, main_x_ - lane, y + ahead));
      return;
    }
    const int row = border_index(y + lane_index(), in_.height, border_);  // each lane finds one of the 32
    load_found_rows(loaded.main, main_x_, row, chunk_ * chunk_rows);
    load_found_rows(loaded.side, side_x_, row, 4 * side_group_);
    for (int done = threads(); done < 8 * sides(); done += threads()) {
      const int item = done + thread_, group = item / sides() % 8;
      const int column = strip_width_ + item % sides();
      unsigned pixels[4];
      load_found_rows(pixels, border_index(left_ + column, in_.width, border_), row, 4 * group);
      if (item < 8 * sides()) store_group(pixels, slot, column, group);
    }
  }

  __device__ void store(const LoadedRows& loaded, int slot) const {
    unsigned words[4][4];  // [group of four rows][channel]
    CONVOSCOPE_UNROLL
    for (int group = 0; group < 4; ++group) transpose_bytes(loaded.main + 4 * group, words[group]);
    const int to = place(slot) + chunk_ * columns_ + column_;
    CONVOSCOPE_UNROLL
    for (int c = 0; c < 4; ++c)
      memory_[to + c * channel_step()] = {{words[0][c], words[1][c], words[2][c], words[3][c]}};
    if (thread_ < 8 * sides()) store_group(loaded.side, slot, side_column_, side_group_);
  }

 private:
  __device__ int sides() const { return columns_ - strip_width_; }
  __device__ int threads() const { return 2 * strip_width_; }

  // Rows from y on that lie in the image, by fours as long as they are wanted.
  template <int Rows>
  __device__ void load_rows(unsigned (&pixels)[Rows], int x, int y, int wanted) const {
    const unsigned* from = pixel_address(in_, x, y);
    CONVOSCOPE_UNROLL
    for (int k = 0; k < Rows; ++k) {
      if (k / 4 * 4 < wanted) {
        note_read(from, sizeof(*from));
        pixels[k] = *from;
      }
      from = reinterpret_cast<const unsigned*>(reinterpret_cast<const char*>(from) + in_.pitch);
    }
  }

  // Rows that the warp's lanes have found; ghost cells, negative, are zero.
  template <int Rows>
  __device__ void load_found_rows(unsigned (&pixels)[Rows], int x, int row, int lane) const {
    CONVOSCOPE_UNROLL
    for (int k = 0; k < Rows; ++k) {
      const int y = shuffle(row, lane + k);
      pixels[k] = x < 0 || y < 0 ? 0u : *pixel_at(in_, x, y);
    }
  }

  __device__ void store_group(const unsigned (&pixels)[4], int slot, int column, int group) const {
    unsigned channel[4];
    transpose_bytes(pixels, channel);
    const int to = place(slot) + group / 4 * columns_ + column;
    CONVOSCOPE_UNROLL
    for (int c = 0; c < 4; ++c) memory_[to + c * channel_step()].rows[group % 4] = channel[c];
  }

  const ImageView<const unsigned>& in_;
  Shared<ByteColumn> memory_;
  Border border_;
  int left_, top_, rows_, columns_, strip_width_, thread_;
  int chunk_, column_, main_x_, side_x_, side_group_ = 0, side_column_ = 0;
  bool all_columns_;  // none are ghost cells, and all fit in the registers of the block
};

}  // namespace convoscope::CONVOSCOPE_TARGET
