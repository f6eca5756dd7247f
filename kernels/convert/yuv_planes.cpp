#include "kernels/convert/yuv_planes.h"

#include <algorithm>
#include <cstring>

#include "kernels/convert/convert_rows.h"
#include "kernels/convert/plane_group.h"
#include "kernels/threads/thread_pool.h"

namespace convoscope {
namespace {

constexpr int even_rows_of_a_task = 16;
constexpr std::size_t sums_before_row = 1;

// What lies behind the picture in a row of a plane.
void repeat_last(std::uint8_t* row, int picture, int plane) {
  if (plane > picture) std::memset(row + picture, row[picture - 1], static_cast<std::size_t>(plane - picture));
}

std::uint8_t* row_of_plane(const PlaneConversion& c, std::size_t plane, int y) {
  return c.plane[plane] + static_cast<std::size_t>(y) * c.pitch[plane];
}

}  // namespace

void YuvPlanes::prepare(int width, bool grey) {
  scratch_.resize(static_cast<std::size_t>(core_count()));
  for (Scratch& scratch : scratch_) {
    for (auto& sums : scratch.sums)
      sums.resize(sums_before_row + static_cast<std::size_t>(width) + 1 + convert_rows::slack);
    if (grey)
      for (auto& row : scratch.grey) row.resize(static_cast<std::size_t>(width));
  }
}

const Rgba8* YuvPlanes::colours(const Image& picture, int y, std::vector<Rgba8>& grey) const {
  const int row = std::clamp(y, 0, picture.height - 1);
  if (picture.format == PixelFormat::rgba8) return row_of<const Rgba8>(picture, row);
  const float* const from = row_of<const float>(picture, row);
  for (std::size_t x = 0; x < grey.size(); ++x) {
    const auto code = static_cast<std::uint8_t>(convert_detail::grey_code(from[x]));
    grey[x] = {code, code, code, 255};
  }
  return grey.data();
}

void YuvPlanes::luma_row(const Image& picture, const PlaneConversion& c, int y, Scratch& scratch) const {
  const Rgba8* const pixels = colours(picture, y, scratch.grey[0]);
  std::uint8_t* const to = row_of_plane(c, 0, y);
  if (c.is_yuv)
    convert_rows::channel(pixels, 0, to, picture.width);
  else
    convert_rows::mixed(pixels, c.factors[0], c.offsets[0], to, picture.width);
  repeat_last(to, picture.width, c.width);
  if (c.halved) return;
  for (std::size_t i = 1; i < 3; ++i) {
    std::uint8_t* const chroma = row_of_plane(c, i, y);
    if (c.is_yuv)
      convert_rows::channel(pixels, static_cast<int>(i), chroma, picture.width);
    else
      convert_rows::mixed(pixels, c.factors[i], c.offsets[i], chroma, picture.width);
    repeat_last(chroma, picture.width, c.width);
  }
}

// Row y of halved U and V.
void YuvPlanes::chroma_row(const Image& picture, const PlaneConversion& c, int y, Scratch& scratch) const {
  const Rgba8* rows[4];
  for (int i = 0; i < 4; ++i) rows[i] = colours(picture, 2 * y - 1 + i, scratch.grey[i]);
  std::uint32_t* const sums[] = {scratch.sums[0].data() + sums_before_row, scratch.sums[1].data() + sums_before_row};
  std::uint8_t *const u = row_of_plane(c, 1, y), *const v = row_of_plane(c, 2, y);
  const int width = picture.width, chroma_width = (width + 1) / 2;
  if (c.is_yuv)
    convert_rows::sum_rows(rows, sums[0], width);
  else
    convert_rows::sum_colours(rows, sums[0], sums[1], width);
  for (std::uint32_t* const row : sums) {
    row[-1] = row[0];
    row[width] = row[width - 1];
  }
  if (c.is_yuv)
    convert_rows::halve(sums[0], u, v, chroma_width);
  else
    convert_rows::halve_colours(sums[0], sums[1], c, u, v, chroma_width);
  repeat_last(u, chroma_width, c.chroma_width);
  repeat_last(v, chroma_width, c.chroma_width);
}

void YuvPlanes::write(const Image& picture, const PlaneConversion& c) {
  prepare(picture.width, picture.format != PixelFormat::rgba8);
  parallel_for((c.height + even_rows_of_a_task - 1) / even_rows_of_a_task, core_count(), [&](int task, int worker) {
    Scratch& scratch = scratch_[static_cast<std::size_t>(worker)];
    const int end = std::min(c.height, (task + 1) * even_rows_of_a_task);
    for (int y = task * even_rows_of_a_task; y < end; ++y) luma_row(picture, c, y, scratch);
    for (int y = task * even_rows_of_a_task; c.halved && y < end; y += 2) chroma_row(picture, c, y / 2, scratch);
  });
}

}  // namespace convoscope
