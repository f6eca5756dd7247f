// Colours of every pixel format and of every matrix that FFmpeg names, against the standards' formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <random>

#include "app/media/read/picture.h"
#include "tests/media/media_test.h"

namespace convoscope::test {
namespace {

constexpr int side = 16;

struct Colour {
  double red = 0, green = 0, blue = 0, alpha = 1;  // 0 … 1
};

double code_value(double level) { return std::clamp(level, 0.0, 1.0) * 255; }

Owned<AVFrame> frame_in(AVPixelFormat format) {
  Owned<AVFrame> frame = make_frame();
  frame->width = frame->height = side;
  frame->format = format;
  EXPECT_GE(av_frame_get_buffer(frame.get(), 0), 0);
  for (const AVBufferRef* buffer : frame->buf)  // samples are written bit by bit into what is there
    if (buffer) std::memset(buffer->data, 0, buffer->size);
  return frame;
}

// What the program shows of a frame.
std::vector<Rgba8> shown(Owned<AVFrame> frame, bool small = false) {
  PictureMaker maker(true, HostPool(nullptr));
  const VideoFrame picture =
      small ? maker.make_small(std::move(frame), {}, side, side) : maker.make(std::move(frame), {});
  std::vector<Rgba8> pixels(side * side);
  convert_on_this_thread(picture, {pixels.data(), side, side, side * 4, PixelFormat::rgba8});
  return pixels;
}

bool is_alpha(const AVPixFmtDescriptor& kind, int component) {
  return kind.flags & AV_PIX_FMT_FLAG_ALPHA && component == kind.nb_components - 1;
}

bool is_limited(const AVPixFmtDescriptor& kind, AVColorRange range) {
  const bool full_by_name = std::string(kind.name).starts_with("yuvj") || kind.comp[0].depth < 8;
  if (kind.flags & AV_PIX_FMT_FLAG_RGB || full_by_name) return false;
  return range == AVCOL_RANGE_MPEG || (range == AVCOL_RANGE_UNSPECIFIED && kind.nb_components >= 3);
}

// Grey and RGB of every level from black to white and beyond; of others, luma so and one colour.
class EveryFormat {
 public:
  EveryFormat(AVPixelFormat format, AVColorRange range)
      : kind_(*av_pix_fmt_desc_get(format)), frame_(frame_in(format)), limited_(is_limited(kind_, range)) {
    frame_->color_range = range;
    frame_->colorspace = AVCOL_SPC_BT709;
    std::mt19937 random(1);
    for (int component = 0; component < kind_.nb_components; ++component) {
      const bool chroma = is_chroma(component);
      const int columns = chroma ? AV_CEIL_RSHIFT(side, kind_.log2_chroma_w) : side;
      const int rows = chroma ? AV_CEIL_RSHIFT(side, kind_.log2_chroma_h) : side;
      const int depth = kind_.comp[component].depth, largest = (1 << std::min(depth, 16)) - 1;
      const auto one = static_cast<unsigned>(std::lround((component == 1 ? 0.45 : 0.6) * largest));
      values_[component].resize(side * side);
      for (int y = 0; y < rows; ++y) {
        std::vector<std::uint16_t> line;
        for (int x = 0; x < columns; ++x) {
          const unsigned any = y == 0 && x < 2 ? static_cast<unsigned>(x * largest) : random() & largest;
          line.push_back(static_cast<std::uint16_t>(chroma ? one : any));
        }
        for (int x = 0; x < columns; ++x) values_[component][static_cast<std::size_t>(y * side + x)] = line[x];
        write(component, y, line);
      }
      if (chroma) std::fill(values_[component].begin(), values_[component].end(), one);
    }
  }

  Owned<AVFrame> take() { return std::move(frame_); }

  Colour at(int x, int y) const {
    const auto level = [&](int component) { return level_of(component, x, y); };
    Colour colour;
    if (kind_.flags & AV_PIX_FMT_FLAG_ALPHA) colour.alpha = level(kind_.nb_components - 1);
    if (kind_.flags & AV_PIX_FMT_FLAG_RGB) {
      colour.red = level(0), colour.green = level(1), colour.blue = level(2);
    } else if (kind_.nb_components <= 2) {
      colour.red = colour.green = colour.blue = level(0);
    } else {
      const double y_ = level(0), u = level(1), v = level(2);
      colour = {y_ + 1.5748 * v, y_ - 0.1873242729 * u - 0.4681242729 * v, y_ + 1.8556 * u, colour.alpha};
    }
    return colour;
  }

