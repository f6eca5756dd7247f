#include "app/media/read/picture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/media/ffmpeg/chroma_place.h"
#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/read/picture_samples.h"
#include "kernels/convert/alpha_step.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

// The format to convert to where the frame's own cannot be described. swscale knows no colours but those that a matrix
// with weights makes, and in one step to RGB it does not interpolate chroma between rows.
AVPixelFormat target_for(const AVFrame& frame, const VideoFormat& colours, bool planes) {
  const AVPixFmtDescriptor& kind = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  const bool yuv = !(kind.flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) && kind.nb_components >= 3;
  if (yuv && (holds_rgb(frame) || colours.matrix.is_ycgco || !has_matrix(number_of(frame.colorspace))))
    return AV_PIX_FMT_YUV444P16LE;
  if (!planes || (kind.comp[0].depth <= 8 && kind.log2_chroma_h == 0)) return AV_PIX_FMT_RGBA;
  return yuv ? AV_PIX_FMT_YUV444P16LE : kind.comp[0].depth <= 8 ? AV_PIX_FMT_RGBA : AV_PIX_FMT_GBRP16LE;
}

AVPixelFormat small_target_for(AVPixelFormat format) {
  const AVPixFmtDescriptor& kind = *av_pix_fmt_desc_get(format);
  if (format == AV_PIX_FMT_GRAY16LE || format == AV_PIX_FMT_GBRP16LE) return format;
  const bool yuv = !(kind.flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) && kind.nb_components >= 3;
  return yuv ? AV_PIX_FMT_YUV444P16LE : AV_PIX_FMT_RGBA;
}

bool is_unpacked(AVPixelFormat format) {
  const AVPixFmtDescriptor& kind = *av_pix_fmt_desc_get(format);
  return has_unpackable_samples(kind) && (kind.comp[0].depth != 8 || kind.nb_components <= 2);
}

// swscale's: what U and V weigh in blue, green and red of limited range, in 1/65536.
std::array<int, 4> swscale_matrix(const ColourMatrix& matrix) {
  const double red = matrix.red, blue = matrix.blue, green = 1 - red - blue;
  const auto scaled = [](double weight) { return static_cast<int>(std::lround(weight * 65536 * 255 / 224)); };
  return {scaled(2 * (1 - red)), scaled(2 * (1 - blue)), scaled(2 * (1 - blue) * blue / green),
          scaled(2 * (1 - red) * red / green)};
}

Owned<SwsContext> make_scaler(const AVFrame& frame, const AVFrame& out, const VideoFormat& colours) {
  Owned<SwsContext> scaler(sws_alloc_context());
  if (!scaler) throw std::bad_alloc();
  const auto set = [&](const char* name, std::int64_t value) { av_opt_set_int(scaler.get(), name, value, 0); };
  set("srcw", frame.width), set("srch", frame.height), set("src_format", frame.format);
  set("dstw", out.width), set("dsth", out.height), set("dst_format", out.format);
  const bool same_size = out.width == frame.width && out.height == frame.height;
  set("sws_flags", (same_size ? SWS_BILINEAR : SWS_AREA) | SWS_FULL_CHR_H_INT | SWS_ACCURATE_RND);
  set("threads", same_size ? ffmpeg_threads(8) : 1);  // where it is small, a clip may play meanwhile
  place_chroma(*scaler, "src", static_cast<AVPixelFormat>(frame.format), colours.chroma_site);
  const bool known = sws_isSupportedInput(static_cast<AVPixelFormat>(frame.format));
  const int status = known ? sws_init_context(scaler.get(), nullptr, nullptr) : AVERROR(EINVAL);
  check_threads(status);
  if (status < 0) {
    const char* name = av_get_pix_fmt_name(static_cast<AVPixelFormat>(frame.format));
    throw Error("The video's pixel format " + std::string(name ? name : "?") +
                " cannot be converted. Convert it with ffmpeg -pix_fmt yuv420p first.");
  }
  const std::array<int, 4> matrix = swscale_matrix(colours.matrix);
  const bool stays_yuv = out.format == AV_PIX_FMT_YUV444P16LE;  // whose samples are shifted, and no more, see widen()
  sws_setColorspaceDetails(scaler.get(), matrix.data(), !stays_yuv && colours.full_range, matrix.data(), !stays_yuv, 0,
                           1 << 16, 1 << 16);
  return scaler;
}

// Of full range, the largest sample of `depth` bits becomes the largest of 16 where it was only shifted there.
void widen(AVFrame& yuv, int depth) {
  constexpr int largest = 65535;
  const float factor = static_cast<float>(largest) / static_cast<float>(largest + 1 - (1 << (16 - depth)));
  for (int plane = 0; plane < 3; ++plane) {
    const float zero = plane == 0 || holds_rgb(yuv) ? 0 : 32768;
    for (int y = 0; y < yuv.height; ++y) {
      auto* const row = reinterpret_cast<std::uint16_t*>(yuv.data[plane] + std::ptrdiff_t{y} * yuv.linesize[plane]);
      for (int x = 0; x < yuv.width; ++x) {
        const float value = zero + (static_cast<float>(row[x]) - zero) * factor;
        row[x] = static_cast<std::uint16_t>(std::clamp(value + 0.5f, 0.0f, static_cast<float>(largest)));
      }
    }
  }
}

