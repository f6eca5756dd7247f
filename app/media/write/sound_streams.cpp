#include "app/media/write/sound_streams.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <string_view>

namespace convoscope {
namespace {

bool is_sound(const AVStream& stream) { return stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO; }

bool is_known(const AVStream& stream) {
  const AVCodecParameters& parameters = *stream.codecpar;
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(59, 24, 100)
  const int channels = parameters.ch_layout.nb_channels;
#else
  const int channels = parameters.channels;
#endif
  return parameters.codec_id != AV_CODEC_ID_NONE && parameters.sample_rate > 0 && channels > 0;
}

struct InMemory {
  AVFormatContext* context = nullptr;
  ~InMemory() {
    if (!context) return;
    std::uint8_t* written = nullptr;
    if (context->pb) avio_close_dyn_buf(context->pb, &written);
    av_free(written);
    avformat_free_context(context);
  }
};

// More streams may appear, or one has not been heard yet.
bool is_incomplete(const AVFormatContext& format) {
  if (format.ctx_flags & AVFMTCTX_NOHEADER) return true;
  return std::any_of(format.streams, format.streams + format.nb_streams,
                     [](const AVStream* one) { return is_sound(*one) && !is_known(*one); });
}

}  // namespace

bool container_holds(const char* container, const AVCodecParameters& sound) {
  // .mov's writer names what it has no name for by RIFF's number, and nobody finds that in a .mov.
  const AVCodecTag* const names[] = {avformat_get_mov_audio_tags(), nullptr};
  if (std::string_view(container) == "mov" && av_codec_get_tag(names, sound.codec_id) == 0) return false;
  InMemory output;
  if (avformat_alloc_output_context2(&output.context, nullptr, container, nullptr) < 0) return false;
  AVStream* stream = avformat_new_stream(output.context, nullptr);
  if (!stream || avcodec_parameters_copy(stream->codecpar, &sound) < 0) throw std::bad_alloc();
  stream->codecpar->codec_tag = 0;
  stream->time_base = {1, std::max(1, sound.sample_rate)};
  output.context->strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL;
  return avio_open_dyn_buf(&output.context->pb) >= 0 && avformat_write_header(output.context, nullptr) >= 0;
}

SoundStreams::SoundStreams(const Demuxer& demuxer, const SourceSettings& source, Interrupt& interrupt, bool whole) {
  if (whole && demuxer.from() == MediaInput::From::file && source.input != "-" && is_incomplete(demuxer.format())) {
    looked_through_ = std::make_unique<Demuxer>(source, interrupt, Demuxer::Sound::whole_file);
    collect(looked_through_->format());
  } else {
    collect(demuxer.format());
  }
}

void SoundStreams::collect(const AVFormatContext& format) {
  for (unsigned i = 0; i < format.nb_streams; ++i) {
    const AVStream& one = *format.streams[i];
    if (!is_sound(one)) continue;
    if (is_known(one))
      streams_.push_back({&one});
    else
      any_left_out_ = true;
  }
}

bool SoundStreams::holds(int stream_index) const {
  return std::ranges::any_of(streams_, [&](const CopiedSound& one) { return one.stream->index == stream_index; });
}

}  // namespace convoscope