 private:
  bool is_chroma(int component) const {
    return !(kind_.flags & AV_PIX_FMT_FLAG_RGB) && kind_.nb_components >= 3 && (component == 1 || component == 2);
  }
  double level_of(int component, int x, int y) const {
    const AVComponentDescriptor& its = kind_.comp[component];
    const double value = values_[component][static_cast<std::size_t>(y * side + x)];
    const double largest = (1 << std::min(its.depth, 16)) - 1, step = its.depth >= 8 ? 1 << (its.depth - 8) : 0;
    if (kind_.flags & AV_PIX_FMT_FLAG_FLOAT || is_alpha(kind_, component)) return value / largest;
    if (is_chroma(component)) return (value - 128 * step) / (limited_ ? 224 * step : largest);
    return limited_ ? (value - 16 * step) / (219 * step) : value / largest;
  }
  void write(int component, int y, const std::vector<std::uint16_t>& line) {
    const AVComponentDescriptor& its = kind_.comp[component];
    if (!(kind_.flags & AV_PIX_FMT_FLAG_FLOAT)) {
      av_write_image_line(line.data(), frame_->data, frame_->linesize, &kind_, 0, y, component,
                          static_cast<int>(line.size()));
      return;
    }
    std::uint8_t* to = frame_->data[its.plane] + std::ptrdiff_t{y} * frame_->linesize[its.plane] + its.offset;
    for (const std::uint16_t value : line) {
      std::uint32_t bits = std::bit_cast<std::uint32_t>(static_cast<float>(value) / 65535);
      if (kind_.flags & AV_PIX_FMT_FLAG_BE) bits = __builtin_bswap32(bits);
      std::memcpy(to, &bits, sizeof bits);
      to += its.step;
    }
  }

  const AVPixFmtDescriptor& kind_;
  Owned<AVFrame> frame_;
  const bool limited_;
  std::vector<std::uint16_t> values_[4];
};

// Those whose samples av_write_image_line() can write (FFmpeg does not say where all of uyyvyy411 lie), and that
// swscale reads at all.
bool can_be_written(AVPixelFormat format, const AVPixFmtDescriptor& kind) {
  constexpr int others = AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_PAL;
  if (kind.flags & others || !sws_isSupportedInput(format) || std::string(kind.name).starts_with("xyz") ||
      format == AV_PIX_FMT_UYYVYY411)
    return false;
  return !(kind.flags & AV_PIX_FMT_FLAG_FLOAT) || kind.comp[0].depth == 32;
}

void expect_right(const EveryFormat& picture, const AVPixFmtDescriptor& kind, const std::vector<Rgba8>& pixels) {
  // Alpha is left out that has a plane of its own, or lies beside deep Y, U and V.
  const bool deep_yuv = !(kind.flags & AV_PIX_FMT_FLAG_RGB) && kind.nb_components == 4 && kind.comp[0].depth > 8;
  const bool left_out = kind.flags & AV_PIX_FMT_FLAG_PLANAR || deep_yuv;
  const bool mono = std::string(kind.name) == "monow";  // where 0 is white
  double worst = 0;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      Colour colour = picture.at(x, y);
      if (mono) colour.red = colour.green = colour.blue = 1 - colour.red;
      const Rgba8 pixel = pixels[static_cast<std::size_t>(y * side + x)];
      worst = std::max({worst, std::abs(pixel.r - code_value(colour.red)), std::abs(pixel.g - code_value(colour.green)),
                        std::abs(pixel.b - code_value(colour.blue))});
      if (!left_out) worst = std::max(worst, std::abs(pixel.a - code_value(colour.alpha)));
    }
  EXPECT_LE(worst, 1) << kind.name;
}

TEST(Colours, OfEveryPixelFormatAreRight) {
  int formats = 0;
  for (const AVPixFmtDescriptor* kind = av_pix_fmt_desc_next(nullptr); kind; kind = av_pix_fmt_desc_next(kind)) {
    const AVPixelFormat format = av_pix_fmt_desc_get_id(kind);
    if (!can_be_written(format, *kind)) continue;
    ++formats;
    for (const AVColorRange range : {AVCOL_RANGE_UNSPECIFIED, AVCOL_RANGE_MPEG, AVCOL_RANGE_JPEG}) {
      SCOPED_TRACE(av_color_range_name(range));
      EveryFormat picture(format, range);
      const std::vector<Rgba8> pixels = shown(picture.take());
      expect_right(picture, *kind, pixels);
    }
  }
  EXPECT_GT(formats, 150);
}

TEST(Colours, OfDeepGreyReachFromBlackToWhite) {
  for (const AVPixelFormat format : {AV_PIX_FMT_YA16BE, AV_PIX_FMT_YA16LE, AV_PIX_FMT_GRAY16BE, AV_PIX_FMT_GRAY16LE}) {
    for (const bool small : {false, true}) {
      SCOPED_TRACE(std::string(av_get_pix_fmt_name(format)) + (small ? ", small" : ""));
      Owned<AVFrame> frame = frame_in(format);
      const AVPixFmtDescriptor& kind = *av_pix_fmt_desc_get(format);
      const std::vector<std::uint16_t> black(side, 0), white(side, 65535);
      for (int y = 0; y < side; ++y) {
        av_write_image_line((y < side / 2 ? black : white).data(), frame->data, frame->linesize, &kind, 0, y, 0, side);
        if (kind.nb_components == 2)
          av_write_image_line(white.data(), frame->data, frame->linesize, &kind, 0, y, 1, side);
      }
      const std::vector<Rgba8> pixels = shown(std::move(frame), small);
      EXPECT_EQ(pixels.front().r, 0);
      EXPECT_EQ(pixels.back().r, 255);
      EXPECT_EQ(pixels.back().b, 255);
      EXPECT_EQ(pixels.back().a, 255);
    }
  }
}

// The inverse of what each standard says, in double precision.
class Standard {
 public:
  Standard(AVColorSpace space, AVColorPrimaries primaries, AVColorTransferCharacteristic transfer)
      : space_(space), primaries_(primaries), transfer_(transfer) {}