// Made of `from`, whose memory it keeps.
VideoFrame frame_of_planes(Owned<AVFrame> from, const VideoFormat& format) {
  VideoFrame out;
  out.format = format;
  for (std::size_t plane = 0; plane < 3; ++plane) {
    out.planes[plane] = from->data[plane];
    out.pitch[plane] = static_cast<std::size_t>(from->linesize[plane]);
  }
  out.owner = std::shared_ptr<const AVFrame>(from.release(), FFmpegDeleter());
  return out;
}

// NVDEC's surfaces keep what is cut away on the left and above.
void cut(AVFrame& frame, VideoFormat& format) {
  const auto left = static_cast<int>(frame.crop_left), above = static_cast<int>(frame.crop_top);
  format.width -= left, format.height -= above;
  const int bytes = format.bits > 8 ? 2 : 1;
  for (int plane = 0; plane < 3; ++plane) {
    const bool chroma = plane > 0, pairs = chroma && format.layout == PlaneLayout::semi_planar;
    const int x = chroma ? left >> format.chroma_shift_x : left, y = chroma ? above >> format.chroma_shift_y : above;
    if (frame.data[plane]) frame.data[plane] += std::ptrdiff_t{y} * frame.linesize[plane] + x * bytes * (pairs ? 2 : 1);
  }
}

}  // namespace

std::optional<VideoFormat> describe_planes(AVPixelFormat format, const AVFrame& properties) {
  const AVPixFmtDescriptor* kind = av_pix_fmt_desc_get(format);
  if (!kind || kind->flags & (AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL |
                              AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BAYER))
    return {};
  const AVComponentDescriptor* c = kind->comp;
  const int depth = c[0].depth, bytes = depth > 8 ? 2 : 1, colours = kind->nb_components >= 3 ? 3 : 1;
  if (depth < 8 || (bytes == 2 && kind->flags & AV_PIX_FMT_FLAG_BE)) return {};
  for (int i = 1; i < colours; ++i)
    if (c[i].depth != depth || c[i].shift != c[0].shift) return {};

  VideoFormat out;
  out.width = properties.width;
  out.height = properties.height;
  out.bits = depth;
  out.shift = c[0].shift;
  set_colours(out, format, properties);
  if (kind->flags & AV_PIX_FMT_FLAG_RGB) {
    if (format == AV_PIX_FMT_RGBA) {
      out.layout = PlaneLayout::rgba;
    } else if (kind->flags & AV_PIX_FMT_FLAG_PLANAR && c[0].plane == 2 && c[1].plane == 0 && c[2].plane == 1) {
      out.layout = PlaneLayout::planar_rgb;
    } else {
      return {};
    }
    return out;
  }
  if (c[0].plane != 0 || c[0].step != bytes || c[0].offset != 0) return {};
  if (colours == 1) {
    out.layout = PlaneLayout::gray;
    return out;
  }
  if (!has_matrix(number_of(properties.colorspace))) return {};
  out.chroma_shift_x = kind->log2_chroma_w;
  out.chroma_shift_y = kind->log2_chroma_h;
  const bool known =
      (out.chroma_shift_y == 0 && out.chroma_shift_x <= 2) || (out.chroma_shift_y == 1 && out.chroma_shift_x <= 1);
  if (!known) return {};
  if (c[1].plane == 1 && c[2].plane == 2 && c[1].step == bytes && c[2].step == bytes) {
    out.layout = PlaneLayout::planar;
  } else if (c[1].plane == 1 && c[2].plane == 1 && c[1].offset == 0 && c[2].offset == bytes && c[1].step == 2 * bytes &&
             out.chroma_shift_x <= 1 && out.chroma_shift_x >= out.chroma_shift_y) {
    out.layout = PlaneLayout::semi_planar;
  } else {
    return {};
  }
  if (!holds_rgb(properties) || out.chroma_shift_x != 0 || out.chroma_shift_y != 0) return out;
  if (out.layout != PlaneLayout::planar) return {};
  out.layout = PlaneLayout::planar_rgb;  // green, blue and red
  return out;
}

