#include "kernels/convert/conversion.h"

#include <stdexcept>
#include <string>

#include "kernels/text/error.h"

namespace convoscope {
namespace {

bool has_chroma(PlaneLayout layout) { return layout == PlaneLayout::semi_planar || layout == PlaneLayout::planar; }

void validate(const VideoFormat& format) {
  const auto refuse = [](const std::string& what) {
    throw Error("The video cannot be shown: " + what + ". Convert it with ffmpeg -pix_fmt yuv420p first.");
  };
  if (format.width < 1 || format.height < 1)
    refuse("its pictures have " + std::to_string(format.width) + " × " + std::to_string(format.height) + " pixels");
  if (format.layout == PlaneLayout::numbers) {
    if (format.bits != 32 || format.shift != 0) refuse("its numbers have " + std::to_string(format.bits) + " bits");
    return;
  }
  if (format.bits < 8 || format.bits > 16 || format.shift < 0 || format.bits + format.shift > 16 ||
      (format.bits == 8 && format.shift != 0))
    refuse("its samples have " + std::to_string(format.bits) + " bits, shifted by " + std::to_string(format.shift));
  if (format.layout == PlaneLayout::rgba && format.bits != 8)
    refuse("its packed RGB samples have " + std::to_string(format.bits) + " bits");
  if (has_chroma(format.layout)) {
    const int x = format.chroma_shift_x, y = format.chroma_shift_y;
    const bool known = (y == 0 && x >= 0 && x <= 2) || (y == 1 && (x == 0 || x == 1));
    if (!known || (format.layout == PlaneLayout::semi_planar && (x == 2 || (x == 0 && y == 1))))
      refuse("its chroma is subsampled by " + std::to_string(1 << x) + " × " + std::to_string(1 << y));
  }
}

void set_matrix(const ColourMatrix& matrix, double chroma_scale, Conversion& c) {
  const auto scaled = [&](double weight) { return static_cast<float>(weight * chroma_scale); };
  const double red = matrix.red, blue = matrix.blue, green = 1 - red - blue;
  c.gray_r = static_cast<float>(red / 255);
  c.gray_g = static_cast<float>(green / 255);
  c.gray_b = static_cast<float>(blue / 255);
  if (matrix.is_ycgco) {  // R = Y − Cg + Co, G = Y + Cg, B = Y − Cg − Co
    c.u_to_g = c.v_to_r = scaled(1);
    c.u_to_r = c.u_to_b = c.v_to_b = scaled(-1);
    return;
  }
  c.v_to_r = scaled(2 * (1 - red));
  c.u_to_b = scaled(2 * (1 - blue));
  c.v_to_g = scaled(-2 * (1 - red) * red / green);
  c.u_to_g = scaled(-2 * (1 - blue) * blue / green);
}

// Which chroma rows a pair of rows lies between, by how many rows the first chroma row lies below the first row.
void set_rows(ChromaSite site, Conversion& c) {
  switch (site) {
    case ChromaSite::left:
    case ChromaSite::centre:
      c.pair_offset = 1, c.first_weight = 0.25f, c.second_weight = 0.75f;
      return;
    case ChromaSite::top_left:
    case ChromaSite::top:
      c.pair_offset = 0, c.first_weight = 0.0f, c.second_weight = 0.5f;
      return;
    case ChromaSite::bottom_left:
    case ChromaSite::bottom:
      c.pair_offset = 1, c.first_weight = 0.0f, c.second_weight = 0.5f;
      return;
  }
}

}  // namespace

Conversion make_conversion(const VideoFormat& format) {
  validate(format);
  Conversion c;
  c.width = format.width, c.height = format.height;
  c.chroma_width = (format.width + (1 << format.chroma_shift_x) - 1) >> format.chroma_shift_x;
  c.chroma_height = (format.height + (1 << format.chroma_shift_y) - 1) >> format.chroma_shift_y;
  c.shift = format.shift;
  c.orientation = format.orientation;

  if (format.layout == PlaneLayout::numbers) return c;

  // Limited range: luma 16…235 and chroma 16…240 of 8 bits, times 2^(bits − 8). YCgCo is made of limited R, G and B, so
  // that its chroma is as wide as its luma (ITU-T H.273).
  const bool full = format.layout == PlaneLayout::rgba || format.full_range;
  const double step = 1 << (format.bits - 8), largest = (1 << format.bits) - 1;
  const double luma_range = full ? largest : 219 * step,
               chroma_range = full ? largest : (format.matrix.is_ycgco ? 219 : 224) * step;
  c.luma_zero = static_cast<float>(full ? 0 : 16 * step);
  c.luma_scale = static_cast<float>(255 / luma_range);
  c.chroma_zero = static_cast<float>(128 * step);
  set_matrix(format.matrix, 255 / chroma_range, c);

  const ChromaSite site = format.chroma_site;
  const bool centred_x = site == ChromaSite::centre || site == ChromaSite::top || site == ChromaSite::bottom;
  c.even_weight = centred_x ? 0.75f : 1.0f;
  c.odd_weight = centred_x ? 0.25f : 0.5f;
  c.quarter_offset = centred_x ? 1.5f : 0.0f;
  set_rows(site, c);
  return c;
}

PlaneSize plane_size(const VideoFormat& format, int plane) {
  const std::size_t sample = format.bits > 8 ? 2 : 1, width = static_cast<std::size_t>(format.width);
  const std::size_t chroma_width = (width + (std::size_t{1} << format.chroma_shift_x) - 1) >> format.chroma_shift_x;
  const int chroma_rows = (format.height + (1 << format.chroma_shift_y) - 1) >> format.chroma_shift_y;
  switch (format.layout) {
    case PlaneLayout::rgba:
      return plane == 0 ? PlaneSize{width * 4, format.height} : PlaneSize{};
    case PlaneLayout::numbers:
      return plane == 0 ? PlaneSize{width * sizeof(float), format.height} : PlaneSize{};
    case PlaneLayout::gray:
      return plane == 0 ? PlaneSize{width * sample, format.height} : PlaneSize{};
    case PlaneLayout::semi_planar:
      if (plane == 0) return {width * sample, format.height};
      return plane == 1 ? PlaneSize{2 * chroma_width * sample, chroma_rows} : PlaneSize{};
    case PlaneLayout::planar:
      return plane == 0 ? PlaneSize{width * sample, format.height} : PlaneSize{chroma_width * sample, chroma_rows};
    case PlaneLayout::planar_rgb:
      return {width * sample, format.height};
  }
  return {};
}

void require_convertible(const VideoFrame& frame, const Image& out) {
  const VideoFormat& format = frame.format;
  if (out.width != format.upright_width() || out.height != format.upright_height())
    throw std::logic_error("the converted image must be " + std::to_string(format.upright_width()) + " × " +
                           std::to_string(format.upright_height()) + ", not " + std::to_string(out.width) + " × " +
                           std::to_string(out.height));
  for (int i = 0; i < 3; ++i) {
    const PlaneSize size = plane_size(format, i);
    if (size.rows > 0 && (!frame.planes[i] || frame.pitch[i] < size.row_bytes))
      throw std::logic_error("plane " + std::to_string(i) + " of the frame is missing or its pitch is too small");
  }
}

}  // namespace convoscope