  // Y, U and V of a colour, U and V about 0.
  std::array<double, 3> encoded(const Colour& c) const {
    switch (space_) {
      case AVCOL_SPC_RGB:
        return {c.green, c.blue, c.red};
      case AVCOL_SPC_YCGCO:
        return {c.red / 4 + c.green / 2 + c.blue / 4, -c.red / 4 + c.green / 2 - c.blue / 4, c.red / 2 - c.blue / 2};
      case AVCOL_SPC_SMPTE2085:
        return {c.green, (0.986566 * c.blue - c.green) / 2, (c.red - 0.991902 * c.green) / 2};
      case AVCOL_SPC_BT2020_CL:
      case AVCOL_SPC_CHROMA_DERIVED_CL: {
        const auto [kr, kb] = weights();
        const double y = encode(kr * decode(c.red) + (1 - kr - kb) * decode(c.green) + kb * decode(c.blue));
        const auto difference = [&](double colour, double k) {
          return (colour - y) / (2 * (colour <= y ? encode(1 - k) : 1 - encode(k)));
        };
        return {y, difference(c.blue, kb), difference(c.red, kr)};
      }
      case AVCOL_SPC_ICTCP: {
        const double r = decode(c.red), g = decode(c.green), b = decode(c.blue);
        const double l = encode((1688 * r + 2146 * g + 262 * b) / 4096),
                     m = encode((683 * r + 2951 * g + 462 * b) / 4096),
                     s = encode((99 * r + 309 * g + 3688 * b) / 4096);
        if (transfer_ == AVCOL_TRC_ARIB_STD_B67)
          return {(l + m) / 2, (3625 * l - 7465 * m + 3840 * s) / 4096, (9500 * l - 9212 * m - 288 * s) / 4096};
        return {(l + m) / 2, (6610 * l - 13613 * m + 7003 * s) / 4096, (17933 * l - 17390 * m - 543 * s) / 4096};
      }
      default: {
        const auto [kr, kb] = weights();
        const double y = kr * c.red + (1 - kr - kb) * c.green + kb * c.blue;
        return {y, (c.blue - y) / (2 * (1 - kb)), (c.red - y) / (2 * (1 - kr))};
      }
    }
  }

