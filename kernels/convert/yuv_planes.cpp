#include "kernels/convert/yuv_planes.h"

#include <algorithm>
#include <stdexcept>

#include "kernels/convert/convert_rows.h"
#include "kernels/cpu/thread_pool.h"

namespace convoscope {
namespace {

constexpr int even_rows_of_a_task = 16;
constexpr std::size_t sums_before_row = 1;

int chroma_side(int pixels, YuvPlanes::Chroma chroma) {
  return chroma == YuvPlanes::Chroma::halved ? (pixels + 1) / 2 : pixels;
}

std::size_t area_of(int width, int height) {
  return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
}

}  // namespace

std::size_t YuvPlanes::bytes(int width, int height, Chroma chroma) {
  return area_of(width, height) + 2 * area_of(chroma_side(width, chroma), chroma_side(height, chroma));
}

void YuvPlanes::write(const Image& yuv, Chroma chroma, std::uint8_t* planes) {
  if (yuv.format != PixelFormat::rgba8) throw std::logic_error("a picture of Y, U and V has three channels");
  const int width = yuv.width, height = yuv.height, chroma_width = chroma_side(width, chroma);
  std::uint8_t* const plane[] = {planes, planes + area_of(width, height),
                                 planes + area_of(width, height) + area_of(chroma_width, chroma_side(height, chroma))};
  sums_.resize(static_cast<std::size_t>(core_count()));
  for (auto& sums : sums_) sums.resize(sums_before_row + static_cast<std::size_t>(width) + 1 + convert_rows::slack);

  const auto pixels = [&](int y) { return row_of<const Rgba8>(yuv, std::clamp(y, 0, height - 1)); };
  parallel_for((height + even_rows_of_a_task - 1) / even_rows_of_a_task, core_count(), [&](int task, int worker) {
    std::uint32_t* const sums = sums_[static_cast<std::size_t>(worker)].data() + sums_before_row;
    const int end = std::min(height, (task + 1) * even_rows_of_a_task);
    for (int y = task * even_rows_of_a_task; y < end; ++y)
      for (int i = 0; i < (chroma == Chroma::full ? 3 : 1); ++i)
        convert_rows::channel(pixels(y), i, plane[i] + area_of(width, y), width);
    for (int y = task * even_rows_of_a_task; chroma == Chroma::halved && y < end; y += 2) {
      const Rgba8* const rows[] = {pixels(y - 1), pixels(y), pixels(y + 1), pixels(y + 2)};
      convert_rows::sum_rows(rows, sums, width);
      sums[-1] = sums[0];
      sums[width] = sums[width - 1];
      convert_rows::halve(sums, plane[1] + area_of(chroma_width, y / 2), plane[2] + area_of(chroma_width, y / 2),
                          chroma_width);
    }
  });
}

}  // namespace convoscope
