#include "kernels/convert/yuv_layout.h"

#include <cmath>

#include "kernels/convert/conversion.h"

namespace convoscope {
namespace {

std::int32_t fixed_point(double value) {
  return static_cast<std::int32_t>(std::lround(value * (1 << PlaneConversion::bits)));
}

// Grey stays grey: the factors of a difference of colours sum up to nothing.
void set_chroma(std::int32_t (&factors)[3], double red, double green, double blue, int own) {
  const double all[] = {red, green, blue};
  std::int32_t others = 0;
  for (int i = 0; i < 3; ++i) {
    factors[i] = fixed_point(all[i]);
    if (i != own) others += factors[i];
  }
  factors[own] = -others;
}

}  // namespace

YuvLayout make_yuv_layout(int width, int height, YuvLayout::Chroma chroma, ColourMatrix matrix, std::size_t alignment,
                          std::size_t head) {
  YuvLayout layout{.width = width, .height = height, .chroma = chroma, .matrix = matrix};
  layout.bytes = head;
  for (int i = 0; i < 3; ++i) {
    const auto plane = static_cast<std::size_t>(i);
    layout.pitch[plane] = (static_cast<std::size_t>(layout.plane_width(i)) + alignment - 1) / alignment * alignment;
    layout.offset[plane] = layout.bytes;
    layout.bytes += layout.pitch[plane] * static_cast<std::size_t>(layout.plane_height(i));
  }
  return layout;
}

bool means_the_same(const YuvLayout& layout, const VideoFormat& format) {
  return !format.full_range && format.matrix == layout.matrix;
}

PlaneConversion make_plane_conversion(const YuvLayout& layout, bool is_yuv, void* block) {
  PlaneConversion out;
  for (std::size_t i = 0; i < 3; ++i) {
    out.plane[i] = static_cast<unsigned char*>(block) + layout.offset[i];
    out.pitch[i] = layout.pitch[i];
  }
  out.width = layout.width, out.height = layout.height;
  out.chroma_width = layout.plane_width(1), out.chroma_height = layout.plane_height(1);
  out.halved = layout.chroma == YuvLayout::Chroma::halved;
  out.is_yuv = is_yuv;
  const int of_sums = out.halved ? 1 << PlaneConversion::halved_bits : 1;
  constexpr double luma_zero = 16, chroma_zero = 128, half = 0.5;
  if (is_yuv) {
    for (int i = 0; i < 3; ++i) out.factors[i][i] = fixed_point(1);
    out.offsets[0] = fixed_point(half);
    out.offsets[1] = out.offsets[2] = fixed_point(half) * of_sums;
    return out;
  }
  VideoFormat format;
  format.layout = PlaneLayout::planar;
  format.width = format.height = 1;
  format.matrix = layout.matrix;
  const Conversion weights = make_conversion(format);
  const double red = 255.0 * weights.gray_r, blue = 255.0 * weights.gray_b, green = 1 - red - blue;
  constexpr double luma_range = 219.0 / 255, chroma_range = 224.0 / 255;
  out.factors[0][0] = fixed_point(red * luma_range);
  out.factors[0][2] = fixed_point(blue * luma_range);
  out.factors[0][1] = fixed_point(luma_range) - out.factors[0][0] - out.factors[0][2];
  const double of_u = chroma_range / 2 / (1 - blue), of_v = chroma_range / 2 / (1 - red);
  set_chroma(out.factors[1], -red * of_u, -green * of_u, (1 - blue) * of_u, 2);
  set_chroma(out.factors[2], (1 - red) * of_v, -green * of_v, -blue * of_v, 0);
  out.offsets[0] = fixed_point(luma_zero + half);
  out.offsets[1] = out.offsets[2] = fixed_point(chroma_zero + half) * of_sums;
  return out;
}

}  // namespace convoscope