 private:
  std::pair<double, double> weights() const {
    switch (space_) {
      case AVCOL_SPC_BT709:
        return {0.2126, 0.0722};
      case AVCOL_SPC_FCC:
        return {0.30, 0.11};
      case AVCOL_SPC_SMPTE240M:
        return {0.212, 0.087};
      case AVCOL_SPC_BT2020_NCL:
      case AVCOL_SPC_BT2020_CL:
        return {0.2627, 0.0593};
      case AVCOL_SPC_CHROMA_DERIVED_NCL:
      case AVCOL_SPC_CHROMA_DERIVED_CL:  // the luminance of red and blue, as is known of these
        return primaries_ == AVCOL_PRI_SMPTE432    ? std::pair{0.228975, 0.079287}
               : primaries_ == AVCOL_PRI_SMPTE170M ? std::pair{0.212376, 0.086580}
                                                   : std::pair{0.262700, 0.059302};
      default:
        return {0.299, 0.114};
    }
  }
  double encode(double light) const {
    if (transfer_ == AVCOL_TRC_SMPTE2084) {
      const double power = std::pow(light, 2610 / 16384.0);
      return std::pow((3424 / 4096.0 + 2413 / 128.0 * power) / (1 + 2392 / 128.0 * power), 2523 / 32.0);
    }
    if (transfer_ == AVCOL_TRC_ARIB_STD_B67)
      return light <= 1 / 12.0 ? std::sqrt(3 * light) : 0.17883277 * std::log(12 * light - 0.28466892) + 0.55991073;
    return light < 0.018053968510807 ? 4.5 * light : 1.09929682680944 * std::pow(light, 0.45) - 0.09929682680944;
  }
  double decode(double code) const {  // by halving: only encode() is to be right
    double low = 0, high = 1;
    for (int i = 0; i < 60; ++i) (encode((low + high) / 2) < code ? low : high) = (low + high) / 2;
    return low;
  }
  AVColorSpace space_;
  AVColorPrimaries primaries_;
  AVColorTransferCharacteristic transfer_;
};

// A stripe of each colour down the picture. PQ and HLG are steep near black: there, rounding Y, U and V of a saturated
// colour to their own samples moves it by up to 20 code values. Colours of them are of a like brightness.
std::vector<Colour> stripes(bool of_like_brightness) {
  std::vector<Colour> some{{0, 0, 0}, {1, 1, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0.5, 0.5}};
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(0, 1), like(0.55, 0.75);
  if (of_like_brightness) some.resize(2);
  while (some.size() < side) {
    auto& level = of_like_brightness ? like : any;
    some.push_back({level(random), level(random), level(random)});
  }
  return some;
}

struct MatrixCase {
  AVColorSpace space;
  AVColorTransferCharacteristic transfer = AVCOL_TRC_BT2020_10;
  AVColorPrimaries primaries = AVCOL_PRI_BT2020;
};

void expect_stripes(const MatrixCase& c, AVPixelFormat format, AVColorRange range, bool small) {
  const Standard standard(c.space, c.primaries, c.transfer);
  const std::vector<Colour> colours = stripes(c.space == AVCOL_SPC_ICTCP || c.transfer == AVCOL_TRC_SMPTE2084);
  Owned<AVFrame> frame = frame_in(format);
  frame->colorspace = c.space, frame->color_trc = c.transfer, frame->color_primaries = c.primaries;
  frame->color_range = range;
  const AVPixFmtDescriptor& kind = *av_pix_fmt_desc_get(format);
  const double step = 1 << (kind.comp[0].depth - 8), largest = (1 << kind.comp[0].depth) - 1;
  const bool limited = range == AVCOL_RANGE_MPEG;
  std::vector<std::uint16_t> lines[3];
  for (const Colour& colour : colours) {
    const auto yuv = standard.encoded(colour);
    for (std::size_t i = 0; i < 3; ++i) {
      const bool luma = i == 0 || c.space == AVCOL_SPC_RGB;
      const bool of_limited_rgb = luma || c.space == AVCOL_SPC_YCGCO;
      const double scale = limited ? (of_limited_rgb ? 219 : 224) * step : largest;
      const double zero = luma ? (limited ? 16 * step : 0) : 128 * step;
      lines[i].push_back(static_cast<std::uint16_t>(std::clamp(std::round(zero + yuv[i] * scale), 0.0, largest)));
    }
  }
  for (int y = 0; y < side; ++y)
    for (int i = 0; i < 3; ++i)
      av_write_image_line(lines[i].data(), frame->data, frame->linesize, &kind, 0, y, i, side);
  const std::vector<Rgba8> pixels = shown(std::move(frame), small);
  for (std::size_t x = 0; x < side; ++x) {
    const Colour& colour = colours[x];
    const Rgba8 pixel = pixels[side * 5 + x];
    const double worst =
        std::max({std::abs(pixel.r - code_value(colour.red)), std::abs(pixel.g - code_value(colour.green)),
                  std::abs(pixel.b - code_value(colour.blue))});
    EXPECT_LE(worst, 1) << "stripe " << x;
  }
}

TEST(Colours, OfEveryMatrixAreRight) {
  const MatrixCase cases[] = {
      {AVCOL_SPC_RGB},
      {AVCOL_SPC_BT709},
      {AVCOL_SPC_FCC},
      {AVCOL_SPC_BT470BG},
      {AVCOL_SPC_SMPTE170M},
      {AVCOL_SPC_SMPTE240M},
      {AVCOL_SPC_YCGCO},
      {AVCOL_SPC_BT2020_NCL},
      {AVCOL_SPC_BT2020_CL},
      {AVCOL_SPC_BT2020_CL, AVCOL_TRC_UNSPECIFIED},
      {AVCOL_SPC_SMPTE2085},
      {AVCOL_SPC_CHROMA_DERIVED_NCL, AVCOL_TRC_BT709, AVCOL_PRI_SMPTE432},
      {AVCOL_SPC_CHROMA_DERIVED_NCL, AVCOL_TRC_BT709, AVCOL_PRI_SMPTE170M},
      {AVCOL_SPC_CHROMA_DERIVED_CL, AVCOL_TRC_SMPTE2084, AVCOL_PRI_BT2020},
      {AVCOL_SPC_ICTCP, AVCOL_TRC_SMPTE2084},
      {AVCOL_SPC_ICTCP, AVCOL_TRC_ARIB_STD_B67},
  };
  for (const MatrixCase& c : cases)
    for (const AVColorRange range : {AVCOL_RANGE_MPEG, AVCOL_RANGE_JPEG})
      for (const AVPixelFormat format : {AV_PIX_FMT_YUV444P16LE, AV_PIX_FMT_YUV444P12BE})
        for (const bool small : {false, true}) {
          SCOPED_TRACE(std::string(av_color_space_name(c.space)) + " " + av_color_transfer_name(c.transfer) + " " +
                       av_color_range_name(range) + " " + av_get_pix_fmt_name(format) + (small ? " small" : ""));
          expect_stripes(c, format, range, small);
        }
}

TEST(Colours, OfRgbInPlanesOfYuvAreThosePlanes) {
  const Owned<AVFrame> frame = make_frame();
  frame->width = frame->height = side;
  frame->colorspace = AVCOL_SPC_RGB;
  EXPECT_EQ(describe_planes(AV_PIX_FMT_YUV444P, *frame)->layout, PlaneLayout::planar_rgb);
  EXPECT_FALSE(describe_planes(AV_PIX_FMT_NV24, *frame)) << "green, blue and red are three planes";
  EXPECT_EQ(describe_planes(AV_PIX_FMT_YUV420P, *frame)->layout, PlaneLayout::planar) << "RGB has no halved planes";
}

TEST(Chroma, SitsWhereTheFrameSays) {
  const Owned<AVFrame> frame = make_frame();
  frame->width = frame->height = side;
  const std::pair<AVChromaLocation, ChromaSite> sites[] = {
      {AVCHROMA_LOC_UNSPECIFIED, ChromaSite::left}, {AVCHROMA_LOC_LEFT, ChromaSite::left},
      {AVCHROMA_LOC_CENTER, ChromaSite::centre},    {AVCHROMA_LOC_TOPLEFT, ChromaSite::top_left},
      {AVCHROMA_LOC_TOP, ChromaSite::top},          {AVCHROMA_LOC_BOTTOMLEFT, ChromaSite::bottom_left},
      {AVCHROMA_LOC_BOTTOM, ChromaSite::bottom}};
  for (const auto& [location, site] : sites) {
    frame->chroma_location = location;
    EXPECT_EQ(describe_planes(AV_PIX_FMT_YUV420P, *frame)->chroma_site, site) << av_chroma_location_name(location);
  }
}

}  // namespace
}  // namespace convoscope::test
