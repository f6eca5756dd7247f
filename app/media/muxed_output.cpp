#include <algorithm>
#include <cctype>
#include <cstring>
#include <deque>
#include <map>
#include <optional>

extern "C" {
#include <libavcodec/bsf.h>
}

#include "app/media/encoder.h"
#include "app/media/ffmpeg_error.h"
#include "app/media/file_output.h"
#include "kernels/error.h"

namespace convoscope {
namespace {

struct OutputDeleter {
  void operator()(AVFormatContext* p) const {
    if (p->pb) avio_closep(&p->pb);
    avformat_free_context(p);
  }
};

struct BsfDeleter {
  void operator()(AVBSFContext* p) const { av_bsf_free(&p); }
};

class MuxedOutput : public FileOutput {
 public:
  MuxedOutput(const RecordingSettings& settings, const std::vector<CopiedSound>& sound, AVRational rate)
      : settings_(settings), packet_(make_packet()) {
    const bool matroska = ends_in(settings_.path, "mkv"), mov = ends_in(settings_.path, "mov");
    const char* container = matroska ? "matroska" : mov ? "mov" : "mp4";
    AVFormatContext* raw = nullptr;
    if (avformat_alloc_output_context2(&raw, nullptr, container, nullptr) < 0 || !raw)
      throw Error(std::string("The FFmpeg on this machine cannot write ") + container + " files.");
    output_.reset(raw);
    for (const CopiedSound& one : sound)
      if (avformat_query_codec(raw->oformat, one.stream->codecpar->codec_id, FF_COMPLIANCE_NORMAL) == 0)
        throw Error(std::string("The sound is ") + avcodec_get_name(one.stream->codecpar->codec_id) + ", which '" +
                    settings_.path + "' cannot hold as it is. Choose a name that ends in .mkv.");
    encoder_ = open_encoder(settings_, raw->oformat->flags & AVFMT_GLOBALHEADER);
    const AVCodecContext& codec = *encoder_.context;
    rgba_ = make_picture(codec.width, codec.height, AV_PIX_FMT_RGBA);
    frame_ = make_picture(codec.width, codec.height, codec.pix_fmt);
    frame_->colorspace = codec.colorspace;
    frame_->color_range = codec.color_range;
    scaler_ = make_recording_scaler(codec);

    picture_ = add_stream();
    avcodec_parameters_from_context(picture_->codecpar, &codec);
    picture_->time_base = codec.time_base;
    picture_->avg_frame_rate = rate;
    picture_->sample_aspect_ratio = codec.sample_aspect_ratio;
    for (const CopiedSound& one : sound) {
      AVStream* stream = add_stream();
      if (avcodec_parameters_copy(stream->codecpar, one.stream->codecpar) < 0) throw std::bad_alloc();
      stream->codecpar->codec_tag = 0;  // the input container's name for the codec
      if (matroska && one.padding > 0) stream->codecpar->initial_padding = static_cast<int>(one.padding);
      stream->time_base = one.stream->time_base;
      stream->disposition = one.stream->disposition;
      av_dict_copy(&stream->metadata, one.stream->metadata, 0);
      sound_[one.stream->index] = {stream, one.stream->time_base, {}, unframe(*one.stream)};
    }
    for (const auto& [key, value] : settings_.metadata) av_dict_set(&raw->metadata, key.c_str(), value.c_str(), 0);
    open_file(matroska);
  }

  void add(const Image& rgba, std::int64_t time, std::int64_t duration) override {
    copy_padded(rgba, *rgba_);
    check(av_frame_make_writable(frame_.get()));
    check(sws_scale_frame(scaler_.get(), frame_.get(), rgba_.get()));
    frame_->pts = time;
    frame_->pict_type = AV_PICTURE_TYPE_NONE;
    durations_.push_back(duration);
    check(avcodec_send_frame(encoder_.context.get(), frame_.get()));
    write_pictures();
  }

  void add_sound(AVPacket& packet) override {
    Sound& sound = sound_.at(packet.stream_index);
    if (!sound.unframe) return write_sound(sound, packet);
    check(av_bsf_send_packet(sound.unframe.get(), &packet));
    while (true) {
      const int status = av_bsf_receive_packet(sound.unframe.get(), &packet);
      if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return;
      check(status);
      write_sound(sound, packet);
    }
  }

  void finish() override {
    if (closed_) return;
    closed_ = true;
    int status = failed_;
    if (status >= 0) {
      try {
        check(avcodec_send_frame(encoder_.context.get(), nullptr));
        write_pictures();
      } catch (const Error&) {
        status = failed_;
      }
    }
    const int trailer = av_write_trailer(output_.get());
    avio_flush(output_->pb);
    if (status >= 0) status = trailer < 0 ? trailer : output_->pb->error;
    const int closing = avio_closep(&output_->pb);
    if (status >= 0) status = closing;
    failed_ = 0;
    check(status);
  }
  ~MuxedOutput() override {
    try {
      finish();
    } catch (const Error&) {  // told when it happened
    }
  }
  std::string encoder() const override { return encoder_.text; }

 private:
  struct Sound {
    AVStream* stream = nullptr;
    AVRational time_base{};  // of the input's stream
    std::optional<std::int64_t> last;
    std::unique_ptr<AVBSFContext, BsfDeleter> unframe;
  };

