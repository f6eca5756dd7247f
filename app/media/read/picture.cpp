#include "app/media/read/picture.h"

#include <algorithm>

#include "app/media/ffmpeg/chroma_place.h"
#include "app/media/ffmpeg/ffmpeg_error.h"
#include "kernels/contract/error.h"
#include "kernels/convert/alpha_step.h"

namespace convoscope {
namespace {

// What the stream says, else what is usual: BT.709 from 720 lines on, limited range, chroma as in MPEG-2; JPEG's kinds
// are full range with centred chroma.
void set_colours(VideoFormat& out, const AVPixFmtDescriptor& kind, AVPixelFormat format, const AVFrame& frame) {
  switch (number_of(frame.colorspace)) {
    case AVCOL_SPC_BT709:
      out.matrix = ColourMatrix::bt709;
      break;
    case AVCOL_SPC_FCC:
    case AVCOL_SPC_BT470BG:
    case AVCOL_SPC_SMPTE170M:
      out.matrix = ColourMatrix::bt601;
      break;
    case AVCOL_SPC_BT2020_NCL:
    case AVCOL_SPC_BT2020_CL:
      out.matrix = ColourMatrix::bt2020;
      break;
    default:
      out.matrix = frame.height >= 720 ? ColourMatrix::bt709 : ColourMatrix::bt601;
  }
  const bool rgb = kind.flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL);
  const bool jpeg = format == AV_PIX_FMT_YUVJ420P || format == AV_PIX_FMT_YUVJ422P || format == AV_PIX_FMT_YUVJ444P ||
                    format == AV_PIX_FMT_YUVJ440P || format == AV_PIX_FMT_YUVJ411P;
  const bool grey = kind.nb_components <= 2 && !rgb;
  const int range = number_of(frame.color_range);
  out.full_range = rgb || jpeg || range == AVCOL_RANGE_JPEG || (grey && range == AVCOL_RANGE_UNSPECIFIED);
  switch (number_of(frame.chroma_location)) {
    case AVCHROMA_LOC_CENTER:
      out.chroma_site = ChromaSite::centre;
      break;
    case AVCHROMA_LOC_TOPLEFT:
      out.chroma_site = ChromaSite::top_left;
      break;
    case AVCHROMA_LOC_UNSPECIFIED:
      out.chroma_site = jpeg ? ChromaSite::centre : ChromaSite::left;
      break;
    default:
      out.chroma_site = ChromaSite::left;
  }
}

// The format to convert to where the frame's own cannot be described.
AVPixelFormat target_for(const AVPixFmtDescriptor& kind, bool planes) {
  if (!planes || kind.comp[0].depth <= 8) return AV_PIX_FMT_RGBA;
  return kind.flags & AV_PIX_FMT_FLAG_RGB ? AV_PIX_FMT_GBRP16LE : AV_PIX_FMT_YUV444P16LE;
}

Owned<SwsContext> make_scaler(const AVFrame& frame, AVPixelFormat target, const VideoFormat& colours) {
  Owned<SwsContext> scaler(sws_alloc_context());
  if (!scaler) throw std::bad_alloc();
  const auto set = [&](const char* name, std::int64_t value) { av_opt_set_int(scaler.get(), name, value, 0); };
  set("srcw", frame.width), set("srch", frame.height), set("src_format", frame.format);
  set("dstw", frame.width), set("dsth", frame.height), set("dst_format", target);
  set("sws_flags", SWS_BILINEAR | SWS_FULL_CHR_H_INT | SWS_ACCURATE_RND);
  set("threads", ffmpeg_threads(8));
  place_chroma(*scaler, "src", static_cast<AVPixelFormat>(frame.format), colours.chroma_site);
  const bool known = sws_isSupportedInput(static_cast<AVPixelFormat>(frame.format));
  const int status = known ? sws_init_context(scaler.get(), nullptr, nullptr) : AVERROR(EINVAL);
  check_threads(status);
  if (status < 0) {
    const char* name = av_get_pix_fmt_name(static_cast<AVPixelFormat>(frame.format));
    throw Error("The video's pixel format " + std::string(name ? name : "?") +
                " cannot be converted. Convert it with ffmpeg -pix_fmt yuv420p first.");
  }
  const int* matrix = sws_getCoefficients(colours.matrix == ColourMatrix::bt601   ? SWS_CS_ITU601
                                          : colours.matrix == ColourMatrix::bt709 ? SWS_CS_ITU709
                                                                                  : SWS_CS_BT2020);
  const bool stays_yuv = target == AV_PIX_FMT_YUV444P16LE;
  sws_setColorspaceDetails(scaler.get(), matrix, colours.full_range, matrix, stays_yuv ? colours.full_range : 1, 0,
                           1 << 16, 1 << 16);
  return scaler;
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
  set_colours(out, *kind, format, properties);
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
  return out;
}

VideoFrame PictureMaker::make(Owned<AVFrame> frame, int rotation) {
  auto format = static_cast<AVPixelFormat>(frame->format);
  const bool on_device = format == AV_PIX_FMT_CUDA;
  if (on_device) format = reinterpret_cast<const AVHWFramesContext*>(frame->hw_frames_ctx->data)->sw_format;

  VideoFrame out;
  std::optional<VideoFormat> described = describe_planes(format, *frame);
  // swscale and VideoFormat agree on rgba, so that needs no conversion in either case; a negative pitch (a picture
  // stored bottom up) is left to swscale.
  const bool upright = frame->linesize[0] > 0 || on_device;
  if (described && upright && (planes_ || described->layout == PlaneLayout::rgba)) {
    out.format = *described;
    out.on_device = on_device;
    for (std::size_t plane = 0; plane < 3; ++plane) {
      out.planes[plane] = frame->data[plane];
      out.pitch[plane] = static_cast<std::size_t>(frame->linesize[plane]);
    }
    out.owner = std::shared_ptr<const AVFrame>(frame.release(), FFmpegDeleter());
  } else if (on_device) {
    throw Error("NVDEC gives frames as " + std::string(av_get_pix_fmt_name(format)) + ", which cannot be shown.");
  } else {
    out = convert(std::move(frame));
  }
  out.format.rotation = rotation;
  const AVPixFmtDescriptor* const kind = av_pix_fmt_desc_get(format);
  if (out.format.layout == PlaneLayout::rgba && !out.on_device && kind && kind->flags & AV_PIX_FMT_FLAG_ALPHA)
    out.format.has_alpha = !is_opaque(
        {const_cast<void*>(out.planes[0]), out.format.width, out.format.height, out.pitch[0], PixelFormat::rgba8});
  return out;
}

VideoFrame PictureMaker::convert(Owned<AVFrame> frame) {
  const auto format = static_cast<AVPixelFormat>(frame->format);
  const AVPixFmtDescriptor* kind = av_pix_fmt_desc_get(format);
  const AVPixelFormat target = target_for(*kind, planes_);
  VideoFormat colours;
  set_colours(colours, *kind, format, *frame);
  if (const Key key{frame->width, frame->height, frame->format, target, colours}; key != key_ || !scaler_) {
    scaler_ = make_scaler(*frame, target, colours);
    key_ = key;
  }

  Owned<AVFrame> out = make_frame();
  out->width = frame->width;
  out->height = frame->height;
  out->format = target;
  const int bytes = av_image_get_buffer_size(target, frame->width, frame->height, 64);
  if (bytes < 0) throw Error("A picture of this size cannot be converted: " + ffmpeg_text(bytes) + ".");
  out->buf[0] = make_buffer(pool_.take(static_cast<std::size_t>(bytes)), static_cast<std::size_t>(bytes));
  av_image_fill_arrays(out->data, out->linesize, out->buf[0]->data, target, frame->width, frame->height, 64);
  if (const int status = sws_scale_frame(scaler_.get(), out.get(), frame.get()); status < 0)
    throw Error("A picture cannot be converted: " + ffmpeg_text(status) + ".");

  VideoFrame result;
  if (target == AV_PIX_FMT_RGBA) {
    result.format.width = out->width;
    result.format.height = out->height;
    result.format.full_range = true;
  } else {
    out->color_range = colours.full_range ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    result.format = *describe_planes(target, *out);
    result.format.matrix = colours.matrix;
  }
  for (std::size_t plane = 0; plane < 3; ++plane) {
    result.planes[plane] = out->data[plane];
    result.pitch[plane] = static_cast<std::size_t>(out->linesize[plane]);
  }
  result.owner = std::shared_ptr<const AVFrame>(out.release(), FFmpegDeleter());
  return result;
}

}  // namespace convoscope
