#include "app/media/write/muxed_output.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/media/ffmpeg/cut_off.h"
#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/write/sound_streams.h"
#include "app/media/write/whole_pieces.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

// A killed program loses what is held back: a piece, the sound's wait, what the encoder has, and the picture that
// comes. Together less than a second.
constexpr int piece_ms = 400;
constexpr std::int64_t longest_wait_for_sound = AV_TIME_BASE / 5;

// Samples that a decoder of Opus makes before those that are heard. Matroska counts a packet's time from them, while
// FFmpeg's begins with those that are heard; its newer writers add them, as of 6.1 at the latest.
constexpr int opus_rate = 48'000;
constexpr bool matroska_adds_delay = LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 16, 100);
int opus_delay(const AVCodecParameters& sound) {
  constexpr int place = 10, bytes = 2;  // in its header
  if (sound.codec_id != AV_CODEC_ID_OPUS) return 0;
  return sound.extradata_size < place + bytes ? sound.initial_padding
                                              : sound.extradata[place] | sound.extradata[place + 1] << 8;
}

// Matroska's times are rounded to milliseconds, and with them what the first packet says of what is not heard.
void begin_exactly(const AVStream& stream, std::int64_t rounding, AVPacket& packet) {
  const std::int64_t begin = -av_rescale_q(opus_delay(*stream.codecpar), {1, opus_rate}, stream.time_base);
  if (begin < 0 && packet.pts != AV_NOPTS_VALUE && std::abs(packet.pts - begin) < rounding)
    packet.pts = packet.dts = begin;
}

// Not about the disk.
bool is_about_content(int status) {
  return status == AVERROR_INVALIDDATA || status == AVERROR_PATCHWELCOME || status == AVERROR(EINVAL);
}

}  // namespace

MuxedOutput::MuxedOutput(const RecordingSettings& settings, const std::vector<CopiedSound>& sound, AVRational rate,
                         Header header)
    : settings_(settings),
      matroska_(ends_in(settings.path, "mkv")),
      file_(settings.path, OutputFile::Use::part_until_whole),
      packet_(make_packet()) {
  open_container(sound);
  encoder_ = open_encoder(settings_, output_->oformat->flags & AVFMT_GLOBALHEADER, header == Header::at_once);
  add_streams(sound, rate);
  open_file(header);
}

MuxedOutput::~MuxedOutput() {
  try {
    close();
  } catch (const Error&) {  // told when it happened
  }
  if (!finished_ && (pictures_written_ == 0 || !plays_)) file_.discard();  // a header alone is nothing to keep
}

void MuxedOutput::open_container(const std::vector<CopiedSound>& sound) {
  const char* const container = container_of(settings_.path);
  AVFormatContext* raw = nullptr;
  if (avformat_alloc_output_context2(&raw, nullptr, container, nullptr) < 0 || !raw)
    throw Error(std::string("The FFmpeg on this machine cannot write ") + container + " files.");
  output_.reset(raw);
  raw->strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL;  // FLAC and TrueHD in .mp4, which are as good as standard
  for (const CopiedSound& one : sound) {
    const AVCodecParameters& codec = *one.stream->codecpar;
    if (container_holds(container, codec)) continue;
    throw Error(std::string("The sound is ") + avcodec_get_name(codec.codec_id) + ", which '" + settings_.path +
                "' cannot hold as it is. " +
                (container_holds("matroska", codec)
                     ? "Choose a name that ends in .mkv."
                     : "Filter a copy without sound: ffmpeg -i INPUT -map 0:v -c copy COPY.mkv."));
  }
}

