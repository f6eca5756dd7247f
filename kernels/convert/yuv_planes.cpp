#include "kernels/convert/yuv_planes.h"

#include <algorithm>
#include <stdexcept>

#include "kernels/convert/convert_rows.h"
#include "kernels/cpu/thread_pool.h"

namespace convoscope {
namespace {

constexpr int rows_at_once = 16;  // even
constexpr std::size_t before = 1;

int side(int pixels, YuvPlanes::Chroma chroma) {
  return chroma == YuvPlanes::Chroma::halved ? (pixels + 1) / 2 : pixels;
}

std::size_t product(int width, int height) {
  return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
}

}  // namespace

std::size_t YuvPlanes::bytes(int width, int height, Chroma chroma) {
  return product(width, height) + 2 * product(side(width, chroma), side(height, chroma));
}

void YuvPlanes::write(const Image& yuv, Chroma chroma, std::uint8_t* planes) {
  if (yuv.format != PixelFormat::rgba8) throw std::logic_error("a picture of Y, U and V has three channels");
  const int width = yuv.width, height = yuv.height, chroma_width = side(width, chroma);
  std::uint8_t* const plane[] = {planes, planes + product(width, height),
                                 planes + product(width, height) + product(chroma_width, side(height, chroma))};
  sums_.resize(static_cast<std::size_t>(core_count()));
  for (auto& sums : sums_) sums.resize(before + static_cast<std::size_t>(width) + 1 + convert_rows::slack);

  const auto pixels = [&](int y) { return row_of<const Rgba8>(yuv, std::clamp(y, 0, height - 1)); };
  parallel_for((height + rows_at_once - 1) / rows_at_once, core_count(), [&](int task, int worker) {
    std::uint32_t* const sums = sums_[static_cast<std::size_t>(worker)].data() + before;
    const int end = std::min(height, (task + 1) * rows_at_once);
    for (int y = task * rows_at_once; y < end; ++y)
      for (int i = 0; i < (chroma == Chroma::full ? 3 : 1); ++i)
        convert_rows::channel(pixels(y), i, plane[i] + product(width, y), width);
    for (int y = task * rows_at_once; chroma == Chroma::halved && y < end; y += 2) {
      const Rgba8* const rows[] = {pixels(y - 1), pixels(y), pixels(y + 1), pixels(y + 2)};
      convert_rows::sum_rows(rows, sums, width);
      sums[-1] = sums[0];
      sums[width] = sums[width - 1];
      convert_rows::halve(sums, plane[1] + product(chroma_width, y / 2), plane[2] + product(chroma_width, y / 2),
                          chroma_width);
    }
  });
}

}  // namespace convoscope
