#include "app/media/read/thumbnail.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/media/ffmpeg/decoder.h"
#include "app/media/ffmpeg/demuxer.h"
#include "app/media/ffmpeg/stream_text.h"
#include "app/media/read/picture.h"
#include "app/media/stills/still_file.h"
#include "kernels/text/error.h"

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
  context->thread_count = 1;                  // the clip that plays meanwhile needs the others
  context->flags |= AV_CODEC_FLAG_UNALIGNED;  // what is cut off on the left is cut where it says
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

// What is not FFmpeg's to decode.
Owned<AVFrame> decode_still(Demuxer& demuxer, const std::string& path, const Interrupt& interrupt) {
  const Owned<AVPacket> packet = make_packet();
  Owned<AVFrame> frame = make_frame();
  StillDecoder decoder(path, INT64_MAX, &interrupt);
  if (demuxer.read(*packet) < 0) return {};
  decoder.send(packet.get());
  return decoder.receive(*frame) == 0 ? std::move(frame) : nullptr;
}

// Upright, with square pixels of `aspect` times the stored ones' width.
ThumbnailPixels scaled(Owned<AVFrame> frame, const Orientation& orientation, double aspect, int width, int height) {
  if (orientation.exchanges_sides) std::swap(width, height);
  const double shown = std::max(frame->width * aspect, 1.0), rows = frame->height;
  const double scale = std::min(width / shown, height / rows);
  const VideoFrame small =
      PictureMaker(true, HostPool(nullptr))
          .make_small(std::move(frame), orientation, std::clamp(static_cast<int>(std::lround(shown * scale)), 1, width),
                      std::clamp(static_cast<int>(std::lround(rows * scale)), 1, height));
  ThumbnailPixels pixels;
  pixels.width = small.format.upright_width();
  pixels.height = small.format.upright_height();
  const std::size_t pitch = static_cast<std::size_t>(pixels.width) * 4;
  pixels.rgba.resize(pitch * static_cast<std::size_t>(pixels.height));
  convert_on_this_thread(small, {pixels.rgba.data(), pixels.width, pixels.height, pitch, PixelFormat::rgba8});
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
    const SourceStats about = describe_stream(demuxer, "", facts_of(stream));
    const bool still = is_still_stream(stream);
    if (demuxer.seekable() && about.duration > 1 && !still)
      demuxer.seek(demuxer.start() + static_cast<std::int64_t>(about.duration * where / av_q2d(stream.time_base)));
    const Owned<AVCodecContext> decoder = still ? nullptr : open_decoder(stream, demuxer.still());
    Owned<AVFrame> frame = still     ? decode_still(demuxer, path, interrupt)
                           : decoder ? decode_one(demuxer, *decoder, interrupt)
                                     : nullptr;
    if (!frame || frame->width < 1 || frame->height < 1) return {};
    const Orientation orientation = facts_of(*frame, stream).orientation;
    // Told of the upright picture, by what the stream says alone.
    const bool turned = facts_of(stream).orientation.exchanges_sides;
    return scaled(std::move(frame), orientation, turned ? 1 / about.pixel_aspect : about.pixel_aspect, width, height);
  } catch (const Error&) {  // the list shows a sign instead
    return {};
  }
}

}  // namespace convoscope