void MuxedOutput::add_streams(const std::vector<CopiedSound>& sound, AVRational rate) {
  const AVCodecContext& codec = *encoder_.context;
  const auto add_stream = [&] {
    AVStream* stream = avformat_new_stream(output_.get(), nullptr);
    if (!stream) throw std::bad_alloc();
    return stream;
  };
  picture_ = add_stream();
  avcodec_parameters_from_context(picture_->codecpar, &codec);
  // The name that every player knows HEVC in .mp4 by.
  if (codec.codec_id == AV_CODEC_ID_HEVC && !matroska_) picture_->codecpar->codec_tag = MKTAG('h', 'v', 'c', '1');
  picture_->time_base = codec.time_base;
  picture_->avg_frame_rate = rate;
  picture_->sample_aspect_ratio = codec.sample_aspect_ratio;
  for (const CopiedSound& one : sound) {
    AVStream* stream = add_stream();
    if (avcodec_parameters_copy(stream->codecpar, one.stream->codecpar) < 0) throw std::bad_alloc();
    stream->codecpar->codec_tag = 0;  // the input container's name for the codec
    const int delay = matroska_ ? opus_delay(*one.stream->codecpar) : 0;
    if (matroska_) stream->codecpar->initial_padding = delay;
    stream->time_base = one.stream->time_base;
    stream->disposition = one.stream->disposition;
    av_dict_copy(&stream->metadata, one.stream->metadata, 0);
    sound_[one.stream->index] = {stream,
                                 one.stream->time_base,
                                 matroska_adds_delay ? 0 : av_rescale_q(delay, {1, opus_rate}, one.stream->time_base),
                                 {},
                                 unframe(*one.stream)};
  }
  written_.resize(output_->nb_streams);
  for (const auto& [key, value] : settings_.metadata) av_dict_set(&output_->metadata, key.c_str(), value.c_str(), 0);
}

void MuxedOutput::open_file(Header header) {
  const auto refuse = [&](int code) {
    closed_ = true;
    throw Error("'" + settings_.path + "' cannot be written: " + ffmpeg_text(code) + ". " +
                what_to_do_about(AVUNERROR(code)));
  };
  int status = avio_open(&output_->pb, ("file:" + file_.draft()).c_str(), AVIO_FLAG_WRITE);
  if (status < 0) refuse(status);
  // Complete pieces, sent to the file at once: what is there plays, whenever writing ends.
  output_->flush_packets = 1;
  // Sound that begins before time 0, as AAC does, would move all the pictures with it.
  output_->avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED;
  if (header == Header::at_once) output_->max_interleave_delta = longest_wait_for_sound;  // it may pause for long
  AVDictionary* options = nullptr;
  if (matroska_) {
    av_dict_set_int(&options, "cluster_time_limit", piece_ms, 0);
  } else {
    // A header that is there before the first packets knows nothing of when a stream begins: its pieces have to say it.
    const std::string moov = header == Header::at_once ? "+empty_moov+frag_discont" : "+delay_moov";
    knows_no_time_before_0_ = header == Header::at_once;
    av_dict_set(&options, "movflags", ("+frag_keyframe+default_base_moof+use_metadata_tags" + moov).c_str(), 0);
    av_dict_set_int(&options, "frag_duration", piece_ms * 1000, 0);
    av_dict_set_int(&options, "movie_timescale", movie_timescale, 0);
  }
  status = avformat_write_header(output_.get(), &options);
  av_dict_free(&options);
  avio_flush(output_->pb);
  if (status >= 0) status = output_->pb->error;
  if (status < 0) refuse(status);
  if (!matroska_) jumps_.begin(*output_);
}

void MuxedOutput::add(const Image& rgba, std::int64_t time, std::int64_t duration) {
  if (!scaler_) {
    const AVCodecContext& codec = *encoder_.context;
    rgba_ = make_picture(codec.width, codec.height, AV_PIX_FMT_RGBA);
    frame_ = make_picture(codec.width, codec.height, codec.pix_fmt);
    frame_->colorspace = codec.colorspace;
    frame_->color_range = codec.color_range;
    scaler_ = make_recording_scaler(codec);
  }
  copy_padded(rgba, *rgba_);
  check(av_frame_make_writable(frame_.get()));
  check(sws_scale_frame(scaler_.get(), frame_.get(), rgba_.get()));
  frame_->pts = time;
  add(*frame_, duration);
}

void MuxedOutput::add_planes(std::shared_ptr<void> block, const YuvLayout& layout, std::int64_t time,
                             std::int64_t duration) {
  const AVCodecContext& codec = *encoder_.context;
  if (codec.pix_fmt != AV_PIX_FMT_YUV420P || layout.width != codec.width || layout.height != codec.height)
    return FileOutput::add_planes(std::move(block), layout, time, duration);
  const Owned<AVFrame> frame = make_frame();
  for (std::size_t i = 0; i < 3; ++i) {
    frame->data[i] = static_cast<std::uint8_t*>(block.get()) + layout.offset[i];
    frame->linesize[i] = static_cast<int>(layout.pitch[i]);
  }
  frame->buf[0] = make_buffer(std::move(block), layout.bytes);
  frame->width = codec.width;
  frame->height = codec.height;
  frame->format = codec.pix_fmt;
  frame->colorspace = codec.colorspace;
  frame->color_range = codec.color_range;
  frame->pts = time;
  add(*frame, duration);
}

