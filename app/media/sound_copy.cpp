#include "app/media/sound_copy.h"

#include <cmath>

#include "app/media/ffmpeg_error.h"
#include "kernels/error.h"

namespace convoscope {
namespace {

// Nothing stops it from outside: only files are read, which never block for long.
Interrupt never;

bool container_holds(const std::string& output, const std::vector<CopiedSound>& sound, std::string& codec) {
  const AVOutputFormat* format = av_guess_format(ends_in(output, "mkv") ? "matroska" : "mp4", nullptr, nullptr);
  for (const CopiedSound& one : sound) {
    codec = avcodec_get_name(one.stream->codecpar->codec_id);
    if (format && avformat_query_codec(format, one.stream->codecpar->codec_id, FF_COMPLIANCE_NORMAL) == 0) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<SoundCopy> SoundCopy::open(const std::string& input, const std::string& output, std::string& note) {
  if (input.empty() || kind_of(input) != SourceKind::file) return {};
  try {
    SourceSettings source;
    source.input = input;
    auto copy = std::make_unique<SoundCopy>(source, never);
    const std::vector<CopiedSound> sound = copy->streams();
    if (sound.empty()) return {};
    std::string codec;
    if (container_holds(output, sound, codec)) return copy;
    note = "; the sound was left out: it is " + codec + ", which .mp4 cannot hold; .mkv can";
  } catch (const Error& error) {
    note = std::string("; the sound was left out: ") + error.what();
    if (note.ends_with('.')) note.pop_back();
  }
  return {};
}

SoundCopy::SoundCopy(const SourceSettings& source, Interrupt& interrupt)
    : interrupt_(interrupt), demuxer_(source, interrupt_, true), packet_(make_packet()) {
  if (!demuxer_.still()) demuxer_.format().streams[demuxer_.stream().index]->discard = AVDISCARD_ALL;
}

std::vector<CopiedSound> SoundCopy::streams() const {
  std::vector<CopiedSound> sound;
  if (!demuxer_.seekable()) return sound;
  for (unsigned i = 0; i < demuxer_.format().nb_streams; ++i)
    if (const AVStream* one = demuxer_.format().streams[i]; one->codecpar->codec_type == AVMEDIA_TYPE_AUDIO)
      sound.push_back({one, 0});
  return sound;
}

void SoundCopy::follow(double position, double seconds, bool in_step, FileOutput& output) {
  const bool goes_on = any_ && in_step;
  if (goes_on && !in_step_) {
    // From the picture before: it began the span that is in step.
    jump(last_);
    if (packets_ > 0) ++breaks_;
  }
  if (goes_on) {
    offset_ = seconds - position;
    copy_until(position, output);
  }
  in_step_ = goes_on;
  any_ = true;
  last_ = position;
}

void SoundCopy::finish(double duration, FileOutput& output) {
  if (in_step_) copy_until(last_ + duration, output);
}

void SoundCopy::jump(double position) {
  from_ = position;
  waiting_ = at_end_ = false;
  av_packet_unref(packet_.get());
  const std::vector<CopiedSound> sound = streams();
  const AVStream& stream = *sound.front().stream;
  const double origin = static_cast<double>(demuxer_.start()) * av_q2d(demuxer_.stream().time_base);
  const auto time = static_cast<std::int64_t>(std::floor((position + origin) / av_q2d(stream.time_base)));
  if (av_seek_frame(&demuxer_.format(), stream.index, time, AVSEEK_FLAG_BACKWARD) < 0)
    av_seek_frame(&demuxer_.format(), -1, 0, AVSEEK_FLAG_BACKWARD);
}

// Positions count from the first picture, as the player's do.
double SoundCopy::position_of(const AVPacket& packet) const {
  const std::int64_t time = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  if (time == AV_NOPTS_VALUE) return from_ - 1;
  return static_cast<double>(time) * av_q2d(demuxer_.format().streams[packet.stream_index]->time_base) -
         static_cast<double>(demuxer_.start()) * av_q2d(demuxer_.stream().time_base);
}

bool SoundCopy::next() {
  while (!at_end_) {
    av_packet_unref(packet_.get());
    if (demuxer_.read(*packet_) < 0) {
      at_end_ = true;
    } else if (packet_->stream_index != demuxer_.stream().index && position_of(*packet_) >= from_ - 1e-3) {
      return true;
    }
  }
  return false;
}

void SoundCopy::copy_until(double position, FileOutput& output) {
  while (waiting_ || next()) {
    waiting_ = position_of(*packet_) >= position;
    if (waiting_) return;
    const AVRational unit = demuxer_.format().streams[packet_->stream_index]->time_base;
    const double origin = static_cast<double>(demuxer_.start()) * av_q2d(demuxer_.stream().time_base);
    const auto shift = static_cast<std::int64_t>(std::llround((offset_ - origin) / av_q2d(unit)));
    if (packet_->pts != AV_NOPTS_VALUE) packet_->pts += shift;
    packet_->dts = packet_->dts != AV_NOPTS_VALUE ? packet_->dts + shift : packet_->pts;
    ++packets_;
    output.add_sound(*packet_);
  }
}

std::string SoundCopy::note() const {
  if (packets_ == 0) return "; without sound: the source was not playing at normal speed";
  if (breaks_ > 0) return "; sound copied, but left out where the source did not play on at normal speed";
  return "; sound copied";
}

}  // namespace convoscope
