#include "app/media/ffmpeg/picture_colours.h"

#include <initializer_list>

namespace convoscope {
namespace {

struct Chromaticities {
  double red[2], green[2], blue[2], white[2];
};

// ITU-T H.273, table 2; BT.709's for what is not known.
Chromaticities chromaticities_of(int primaries) {
  constexpr double d65[] = {0.3127, 0.3290}, c[] = {0.310, 0.316}, dci[] = {0.314, 0.351}, e[] = {1 / 3., 1 / 3.};
  const auto with = [](std::initializer_list<double> xy, const double(&white)[2]) {
    const double* const at = xy.begin();
    return Chromaticities{{at[0], at[1]}, {at[2], at[3]}, {at[4], at[5]}, {white[0], white[1]}};
  };
  switch (primaries) {
    case AVCOL_PRI_BT470M:
      return with({0.67, 0.33, 0.21, 0.71, 0.14, 0.08}, c);
    case AVCOL_PRI_BT470BG:
      return with({0.64, 0.33, 0.29, 0.60, 0.15, 0.06}, d65);
    case AVCOL_PRI_SMPTE170M:
    case AVCOL_PRI_SMPTE240M:
      return with({0.630, 0.340, 0.310, 0.595, 0.155, 0.070}, d65);
    case AVCOL_PRI_FILM:
      return with({0.681, 0.319, 0.243, 0.692, 0.145, 0.049}, c);
    case AVCOL_PRI_BT2020:
      return with({0.708, 0.292, 0.170, 0.797, 0.131, 0.046}, d65);
    case AVCOL_PRI_SMPTE428:
      return with({1, 0, 0, 1, 0, 0}, e);
    case AVCOL_PRI_SMPTE431:
      return with({0.680, 0.320, 0.265, 0.690, 0.150, 0.060}, dci);
    case AVCOL_PRI_SMPTE432:
      return with({0.680, 0.320, 0.265, 0.690, 0.150, 0.060}, d65);
    case AVCOL_PRI_EBU3213:
      return with({0.630, 0.340, 0.295, 0.605, 0.155, 0.077}, d65);
    default:
      return with({0.640, 0.330, 0.300, 0.600, 0.150, 0.060}, d65);
  }
}

// How much of white's luminance red and blue have (ITU-T H.273). A primary of no luminance, as some
// of XYZ are, has no share of it.
ColourMatrix matrix_of_primaries(int primaries) {
  const Chromaticities at = chromaticities_of(primaries);
  // White is a sum of the primaries, each taken s times: x s, y s, z s of each add up to white's x, y, z over its y.
  const auto determinant = [](const double(&a)[2], const double(&b)[2], const double(&c)[2]) {
    const double az = 1 - a[0] - a[1], bz = 1 - b[0] - b[1], cz = 1 - c[0] - c[1];
    return a[0] * (b[1] * cz - bz * c[1]) - b[0] * (a[1] * cz - az * c[1]) + c[0] * (a[1] * bz - az * b[1]);
  };
  const double whole = determinant(at.red, at.green, at.blue) * at.white[1];
  return {determinant(at.white, at.green, at.blue) / whole * at.red[1],
          determinant(at.red, at.green, at.white) / whole * at.blue[1]};
}

ColourMatrix matrix_of(const AVFrame& frame) {
  switch (number_of(frame.colorspace)) {
    case AVCOL_SPC_BT709:
      return ColourMatrix::bt709;
    case AVCOL_SPC_FCC:
      return ColourMatrix::fcc;
    case AVCOL_SPC_BT470BG:
    case AVCOL_SPC_SMPTE170M:
      return ColourMatrix::bt601;
    case AVCOL_SPC_SMPTE240M:
      return ColourMatrix::smpte240m;
    case AVCOL_SPC_YCGCO:
      return ColourMatrix::ycgco;
    case AVCOL_SPC_BT2020_NCL:
    case AVCOL_SPC_BT2020_CL:
    case AVCOL_SPC_ICTCP:
      return ColourMatrix::bt2020;
    case AVCOL_SPC_CHROMA_DERIVED_NCL:
    case AVCOL_SPC_CHROMA_DERIVED_CL:
      return matrix_of_primaries(number_of(frame.color_primaries));
    default:
      return frame.height >= 720 ? ColourMatrix::bt709 : ColourMatrix::bt601;
  }
}

ChromaSite site_of(const AVFrame& frame, bool jpeg) {
  switch (number_of(frame.chroma_location)) {
    case AVCHROMA_LOC_CENTER:
      return ChromaSite::centre;
    case AVCHROMA_LOC_TOPLEFT:
      return ChromaSite::top_left;
    case AVCHROMA_LOC_TOP:
      return ChromaSite::top;
    case AVCHROMA_LOC_BOTTOMLEFT:
      return ChromaSite::bottom_left;
    case AVCHROMA_LOC_BOTTOM:
      return ChromaSite::bottom;
    case AVCHROMA_LOC_LEFT:
      return ChromaSite::left;
    default:
      return jpeg ? ChromaSite::centre : ChromaSite::left;
  }
}

}  // namespace

void set_colours(VideoFormat& out, AVPixelFormat format, const AVFrame& frame) {
  const AVPixFmtDescriptor& kind = *av_pix_fmt_desc_get(format);
  const bool rgb = kind.flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL);
  const bool jpeg = format == AV_PIX_FMT_YUVJ420P || format == AV_PIX_FMT_YUVJ422P || format == AV_PIX_FMT_YUVJ444P ||
                    format == AV_PIX_FMT_YUVJ440P || format == AV_PIX_FMT_YUVJ411P;
  const bool grey = kind.nb_components <= 2 && !rgb;
  const int range = number_of(frame.color_range);
  out.matrix = matrix_of(frame);
  // RGB is full range whatever is said of it: FFmpeg writes and reads it so, zscale too.
  out.full_range = rgb || jpeg || range == AVCOL_RANGE_JPEG || (grey && range == AVCOL_RANGE_UNSPECIFIED);
  out.chroma_site = site_of(frame, jpeg);
}

bool holds_rgb(const AVFrame& frame) { return number_of(frame.colorspace) == AVCOL_SPC_RGB; }

}  // namespace convoscope