void MuxedOutput::add(AVFrame& frame, std::int64_t duration) {
  frame.pict_type = AV_PICTURE_TYPE_NONE;
  durations_.push_back(duration);
  check(avcodec_send_frame(encoder_.context.get(), &frame));
  write_pictures();
}

void MuxedOutput::add_sound(AVPacket& packet) {
  const auto found = sound_.find(packet.stream_index);
  if (found == sound_.end()) return;  // the header does not know it
  Sound& sound = found->second;
  if (!sound.unframe) return write_sound(sound, packet);
  check(av_bsf_send_packet(sound.unframe.get(), &packet));
  while (true) {
    const int status = av_bsf_receive_packet(sound.unframe.get(), &packet);
    if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return;
    if (leave_out(status)) continue;
    check(status);
    write_sound(sound, packet);
  }
}

void MuxedOutput::flush() {
  if (std::exchange(flushed_, true)) return;
  check(avcodec_send_frame(encoder_.context.get(), nullptr));
  write_pictures();
}

void MuxedOutput::last_lasts(std::int64_t duration) {
  if (!durations_.empty()) durations_.back() = duration;
}

bool MuxedOutput::finish(bool whole) {
  close();
  if (whole && !matroska_ && file_.is_regular())
    stays_in_pieces_ = give_one_index(file_, *output_, written_, damaged_sound_);
  finished_ = true;
  return file_.keep_if(whole);
}

void MuxedOutput::discard() {
  closed_ = finished_ = true;
  avio_closep(&output_->pb);
  file_.discard();
}

void MuxedOutput::close() {
  if (std::exchange(closed_, true)) return;
  int status = failed_;
  if (status >= 0) {
    try {
      flush();
      write(nullptr);
    } catch (const Error&) {
      status = failed_;
    }
  }
  const int trailer = av_write_trailer(output_.get());
  avio_flush(output_->pb);
  if (status >= 0) status = trailer < 0 ? trailer : output_->pb->error;
  const int closing = avio_closep(&output_->pb);
  if (status >= 0) status = closing;
  if (status < 0 && !matroska_) keep_whole_pieces(file_.draft());
  failed_ = 0;
  check(status);
}

// AAC of a transport stream bears a header in every packet that other containers have once.
std::unique_ptr<AVBSFContext, MuxedOutput::BsfDeleter> MuxedOutput::unframe(const AVStream& stream) {
  if (stream.codecpar->codec_id != AV_CODEC_ID_AAC || stream.codecpar->extradata_size > 0) return {};
  AVBSFContext* raw = nullptr;
  const AVBitStreamFilter* kind = av_bsf_get_by_name("aac_adtstoasc");
  if (!kind || av_bsf_alloc(kind, &raw) < 0) return {};
  std::unique_ptr<AVBSFContext, BsfDeleter> out(raw);
  raw->time_base_in = stream.time_base;
  if (avcodec_parameters_copy(raw->par_in, stream.codecpar) < 0 || av_bsf_init(raw) < 0) return {};
  return out;
}

// Begun with what a decoder needs before it is heard, all the sound would be that much late: in .mkv, which has no
// times before 0 for most readers, and where the header cannot say so. False: it is left out. Of Vorbis nothing is
// heard of the first packet anyway, but without it nothing of the second.
bool MuxedOutput::place_before_0(AVPacket& packet) const {
  const bool says_it = !matroska_ && !knows_no_time_before_0_;
  if (says_it) return true;
  const bool vorbis = output_->streams[packet.stream_index]->codecpar->codec_id == AV_CODEC_ID_VORBIS;
  if (packet.pts + packet.duration / 2 < 0 && !vorbis) return false;
  if (knows_no_time_before_0_) packet.pts = packet.dts = 0;
  return true;
}

