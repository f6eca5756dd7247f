#include "app/media/read/thumbnail.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/media/ffmpeg/decoder.h"
#include "app/media/ffmpeg/demuxer.h"
#include "app/media/ffmpeg/stream_text.h"
#include "kernels/contract/error.h"

namespace convoscope {
namespace {

constexpr double where = 0.1;                     // of a video's length: the first frame is often black
constexpr int most_packets = 400;                 // until a key frame is decoded
constexpr std::int64_t decoding_patience = 4000;  // milliseconds

Owned<AVCodecContext> open_decoder(const AVStream& stream, bool still) {
  const AVCodec* codec = avcodec_find_decoder(stream.codecpar->codec_id);
  if (!codec) return {};
  Owned<AVCodecContext> context(avcodec_alloc_context3(codec));
  if (!context) throw std::bad_alloc();
  if (avcodec_parameters_to_context(context.get(), stream.codecpar) < 0) return {};
  context->thread_count = 1;  // the clip that plays meanwhile needs the others
  context->max_pixels = static_cast<std::int64_t>(largest_side) * largest_side;
  if (!still) context->skip_frame = AVDISCARD_NONKEY;
  if (avcodec_open2(context.get(), codec, nullptr) < 0) return {};
  return context;
}

Owned<AVFrame> decode_one(Demuxer& demuxer, AVCodecContext& decoder, const Interrupt& interrupt) {
  const Owned<AVPacket> packet = make_packet();
  Owned<AVFrame> frame = make_frame();
  const std::int64_t end = Interrupt::now() + decoding_patience;
  bool draining = false;
  for (int i = 0; i < most_packets && !interrupt.stop && Interrupt::now() < end; ++i) {
    const int status = avcodec_receive_frame(&decoder, frame.get());
    if (status == 0) return frame;
    if (status == AVERROR_EOF || draining) return {};
    draining = demuxer.read(*packet) < 0;
    avcodec_send_packet(&decoder, draining ? nullptr : packet.get());
    av_packet_unref(packet.get());
  }
  return {};
}

// By quarters of a turn, clockwise.
ThumbnailPixels turned(const ThumbnailPixels& from, int degrees) {
  ThumbnailPixels to;
  const bool on_its_side = degrees % 180 != 0;
  to.width = on_its_side ? from.height : from.width;
  to.height = on_its_side ? from.width : from.height;
  to.rgba.resize(from.rgba.size());
  for (int y = 0; y < to.height; ++y) {
    for (int x = 0; x < to.width; ++x) {
      const int from_x = degrees == 90 ? y : degrees == 180 ? from.width - 1 - x : from.width - 1 - y;
      const int from_y = degrees == 90 ? from.height - 1 - x : degrees == 180 ? from.height - 1 - y : x;
      std::copy_n(from.rgba.begin() + 4 * (from_y * from.width + from_x), 4, to.rgba.begin() + 4 * (y * to.width + x));
    }
  }
  return to;
}

ThumbnailPixels scaled(const AVFrame& frame, double aspect, int width, int height) {
  const double shown = std::max(frame.width * aspect, 1.0);
  const double scale = std::min(width / shown, height / static_cast<double>(frame.height));
  ThumbnailPixels pixels;
  pixels.width = std::clamp(static_cast<int>(std::lround(shown * scale)), 1, width);
  pixels.height = std::clamp(static_cast<int>(std::lround(frame.height * scale)), 1, height);
  const Owned<SwsContext> scaler(sws_getContext(frame.width, frame.height, static_cast<AVPixelFormat>(frame.format),
                                                pixels.width, pixels.height, AV_PIX_FMT_RGBA, SWS_AREA, nullptr,
                                                nullptr, nullptr));
  if (!scaler) return {};
  // Lines as long as swscale's vector code likes them.
  const int pitch = (pixels.width * 4 + 63) / 64 * 64;
  std::vector<std::uint8_t> lines(static_cast<std::size_t>(pitch) * static_cast<std::size_t>(pixels.height) + 64);
  std::uint8_t* const to[] = {lines.data(), nullptr, nullptr, nullptr};
  const int pitches[] = {pitch, 0, 0, 0};
  if (sws_scale(scaler.get(), frame.data, frame.linesize, 0, frame.height, to, pitches) < 1) return {};
  for (int y = 0; y < pixels.height; ++y)
    pixels.rgba.insert(pixels.rgba.end(), lines.begin() + y * pitch, lines.begin() + y * pitch + 4 * pixels.width);
  return pixels;
}

}  // namespace

ThumbnailPixels make_thumbnail(const std::string& path, int width, int height, Interrupt& interrupt) {
  try {
    SourceSettings source;
    source.input = path;
    Demuxer demuxer(source, interrupt);
    if (demuxer.from() != MediaInput::From::file) return {};
    const AVStream& stream = demuxer.stream();
    check_picture_size(path, stream.codecpar->width, stream.codecpar->height);
    const SourceStats about = describe_stream(demuxer, "");
    if (demuxer.seekable() && about.duration > 1)
      demuxer.seek(demuxer.start() + static_cast<std::int64_t>(about.duration * where / av_q2d(stream.time_base)));
    const Owned<AVCodecContext> decoder = open_decoder(stream, demuxer.still());
    const Owned<AVFrame> frame = decoder ? decode_one(demuxer, *decoder, interrupt) : nullptr;
    if (!frame || frame->width < 1 || frame->height < 1) return {};
    const int rotation = rotation_of(stream);
    const bool on_its_side = rotation % 180 != 0;
    const double aspect = on_its_side ? 1 / about.pixel_aspect : about.pixel_aspect;
    ThumbnailPixels pixels =
        on_its_side ? scaled(*frame, aspect, height, width) : scaled(*frame, aspect, width, height);
    return rotation == 0 ? pixels : turned(pixels, rotation);
  } catch (const Error&) {  // the list shows a sign instead
    return {};
  }
}

}  // namespace convoscope