VideoFrame PictureMaker::make(Owned<AVFrame> frame, const Orientation& orientation) {
  auto format = static_cast<AVPixelFormat>(frame->format);
  const bool on_device = format == AV_PIX_FMT_CUDA;
  if (on_device) format = reinterpret_cast<const AVHWFramesContext*>(frame->hw_frames_ctx->data)->sw_format;

  VideoFrame out;
  std::optional<VideoFormat> described = describe_planes(format, *frame);
  // swscale and VideoFormat agree on rgba, so that needs no conversion in either case; a negative pitch (a picture
  // stored bottom up) is left to what converts.
  const bool upright = frame->linesize[0] > 0 || on_device;
  const bool wanted = planes_ || (described && (described->layout == PlaneLayout::rgba || described->matrix.is_ycgco));
  if (described && upright && wanted) {
    if (on_device) cut(*frame, *described);
    out = frame_of_planes(std::move(frame), *described);
    out.on_device = on_device;
  } else if (on_device) {
    throw Error("NVDEC gives frames as " + std::string(av_get_pix_fmt_name(format)) + ", which cannot be shown.");
  } else {
    if (planes_ && is_unpacked(format)) frame = unpack(*frame);
    out = convert(std::move(frame));
  }
  out.format.orientation = orientation;
  const AVPixFmtDescriptor* const kind = av_pix_fmt_desc_get(format);
  if (out.format.layout == PlaneLayout::rgba && !out.on_device && kind && kind->flags & AV_PIX_FMT_FLAG_ALPHA)
    out.format.has_alpha = !is_opaque(
        {const_cast<void*>(out.planes[0]), out.format.width, out.format.height, out.pitch[0], PixelFormat::rgba8});
  return out;
}

VideoFrame PictureMaker::make_small(Owned<AVFrame> frame, const Orientation& orientation, int width, int height) {
  if (is_unpacked(static_cast<AVPixelFormat>(frame->format))) frame = unpack(*frame);
  const AVPixelFormat target = small_target_for(static_cast<AVPixelFormat>(frame->format));
  VideoFrame out = scale(std::move(frame), target, width, height);
  out.format.orientation = orientation;
  return out;
}

Owned<AVFrame> PictureMaker::new_frame(AVPixelFormat format, int width, int height) {
  Owned<AVFrame> out = make_frame();
  out->width = width;
  out->height = height;
  out->format = format;
  const int bytes = av_image_get_buffer_size(format, width, height, 64);
  if (bytes < 0) throw Error("A picture of this size cannot be converted: " + ffmpeg_text(bytes) + ".");
  out->buf[0] = make_buffer(pool_.take_block(static_cast<std::size_t>(bytes)), static_cast<std::size_t>(bytes));
  av_image_fill_arrays(out->data, out->linesize, out->buf[0]->data, format, width, height, 64);
  return out;
}

Owned<AVFrame> PictureMaker::unpack(const AVFrame& frame) {
  const auto format = static_cast<AVPixelFormat>(frame.format);
  const AVPixFmtDescriptor& kind = *av_pix_fmt_desc_get(format);
  VideoFormat colours;
  set_colours(colours, format, frame);
  Owned<AVFrame> out = new_frame(unpacked_format(kind), frame.width, frame.height);
  unpack_samples(frame, kind, !colours.full_range, *out);
  out->color_range = AVCOL_RANGE_JPEG;
  return out;
}

VideoFrame PictureMaker::convert(Owned<AVFrame> frame) {
  const auto format = static_cast<AVPixelFormat>(frame->format);
  if (const std::optional<VideoFormat> known = describe_planes(format, *frame);
      known && frame->linesize[0] > 0 && planes_)
    return frame_of_planes(std::move(frame), *known);
  VideoFormat colours;
  set_colours(colours, format, *frame);
  const AVPixelFormat target = target_for(*frame, colours, planes_);
  const int width = frame->width, height = frame->height;
  return scale(std::move(frame), target, width, height);
}

VideoFrame PictureMaker::scale(Owned<AVFrame> frame, AVPixelFormat target, int width, int height) {
  const auto format = static_cast<AVPixelFormat>(frame->format);
  VideoFormat colours;
  set_colours(colours, format, *frame);
  Owned<AVFrame> out = new_frame(target, width, height);
  if (const Key key{frame->width, frame->height, frame->format, width, height, target, colours};
      key != key_ || !scaler_) {
    scaler_ = make_scaler(*frame, *out, colours);
    key_ = key;
  }
  if (const int status = sws_scale_frame(scaler_.get(), out.get(), frame.get()); status < 0)
    throw Error("A picture cannot be converted: " + ffmpeg_text(status) + ".");

  const bool yuv = target == AV_PIX_FMT_YUV444P16LE;
  out->color_range = colours.full_range || !yuv ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  out->colorspace = yuv ? frame->colorspace : AVCOL_SPC_UNSPECIFIED;
  if (yuv && colours.full_range) widen(*out, av_pix_fmt_desc_get(format)->comp[0].depth);
  if (yuv && !has_matrix(number_of(frame->colorspace))) {
    out->color_trc = frame->color_trc, out->color_primaries = frame->color_primaries;
    solver_.solve(*out);
    out->colorspace = AVCOL_SPC_RGB, out->color_range = AVCOL_RANGE_JPEG;
  }
  VideoFormat described = *describe_planes(target, *out);
  described.matrix = colours.matrix;
  return frame_of_planes(std::move(out), described);
}

}  // namespace convoscope
