#include "app/media/write/picture_file.h"

#include <cstdint>

#include "app/media/ffmpeg/ffmpeg.h"
#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/write/file_output.h"
#include "app/media/write/png.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr int finest_jpeg = 2;  // of FFmpeg's scale, 2 to 31: what is lost cannot be seen

// Over black, as no JPEG holds alpha.
void lay_over_black(AVFrame& rgba) {
  for (int y = 0; y < rgba.height; ++y) {
    std::uint8_t* pixel = rgba.data[0] + static_cast<std::ptrdiff_t>(y) * rgba.linesize[0];
    for (int x = 0; x < rgba.width; ++x, pixel += 4)
      for (int c = 0; c < 3; ++c) pixel[c] = static_cast<std::uint8_t>((pixel[c] * pixel[3] + 127) / 255);
  }
}

Owned<AVFrame> picture_in(AVPixelFormat format, AVFrame& rgba, PictureKind kind) {
  Owned<AVFrame> out = make_picture(rgba.width, rgba.height, format);
  Owned<SwsContext> scaler(sws_getContext(rgba.width, rgba.height, AV_PIX_FMT_RGBA, rgba.width, rgba.height, format,
                                          SWS_BILINEAR | SWS_FULL_CHR_H_INT | SWS_ACCURATE_RND, nullptr, nullptr,
                                          nullptr));
  if (!scaler) throw std::bad_alloc();
  if (const int status = sws_scale_frame(scaler.get(), out.get(), &rgba); status < 0)
    throw Error("The picture cannot be encoded as " + std::string(name_of(kind)) + ": " + ffmpeg_text(status) + ".");
  return out;
}

// What these encoders give of a picture is a whole file.
std::string encoded_picture(PictureKind kind, const char* encoder, AVPixelFormat format, const Image& rgba,
                            const std::map<std::string, std::string>& options) {
  prepare_ffmpeg();
  const AVCodec* const codec = avcodec_find_encoder_by_name(encoder);
  const std::string name = name_of(kind);
  if (!codec)
    throw Error("The FFmpeg on this machine cannot write " + name + " (it has no '" + encoder +
                "'). Choose a name that ends in .png.");
  const auto check = [&](int status) {
    if (status >= 0) return;
    throw Error("A picture of " + std::to_string(rgba.width) + " × " + std::to_string(rgba.height) +
                " pixels cannot be encoded as " + name + ": " + ffmpeg_text(status) +
                ". Choose a name that ends in .png.");
  };
  const Owned<AVFrame> colours = make_picture(rgba.width, rgba.height, AV_PIX_FMT_RGBA);
  copy_padded(rgba, *colours);
  if (kind == PictureKind::jpeg) lay_over_black(*colours);
  const Owned<AVFrame> picture = picture_in(format, *colours, kind);
  const Owned<AVCodecContext> context(avcodec_alloc_context3(codec));
  if (!context) throw std::bad_alloc();
  context->width = rgba.width;
  context->height = rgba.height;
  context->time_base = {1, 25};
  context->pix_fmt = format;
  context->flags |= AV_CODEC_FLAG_BITEXACT;
  context->thread_count = 1;
  if (kind == PictureKind::jpeg) {
    context->color_range = picture->color_range = AVCOL_RANGE_JPEG;
    context->flags |= AV_CODEC_FLAG_QSCALE;
    context->global_quality = picture->quality = FF_QP2LAMBDA * finest_jpeg;
  }
  AVDictionary* given = nullptr;
  for (const auto& [key, value] : options) av_dict_set(&given, key.c_str(), value.c_str(), 0);
  const int opened = avcodec_open2(context.get(), codec, &given);
  av_dict_free(&given);
  check(opened);
  picture->pts = 0;
  check(avcodec_send_frame(context.get(), picture.get()));
  check(avcodec_send_frame(context.get(), nullptr));
  const Owned<AVPacket> packet = make_packet();
  check(avcodec_receive_packet(context.get(), packet.get()));
  return {reinterpret_cast<const char*>(packet->data), static_cast<std::size_t>(packet->size)};
}

}  // namespace

PictureKind picture_kind(const std::string& path) {
  if (ends_in(path, "png")) return PictureKind::png;
  if (ends_in(path, "jpg") || ends_in(path, "jpeg")) return PictureKind::jpeg;
  if (ends_in(path, "webp")) return PictureKind::webp;
  if (ends_in(path, "tif") || ends_in(path, "tiff")) return PictureKind::tiff;
  return PictureKind::none;
}

const char* name_of(PictureKind kind) {
  switch (kind) {
    case PictureKind::png:
      return "PNG";
    case PictureKind::jpeg:
      return "JPEG";
    case PictureKind::webp:
      return "WebP";
    case PictureKind::tiff:
      return "TIFF";
    case PictureKind::none:
      break;
  }
  return "";
}

std::string picture_file(PictureKind kind, const Image& rgba, const std::map<std::string, std::string>& text) {
  switch (kind) {
    case PictureKind::jpeg:
      return encoded_picture(kind, "mjpeg", AV_PIX_FMT_YUVJ444P, rgba, {});
    case PictureKind::webp:
      return encoded_picture(kind, "libwebp", AV_PIX_FMT_BGRA, rgba, {{"lossless", "1"}});
    case PictureKind::tiff:
      return encoded_picture(kind, "tiff", AV_PIX_FMT_RGBA, rgba, {{"compression_algo", "deflate"}});
    case PictureKind::png:
    case PictureKind::none:
      break;
  }
  return png_of(rgba, text);
}

}  // namespace convoscope
