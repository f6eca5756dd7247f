#include "kernels/convert/host_rows.h"

#include <algorithm>
#include <bit>

#include "kernels/convert/convert_rows.h"
#include "kernels/convert/pixel_group.h"
#include "kernels/threads/thread_pool.h"

namespace convoscope {
namespace {

constexpr int rows_of_a_task = 16;
constexpr int left_of_row = 1;  // what interpolation needs left of a row

}  // namespace

bool HostRows::takes(const VideoFormat& format) {
  return (format.layout == PlaneLayout::planar || format.layout == PlaneLayout::semi_planar) && format.bits == 8 &&
         format.chroma_shift_x <= 1;
}

void HostRows::prepare(int width, int workers) {
  if (width == width_ && scratch_.size() == static_cast<std::size_t>(workers)) return;
  width_ = width;
  scratch_.resize(static_cast<std::size_t>(workers));
  const auto numbers = static_cast<std::size_t>(left_of_row + width + 1 + convert_rows::slack);
  for (Scratch& scratch : scratch_) {
    for (int i = 0; i < 2; ++i) scratch.stored[i].assign(numbers, 0.0f), scratch.full[i].assign(numbers, 0.0f);
    scratch.pixels.resize(numbers);
  }
}

void HostRows::convert(const VideoFormat& format, const Conversion& c, bool to_yuv, const Image& out) {
  const int workers = core_count();
  prepare(c.width, workers);
  const bool in_place = c.orientation == Orientation() && out.format == PixelFormat::rgba8;
  parallel_for((c.height + rows_of_a_task - 1) / rows_of_a_task, workers, [&](int task, int worker) {
    Scratch& scratch = scratch_[static_cast<std::size_t>(worker)];
    const auto& chroma = format.chroma_shift_x == 0 ? scratch.stored : scratch.full;
    const int skipped = format.chroma_shift_x == 0 ? left_of_row : 0;
    for (int y = task * rows_of_a_task; y < std::min(c.height, (task + 1) * rows_of_a_task); ++y) {
      chroma_row(format, c, y, scratch);
      const float *u = chroma[0].data() + skipped, *v = chroma[1].data() + skipped;
      const auto* luma = convert_detail::row(c, 0, y);
      Rgba8* const pixels = in_place ? row_of<Rgba8>(out, y) : scratch.pixels.data();
      if (to_yuv)
        convert_rows::to_yuv(luma, u, v, c.chroma_zero, pixels, c.width);
      else
        convert_rows::to_rgb(luma, u, v, c, pixels, c.width);
      if (!in_place) place(c, out, y, pixels);
    }
  });
}

// U and V at the pixels of row y.
void HostRows::chroma_row(const VideoFormat& format, const Conversion& c, int y, Scratch& scratch) {
  int upper = y, lower = y;
  float weight = 0;
  if (format.chroma_shift_y == 1) {
    const int pair = (y + c.pair_offset) / 2;
    upper = pair - c.pair_offset, lower = upper + 1;
    weight = (y + c.pair_offset) % 2 == 0 ? c.first_weight : c.second_weight;
  }
  const auto row = [&](int plane, int at) {
    return convert_detail::row(c, plane, convert_detail::clamp_index(at, c.chroma_height));
  };
  float* const stored[] = {scratch.stored[0].data() + left_of_row, scratch.stored[1].data() + left_of_row};
  if (format.layout == PlaneLayout::semi_planar)
    convert_rows::between_rows_of_pairs(row(1, upper), row(1, lower), weight, c.chroma_zero, stored[0], stored[1],
                                        c.chroma_width);
  else
    for (int i = 0; i < 2; ++i)
      convert_rows::between_rows(row(1 + i, upper), row(1 + i, lower), weight, c.chroma_zero, stored[i],
                                 c.chroma_width);
  if (format.chroma_shift_x == 0) return;
  for (int i = 0; i < 2; ++i) {
    stored[i][-1] = stored[i][0];
    stored[i][c.chroma_width] = stored[i][c.chroma_width - 1];
    convert_rows::upsample(stored[i], c.even_weight, c.odd_weight, scratch.full[i].data(), c.chroma_width);
  }
}

// A row of the stored picture to where it is upright, as grey where that is wanted.
void HostRows::place(const Conversion& c, const Image& out, int y, const Rgba8* pixels) {
  for (int x = 0; x < c.width; x += group_width) {
    PixelRow group;
    for (int i = 0; i < group_width; ++i) {
      const Rgba8 pixel = pixels[x + i];
      group.at[i] = out.format == PixelFormat::rgba8 ? std::bit_cast<std::uint32_t>(pixel)
                                                     : make_pixel<PixelFormat::gray32f>(c, pixel.r, pixel.g, pixel.b);
    }
    store_row(c, out, x, y, group);
  }
}

}  // namespace convoscope
