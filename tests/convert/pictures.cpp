#include "pictures.h"

extern "C" {
#include <libavutil/frame.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ostream>
#include <random>
#include <stdexcept>

#include "kernels/convert/conversion.h"

namespace convoscope::tests {
namespace {

int components(const VideoFormat& format, int plane) {
  if (format.layout == PlaneLayout::rgba) return 4;
  return format.layout == PlaneLayout::semi_planar && plane == 1 ? 2 : 1;
}

bool is_chroma(const VideoFormat& format, int plane) {
  return plane > 0 && (format.layout == PlaneLayout::planar || format.layout == PlaneLayout::semi_planar);
}

unsigned read(const Picture& picture, int plane, std::size_t at) {
  const auto& bytes = picture.planes[static_cast<std::size_t>(plane)];
  if (picture.format.bits == 8) return bytes[at];
  std::uint16_t value;
  std::memcpy(&value, &bytes[at], 2);
  return static_cast<unsigned>(value >> picture.format.shift);
}

void require(int status, const char* what) {
  if (status < 0) throw std::runtime_error(what);
}

}  // namespace

const std::vector<TestFormat>& test_formats() {
  using enum PlaneLayout;
  static const std::vector<TestFormat> formats{
      {AV_PIX_FMT_YUV420P, planar, 8, 0, 1, 1},
      {AV_PIX_FMT_YUV422P, planar, 8, 0, 1, 0},
      {AV_PIX_FMT_YUV444P, planar, 8, 0, 0, 0},
      {AV_PIX_FMT_YUV440P, planar, 8, 0, 0, 1},
      {AV_PIX_FMT_YUV411P, planar, 8, 0, 2, 0},
      {AV_PIX_FMT_YUVJ420P, planar, 8, 0, 1, 1, true},
      {AV_PIX_FMT_NV12, semi_planar, 8, 0, 1, 1},
      {AV_PIX_FMT_NV16, semi_planar, 8, 0, 1, 0},
      {AV_PIX_FMT_P010LE, semi_planar, 10, 6, 1, 1},
      {AV_PIX_FMT_P016LE, semi_planar, 16, 0, 1, 1},
      {AV_PIX_FMT_YUV420P10LE, planar, 10, 0, 1, 1},
      {AV_PIX_FMT_YUV422P10LE, planar, 10, 0, 1, 0},
      {AV_PIX_FMT_YUV444P10LE, planar, 10, 0, 0, 0},
      {AV_PIX_FMT_YUV444P12LE, planar, 12, 0, 0, 0},
      {AV_PIX_FMT_YUV420P16LE, planar, 16, 0, 1, 1},
      {AV_PIX_FMT_GRAY8, gray},
      {AV_PIX_FMT_GRAY10LE, gray, 10},
      {AV_PIX_FMT_GBRP, planar_rgb},
      {AV_PIX_FMT_GBRP10LE, planar_rgb, 10},
      {AV_PIX_FMT_RGBA, rgba},
  };
  return formats;
}

std::string name_of(const TestFormat& format) { return av_get_pix_fmt_name(format.av); }

void PrintTo(const TestFormat& format, std::ostream* stream) { *stream << name_of(format); }

VideoFormat video_format(const TestFormat& test, int width, int height) {
  VideoFormat format;
  format.layout = test.layout;
  format.width = width, format.height = height;
  format.bits = test.bits, format.shift = test.shift;
  format.chroma_shift_x = test.chroma_shift_x, format.chroma_shift_y = test.chroma_shift_y;
  format.full_range = test.full_by_name;
  return format;
}

unsigned Picture::sample(int plane, int column, int row) const {
  const PlaneSize size = plane_size(format, plane);
  const std::size_t bytes = format.bits > 8 ? 2 : 1;
  const int columns = static_cast<int>(size.row_bytes / bytes);
  column = std::clamp(column, 0, columns - 1);
  row = std::clamp(row, 0, size.rows - 1);
  return read(*this, plane,
              static_cast<std::size_t>(row) * pitch[static_cast<std::size_t>(plane)] +
                  static_cast<std::size_t>(column) * bytes);
}

Picture make_picture(const VideoFormat& format, Content content, unsigned seed, std::size_t padding) {
  Picture picture;
  picture.format = format;
  std::mt19937 random(seed);
  const unsigned largest = (1u << format.bits) - 1, step = 1u << (format.bits - 8);
  for (int plane = 0; plane < 3; ++plane) {
    const PlaneSize size = plane_size(format, plane);
    if (size.rows == 0) continue;
    const std::size_t index = static_cast<std::size_t>(plane), bytes = format.bits > 8 ? 2 : 1;
    const std::size_t pitch = size.row_bytes + padding / bytes * bytes;
    picture.pitch[index] = pitch;
    picture.planes[index].resize(static_cast<std::size_t>(size.rows - 1) * pitch + size.row_bytes);
    const int count = components(format, plane);
    for (int row = 0; row < size.rows; ++row)
      for (std::size_t column = 0; column * bytes < size.row_bytes; ++column) {
        unsigned value = static_cast<unsigned>(random()) & largest;
        if (content == Content::noise && !format.full_range)
          value = 16 * step + static_cast<unsigned>(random()) % ((is_chroma(format, plane) ? 224 : 219) * step + 1);
        if (content == Content::smooth) {  // a few waves over the plane, small in chroma so that colours stay in range
          const double x = static_cast<double>(static_cast<int>(column) / count), y = row;
          const double phase = plane + static_cast<double>(column % static_cast<std::size_t>(count)) + seed;
          const double wave = std::sin(0.13 * x + 0.07 * y + phase) * std::cos(0.05 * x - 0.11 * y + 2 * phase);
          const double amplitude = is_chroma(format, plane) ? 0.2 : 0.35;
          value = static_cast<unsigned>(std::lround((0.5 + amplitude * wave) * largest));
        }
        unsigned char* to = &picture.planes[index][static_cast<std::size_t>(row) * pitch + column * bytes];
        const auto stored = static_cast<std::uint16_t>(value << format.shift);
        if (bytes == 1)
          *to = static_cast<unsigned char>(value);
        else
          std::memcpy(to, &stored, 2);
      }
  }
  return picture;
}

VideoFrame frame_of(const Picture& picture) {
  VideoFrame frame;
  frame.format = picture.format;
  frame.pitch = picture.pitch;
  for (std::size_t i = 0; i < 3; ++i) frame.planes[i] = picture.planes[i].empty() ? nullptr : picture.planes[i].data();
  return frame;
}

Picture padded_to_chroma(const Picture& picture) {
  Picture padded;
  padded.format = picture.format;
  const auto round_up = [](int size, int shift) { return ((size - 1) >> shift << shift) + (1 << shift); };
  padded.format.width = round_up(picture.format.width, picture.format.chroma_shift_x);
  padded.format.height = round_up(picture.format.height, picture.format.chroma_shift_y);
  const std::size_t bytes = picture.format.bits > 8 ? 2 : 1;
  for (int plane = 0; plane < 3; ++plane) {
    const PlaneSize size = plane_size(padded.format, plane);
    const std::size_t index = static_cast<std::size_t>(plane);
    padded.pitch[index] = size.row_bytes;
    for (int row = 0; row < size.rows; ++row)
      for (int column = 0; column < static_cast<int>(size.row_bytes / bytes); ++column) {
        const unsigned stored = picture.sample(plane, column, row) << picture.format.shift;
        padded.planes[index].push_back(static_cast<unsigned char>(stored & 255));
        if (bytes == 2) padded.planes[index].push_back(static_cast<unsigned char>(stored >> 8));
      }
  }
  return padded;
}

namespace {

using AvFrame = std::unique_ptr<AVFrame, void (*)(AVFrame*)>;

AvFrame make_av_frame(AVPixelFormat format, int width, int height) {
  AvFrame frame(av_frame_alloc(), [](AVFrame* f) { av_frame_free(&f); });
  frame->format = format, frame->width = width, frame->height = height;
  require(av_frame_get_buffer(frame.get(), 64), "av_frame_get_buffer");
  return frame;
}

// In luma pixels from the first luma sample of a block of 2^shift. Left and top are the samples themselves.
double chroma_x(ChromaSite site, int shift) {
  const bool centred = site == ChromaSite::centre || site == ChromaSite::top || site == ChromaSite::bottom;
  return centred ? ((1 << shift) - 1) / 2.0 : 0;
}
double chroma_y(ChromaSite site, int shift) {
  if (site == ChromaSite::top_left || site == ChromaSite::top) return 0;
  const bool last = site == ChromaSite::bottom_left || site == ChromaSite::bottom;
  return last ? (1 << shift) - 1 : ((1 << shift) - 1) / 2.0;
}

int swscale_matrix(const ColourMatrix& matrix) {
  return matrix == ColourMatrix::bt601       ? SWS_CS_ITU601
         : matrix == ColourMatrix::bt709     ? SWS_CS_ITU709
         : matrix == ColourMatrix::bt2020    ? SWS_CS_BT2020
         : matrix == ColourMatrix::fcc       ? SWS_CS_FCC
         : matrix == ColourMatrix::smpte240m ? SWS_CS_SMPTE240M
                                             : -1;
}

// From one frame to the other, both as the format says except for the pixel format.
void scale(const VideoFormat& format, const AVFrame& source, int chroma_shift_x, int chroma_shift_y, AVFrame& target) {
  std::unique_ptr<SwsContext, void (*)(SwsContext*)> context(sws_alloc_context(), sws_freeContext);
  const auto set = [&](const char* name, std::int64_t value) {
    require(av_opt_set_int(context.get(), name, value, 0), name);
  };
  set("srcw", source.width), set("srch", source.height), set("src_format", source.format);
  set("dstw", target.width), set("dsth", target.height), set("dst_format", target.format);
  set("src_range", format.full_range), set("dst_range", format.full_range);
  set("sws_flags", SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT);
  const auto position = [](double luma_pixels) { return std::lround(256 * luma_pixels); };
  if (chroma_shift_x > 0) set("src_h_chr_pos", position(chroma_x(format.chroma_site, chroma_shift_x)));
  if (chroma_shift_y > 0) set("src_v_chr_pos", position(chroma_y(format.chroma_site, chroma_shift_y)));
  require(sws_init_context(context.get(), nullptr, nullptr), "sws_init_context");
  const int* coefficients = sws_getCoefficients(swscale_matrix(format.matrix));
  sws_setColorspaceDetails(context.get(), coefficients, format.full_range, coefficients, format.full_range, 0, 1 << 16,
                           1 << 16);
  require(sws_scale(context.get(), source.data, source.linesize, 0, source.height, target.data, target.linesize),
          "sws_scale");
}

}  // namespace

std::vector<unsigned char> swscale_rgba(const TestFormat& test, const Picture& picture) {
  av_log_set_level(AV_LOG_ERROR);  // it warns of yuvj420p, whose range is set
  const VideoFormat& format = picture.format;
  AvFrame source = make_av_frame(test.av, format.width, format.height);
  for (int plane = 0; plane < 3; ++plane) {
    const PlaneSize size = plane_size(format, plane);
    const std::size_t index = static_cast<std::size_t>(plane);
    for (int row = 0; row < size.rows; ++row)
      std::memcpy(source->data[plane] + row * source->linesize[plane],
                  &picture.planes[index][static_cast<std::size_t>(row) * picture.pitch[index]], size.row_bytes);
  }
  AvFrame target = make_av_frame(AV_PIX_FMT_RGBA, format.width, format.height);
  if (format.chroma_shift_y == 0) {
    scale(format, *source, format.chroma_shift_x, format.chroma_shift_y, *target);
  } else {
    AvFrame between = make_av_frame(AV_PIX_FMT_YUV444P16LE, format.width, format.height);
    scale(format, *source, format.chroma_shift_x, format.chroma_shift_y, *between);
    scale(format, *between, 0, 0, *target);
  }

  const std::size_t row_bytes = static_cast<std::size_t>(format.width) * 4;
  std::vector<unsigned char> rgba(row_bytes * static_cast<std::size_t>(format.height));
  for (int row = 0; row < format.height; ++row)
    std::memcpy(&rgba[static_cast<std::size_t>(row) * row_bytes], target->data[0] + row * target->linesize[0],
                row_bytes);
  return rgba;
}

bool swscale_reads(const TestFormat& test) { return sws_isSupportedInput(test.av) != 0; }

bool swscale_knows(const VideoFormat& format) {
  const bool gray = format.layout == PlaneLayout::gray && format.bits == 8;
  if ((gray || format.layout == PlaneLayout::planar_rgb) && !format.full_range) return false;
  return swscale_matrix(format.matrix) >= 0;
}

const std::vector<ColourMatrix>& every_matrix() {
  static const std::vector<ColourMatrix> all{ColourMatrix::bt601, ColourMatrix::bt709,     ColourMatrix::bt2020,
                                             ColourMatrix::fcc,   ColourMatrix::smpte240m, ColourMatrix::ycgco};
  return all;
}

std::pair<double, double> luma_weights(const ColourMatrix& matrix) {
  constexpr std::pair<double, double> weights[] = {{0.299, 0.114}, {0.2126, 0.0722}, {0.2627, 0.0593},
                                                   {0.30, 0.11},   {0.212, 0.087},   {0.25, 0.25}};
  return weights[std::find(every_matrix().begin(), every_matrix().end(), matrix) - every_matrix().begin()];
}

namespace {

// The chroma signal at luma pixel (x, y): the definition, with positions as real numbers.
double chroma_at(const Picture& picture, int component, int x, int y) {
  const VideoFormat& format = picture.format;
  const double px = (x - chroma_x(format.chroma_site, format.chroma_shift_x)) / (1 << format.chroma_shift_x);
  const double py = (y - chroma_y(format.chroma_site, format.chroma_shift_y)) / (1 << format.chroma_shift_y);
  const int columns = (format.width + (1 << format.chroma_shift_x) - 1) >> format.chroma_shift_x;
  const int x0 = static_cast<int>(std::floor(px)), y0 = static_cast<int>(std::floor(py));
  const auto sample = [&](int column, int row) -> double {
    column = std::clamp(column, 0, columns - 1);
    return format.layout == PlaneLayout::semi_planar ? picture.sample(1, 2 * column + component, row)
                                                     : picture.sample(1 + component, column, row);
  };
  const double fx = px - x0, fy = py - y0;
  return (1 - fy) * ((1 - fx) * sample(x0, y0) + fx * sample(x0 + 1, y0)) +
         fy * ((1 - fx) * sample(x0, y0 + 1) + fx * sample(x0 + 1, y0 + 1));
}

}  // namespace

std::array<double, 3> exact_rgb(const Picture& picture, int x, int y) {
  const VideoFormat& format = picture.format;
  const double largest = (1 << format.bits) - 1, step = 1 << (format.bits - 8);
  if (format.layout == PlaneLayout::rgba)
    return {double(picture.sample(0, 4 * x, y)), double(picture.sample(0, 4 * x + 1, y)),
            double(picture.sample(0, 4 * x + 2, y))};
  const auto code = [](double value) { return std::clamp(value * 255, 0.0, 255.0); };
  const auto level = [&](int plane) {
    const double sample = picture.sample(plane, x, y);
    return format.full_range ? sample / largest : (sample - 16 * step) / (219 * step);
  };
  if (format.layout == PlaneLayout::planar_rgb) return {code(level(2)), code(level(0)), code(level(1))};

  const double luma = level(0);
  double cb = 0, cr = 0;
  if (format.layout != PlaneLayout::gray) {
    const double range = format.full_range ? largest : (format.matrix.is_ycgco ? 219 : 224) * step;
    cb = (chroma_at(picture, 0, x, y) - 128 * step) / range;
    cr = (chroma_at(picture, 1, x, y) - 128 * step) / range;
  }
  // ITU-R BT.601, BT.709, BT.2020: Cb = (B − Y) / (2 (1 − Kb)), Cr = (R − Y) / (2 (1 − Kr)), Y = Kr R + Kg G + Kb B.
  // YCgCo (ITU-T H.273): Cg = (2 G − R − B) / 4, Co = (R − B) / 2, Y = (R + 2 G + B) / 4, of limited R, G and B.
  if (format.matrix.is_ycgco) return {code(luma - cb + cr), code(luma + cb), code(luma - cb - cr)};
  const auto [kr, kb] = luma_weights(format.matrix);
  const double red = luma + 2 * (1 - kr) * cr, blue = luma + 2 * (1 - kb) * cb;
  const double green = (luma - kr * red - kb * blue) / (1 - kr - kb);
  return {code(red), code(green), code(blue)};
}

}  // namespace convoscope::tests