void MuxedOutput::write_sound(Sound& sound, AVPacket& packet) {
  packet.stream_index = sound.stream->index;
  packet.pos = -1;
  if (packet.pts != AV_NOPTS_VALUE) packet.pts += sound.delay;
  if (packet.dts != AV_NOPTS_VALUE) packet.dts += sound.delay;
  av_packet_rescale_ts(&packet, sound.time_base, sound.stream->time_base);
  if (!matroska_ && !sound.last)
    begin_exactly(*sound.stream, av_rescale_q(1, sound.time_base, sound.stream->time_base), packet);
  jumps_.close(packet);
  if (packet.pts != AV_NOPTS_VALUE && packet.pts < 0 && !place_before_0(packet)) return;
  // Two packets of the same time, as damaged files have them, would end the muxing.
  if (packet.dts != AV_NOPTS_VALUE) {
    if (sound.last && packet.dts <= *sound.last) {
      packet.dts = *sound.last + 1;
      if (packet.pts != AV_NOPTS_VALUE) packet.pts = std::max(packet.pts, packet.dts);
    }
    sound.last = packet.dts;
  }
  write(&packet);
}

void MuxedOutput::write_pictures() {
  while (true) {
    const int status = avcodec_receive_packet(encoder_.context.get(), packet_.get());
    if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return;
    check(status);
    packet_->stream_index = picture_->index;
    // The encoders do not reorder, so that durations come back in their order.
    packet_->duration = durations_.front();
    durations_.pop_front();
    av_packet_rescale_ts(packet_.get(), encoder_.context->time_base, picture_->time_base);
    jumps_.close(*packet_);
    write(packet_.get());
    ++pictures_written_;
  }
}

// It fails for whichever packet's turn has come.
void MuxedOutput::write(AVPacket* packet) {
  if (packet) {
    WrittenPackets& written = written_[static_cast<std::size_t>(packet->stream_index)];
    ++written.count;
    written.last_duration = packet->duration;
  }
  int status = av_interleaved_write_frame(output_.get(), packet);
  while (leave_out(status)) status = packet ? 0 : av_interleaved_write_frame(output_.get(), nullptr);
  check(status);
  check(output_->pb->error);
}

// Whether a packet is no good and not in the file: of sound, as the pictures are of our own making.
bool MuxedOutput::leave_out(int status) {
  if (sound_.empty() || !is_about_content(status)) return false;
  ++damaged_sound_;
  return true;
}

void MuxedOutput::check(int status) {
  if (status >= 0) return;
  failed_ = status;
  // What was sent need not be there; and of the last piece not all.
  plays_ = pictures_written_ > 0 && (has_a_picture(file_.draft()) || (!matroska_ && has_a_whole_piece(file_.draft())));
  throw Error("Writing '" + settings_.path + "' has stopped: " + ffmpeg_text(status) + ". " +
              (plays_ ? file_.what_is_left() : nothing_is_left) +
              (status == AVERROR(ENOMEM)  ? "Close other programs"
               : is_about_content(status) ? "Choose a name with another ending"
                                          : "Make room or choose another folder") +
              ", and start again.");
}

std::string MuxedOutput::note() const {
  std::string note;
  if (damaged_sound_ > 0)
    note = "; " + counted(damaged_sound_, "damaged packet") + " of sound " + (damaged_sound_ == 1 ? "was" : "were") +
           " left out";
  if (const long long hours = std::llround(jumps_.longest() / 3600); hours > 0)
    note += "; a jump of its times by " + counted(hours, "hour") +
            " was left out, which this container cannot hold; .mkv can";
  return note + stays_in_pieces_;
}

std::unique_ptr<FileOutput> open_muxed_output(const RecordingSettings& settings, const std::vector<CopiedSound>& sound,
                                              AVRational rate) {
  return std::make_unique<MuxedOutput>(settings, sound, rate, MuxedOutput::Header::with_first_piece);
}

YuvLayout encoded_layout(int width, int height) {
  const auto even = [](int side) { return (side + 1) / 2 * 2; };
  constexpr std::size_t alignment = 64;  // as encoders like their rows
  return make_yuv_layout(even(width), even(height), YuvLayout::Chroma::halved, ColourMatrix::bt709, alignment);
}

}  // namespace convoscope
