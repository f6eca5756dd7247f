#include "app/media/stills/still_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/stills/exif.h"

namespace convoscope {
namespace {

constexpr unsigned still_tag = MKTAG('C', 'o', 'S', 't');
constexpr long largest_still = 1L << 30;  // bytes of a file
constexpr std::size_t read_at_once = 1 << 20;

}  // namespace

std::optional<StillFile> StillFile::open(const std::string& path, const std::string& name, std::int64_t max_pixels,
                                         const Interrupt& interrupt) {
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rbe"), close);
  if (!file) return {};
  std::uint8_t begin[still_signature];
  const StillKind kind = still_kind({begin, std::fread(begin, 1, sizeof begin, file.get())});
  if (kind == StillKind::none) return {};
  long bytes = 0;
  if (std::fseek(file.get(), 0, SEEK_END) == 0) bytes = std::ftell(file.get());
  if (bytes > largest_still)
    throw Error("'" + name + "' is " + one_of(kind) + " file of " + std::to_string(bytes >> 20) +
                " MB; the largest that is read is " + std::to_string(largest_still >> 20) + " MB.");
  StillFile out;
  out.whole_ = make_packet();
  if (bytes <= 0 || av_new_packet(out.whole_.get(), static_cast<int>(bytes)) < 0)
    throw Error(why_not_readable(name, bytes <= 0 ? AVERROR(EIO) : AVERROR(ENOMEM)));
  std::rewind(file.get());
  std::size_t got = 0;
  for (const auto all = static_cast<std::size_t>(bytes); got < all;) {
    if (interrupt.stop) throw Error(why_not_readable(name, AVERROR_EXIT));
    const std::size_t some = std::fread(out.whole_->data + got, 1, std::min(read_at_once, all - got), file.get());
    if (some == 0) break;
    got += some;
  }
  av_shrink_packet(out.whole_.get(), static_cast<int>(got));
  out.info_ = open_still({name, {out.whole_->data, got}, max_pixels, &interrupt})->info();
  return out;
}

Owned<AVFormatContext> StillFile::make_format(AVRational rate) const {
  Owned<AVFormatContext> format(avformat_alloc_context());
  if (!format) throw std::bad_alloc();
  format->iformat = av_find_input_format("image2pipe");  // for its name: it is never asked to read
  AVStream* const stream = avformat_new_stream(format.get(), nullptr);
  if (!stream) throw std::bad_alloc();
  AVCodecParameters& parameters = *stream->codecpar;
  parameters.codec_type = AVMEDIA_TYPE_VIDEO;
  parameters.codec_id = info_.codec;
  parameters.codec_tag = still_tag;
  parameters.width = info_.width;
  parameters.height = info_.height;
  parameters.format = info_.format;
  parameters.color_space = info_.matrix;
  parameters.color_range = info_.range;
  parameters.color_trc = info_.transfer;
  const auto frames = static_cast<std::int64_t>(std::max<std::size_t>(info_.durations.size(), 1));
  std::int64_t length = frames;
  if (animated()) {
    length = 0;
    for (const int each : info_.durations) length += each;
    stream->time_base = {1, 1000};
    stream->avg_frame_rate = av_make_q(static_cast<int>(frames), 1);
    av_reduce(&stream->avg_frame_rate.num, &stream->avg_frame_rate.den, frames * 1000,
              std::max<std::int64_t>(length, 1), 1 << 30);
  } else {
    stream->time_base = av_inv_q(rate);
    stream->avg_frame_rate = rate;
  }
  stream->start_time = 0;
  stream->duration = length;
  stream->nb_frames = frames;
  format->duration = av_rescale_q(length, stream->time_base, AV_TIME_BASE_Q);
  if (info_.orientation != 1) {
    std::int32_t matrix[9];
    set_display_matrix(info_.orientation, matrix);
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102)
    AVPacketSideData* const side = av_packet_side_data_new(&parameters.coded_side_data, &parameters.nb_coded_side_data,
                                                           AV_PKT_DATA_DISPLAYMATRIX, sizeof matrix, 0);
    std::uint8_t* const data = side ? side->data : nullptr;
#else
    std::uint8_t* const data = av_stream_new_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, sizeof matrix);
#endif
    if (!data) throw std::bad_alloc();
    std::memcpy(data, matrix, sizeof matrix);
  }
  return format;
}

int StillFile::read(AVPacket& packet, int stream_index) {
  const std::size_t frames = std::max<std::size_t>(info_.durations.size(), 1);
  if (next_ >= frames) return AVERROR_EOF;
  if (next_ == 0) time_ = 0;
  if (const int status = av_packet_ref(&packet, whole_.get()); status < 0) return status;
  packet.stream_index = stream_index;
  packet.pts = packet.dts = time_;
  packet.duration = animated() ? info_.durations[next_] : 1;
  packet.flags = next_ == 0 ? AV_PKT_FLAG_KEY : 0;
  time_ += packet.duration;
  ++next_;
  return 0;
}

bool is_still_stream(const AVStream& stream) { return stream.codecpar->codec_tag == still_tag; }

}  // namespace convoscope