  // AAC of a transport stream bears a header in every packet that other containers have once.
  static std::unique_ptr<AVBSFContext, BsfDeleter> unframe(const AVStream& stream) {
    if (stream.codecpar->codec_id != AV_CODEC_ID_AAC || stream.codecpar->extradata_size > 0) return {};
    AVBSFContext* raw = nullptr;
    const AVBitStreamFilter* kind = av_bsf_get_by_name("aac_adtstoasc");
    if (!kind || av_bsf_alloc(kind, &raw) < 0) return {};
    std::unique_ptr<AVBSFContext, BsfDeleter> out(raw);
    raw->time_base_in = stream.time_base;
    if (avcodec_parameters_copy(raw->par_in, stream.codecpar) < 0 || av_bsf_init(raw) < 0) return {};
    return out;
  }

  void write_sound(Sound& sound, AVPacket& packet) {
    packet.stream_index = sound.stream->index;
    packet.pos = -1;
    av_packet_rescale_ts(&packet, sound.time_base, sound.stream->time_base);
    // Two packets of the same time, as damaged files have them, would end the muxing.
    if (packet.dts != AV_NOPTS_VALUE) {
      if (sound.last && packet.dts <= *sound.last) {
        packet.dts = *sound.last + 1;
        if (packet.pts != AV_NOPTS_VALUE) packet.pts = std::max(packet.pts, packet.dts);
      }
      sound.last = packet.dts;
    }
    check(av_interleaved_write_frame(output_.get(), &packet));
    check(output_->pb->error);
  }

  AVStream* add_stream() {
    AVStream* stream = avformat_new_stream(output_.get(), nullptr);
    if (!stream) throw std::bad_alloc();
    return stream;
  }

  void open_file(bool matroska) {
    const auto refuse = [&](int code) {
      closed_ = true;
      throw Error("'" + settings_.path + "' cannot be written: " + ffmpeg_text(code) +
                  ". Check that the folder exists, may be written to, and has room.");
    };
    int status = avio_open(&output_->pb, ("file:" + settings_.path).c_str(), AVIO_FLAG_WRITE);
    if (status < 0) refuse(status);
    output_->flush_packets = 1;
    // Complete pieces of a second each: what is there plays, whenever writing ends. The header waits for the first of
    // them, because only then the offsets of the streams are known.
    AVDictionary* options = nullptr;
    // Sound that begins before time 0, as AAC does, would move all the pictures with it.
    output_->avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED;
    if (matroska) {
      av_dict_set(&options, "cluster_time_limit", "1000", 0);
    } else {
      av_dict_set(&options, "movflags", "+frag_keyframe+delay_moov+default_base_moof+use_metadata_tags", 0);
      av_dict_set(&options, "frag_duration", "1000000", 0);
    }
    status = avformat_write_header(output_.get(), &options);
    av_dict_free(&options);
    avio_flush(output_->pb);
    if (status >= 0) status = output_->pb->error;
    if (status < 0) refuse(status);
  }

  void write_pictures() {
    while (true) {
      const int status = avcodec_receive_packet(encoder_.context.get(), packet_.get());
      if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return;
      check(status);
      packet_->stream_index = picture_->index;
      // The encoders do not reorder, so that durations come back in their order.
      packet_->duration = durations_.front();
      durations_.pop_front();
      av_packet_rescale_ts(packet_.get(), encoder_.context->time_base, picture_->time_base);
      check(av_interleaved_write_frame(output_.get(), packet_.get()));
      check(output_->pb->error);
    }
  }

  void check(int status) {
    if (status >= 0) return;
    failed_ = status;
    throw Error("Writing '" + settings_.path + "' has stopped: " + ffmpeg_text(status) +
                ". What was written plays; make room or choose another folder, and start again.");
  }

  const RecordingSettings settings_;
  std::unique_ptr<AVFormatContext, OutputDeleter> output_;
  ChosenEncoder encoder_;
  Owned<AVPacket> packet_;
  Owned<AVFrame> rgba_, frame_;
  Owned<SwsContext> scaler_;
  AVStream* picture_ = nullptr;
  std::map<int, Sound> sound_;  // by the input's stream
  std::deque<std::int64_t> durations_;
  int failed_ = 0;
  bool closed_ = false;
};

}  // namespace

std::unique_ptr<FileOutput> open_muxed_output(const RecordingSettings& settings, const std::vector<CopiedSound>& sound,
                                              AVRational rate) {
  return std::make_unique<MuxedOutput>(settings, sound, rate);
}

bool ends_in(const std::string& path, const char* extension) {
  std::string end = path.substr(std::min(path.size(), path.find_last_of("./") + 1));
  std::transform(end.begin(), end.end(), end.begin(), [](unsigned char c) { return std::tolower(c); });
  return end == extension;
}

void copy_padded(const Image& rgba, AVFrame& to) {
  const auto row_bytes = static_cast<std::size_t>(rgba.width) * 4;
  for (int y = 0; y < to.height; ++y) {
    const auto* from = static_cast<const std::uint8_t*>(rgba.data) +
                       static_cast<std::size_t>(std::min(y, rgba.height - 1)) * rgba.pitch;
    std::uint8_t* row = to.data[0] + static_cast<std::ptrdiff_t>(y) * to.linesize[0];
    std::memcpy(row, from, row_bytes);
    if (to.width > rgba.width) std::memcpy(row + row_bytes, from + row_bytes - 4, 4);
  }
}

Owned<AVFrame> make_picture(int width, int height, AVPixelFormat format) {
  Owned<AVFrame> frame = make_frame();
  frame->width = width;
  frame->height = height;
  frame->format = format;
  if (av_frame_get_buffer(frame.get(), 0) < 0) throw std::bad_alloc();
  return frame;
}

}  // namespace convoscope
