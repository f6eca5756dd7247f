#include "app/media/write/sound_copy.h"

#include <algorithm>
#include <cmath>

#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/sources/source.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

// Nothing stops it from outside: only files are read, which never block for long.
Interrupt never;

constexpr const char* left_out = "; sound that begins late was left out";

// The first codec that the container cannot hold; empty: there is none.
std::string codec_not_held(const char* container, const std::vector<CopiedSound>& sound) {
  for (const CopiedSound& one : sound)
    if (!container_holds(container, *one.stream->codecpar)) return avcodec_get_name(one.stream->codecpar->codec_id);
  return {};
}

}  // namespace

std::unique_ptr<SoundCopy> SoundCopy::open(const SourceSettings& source, const std::string& output, bool patient,
                                           std::string& note) {
  if (source.input.empty() || !source_for(source.input).has_sound) return {};
  try {
    auto copy = std::make_unique<SoundCopy>(source, never, patient);
    if (!copy->demuxer_.seekable()) return {};
    const std::vector<CopiedSound>& sound = copy->streams();
    if (copy->sound_.any_left_out()) note = left_out;
    if (sound.empty()) return {};
    const std::string codec = codec_not_held(container_of(output), sound);
    if (codec.empty()) return copy;
    note = "; the sound was left out: it is " + codec + ", which this container cannot hold" +
           (codec_not_held("matroska", sound).empty() ? "; .mkv can" : "");
  } catch (const Error& error) {
    note = std::string("; the sound was left out: ") + error.what();
    if (note.ends_with('.')) note.pop_back();
  }
  return {};
}

SoundCopy::SoundCopy(const SourceSettings& source, Interrupt& interrupt, bool patient)
    : interrupt_(interrupt),
      demuxer_(source, interrupt_, Demuxer::Sound::or_alone),
      sound_(demuxer_, source, interrupt_, patient),
      packet_(make_packet()) {
  if (!demuxer_.still() && demuxer_.has_picture())
    demuxer_.format().streams[demuxer_.stream().index]->discard = AVDISCARD_ALL;
}

void SoundCopy::begin(double position, double) {
  from_ = position;
  waiting_ = at_end_ = false;
  av_packet_unref(packet_.get());
  // One that this demuxer has met, too: it cannot look for another.
  const auto met = std::ranges::find_if(streams(), [this](const CopiedSound& one) {
    return one.stream->index < static_cast<int>(demuxer_.format().nb_streams);
  });
  const AVStream& stream = met == streams().end() ? demuxer_.stream() : *met->stream;
  const double origin = static_cast<double>(demuxer_.start()) * av_q2d(demuxer_.stream().time_base);
  const auto time = static_cast<std::int64_t>(std::floor((position + origin) / av_q2d(stream.time_base)));
  if (av_seek_frame(&demuxer_.format(), stream.index, time, AVSEEK_FLAG_BACKWARD) < 0)
    av_seek_frame(&demuxer_.format(), -1, 0, AVSEEK_FLAG_BACKWARD);
}

bool SoundCopy::is_sound(const AVPacket& packet) const {
  return !demuxer_.has_picture() || packet.stream_index != demuxer_.stream().index;
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
    } else if (is_sound(*packet_) && position_of(*packet_) >= from_ - 1e-3) {
      if (sound_.holds(packet_->stream_index)) return true;
      late_ = true;
    }
  }
  return false;
}

void SoundCopy::write_until(double position, double offset, FileOutput& output) {
  while (waiting_ || next()) {
    waiting_ = position_of(*packet_) >= position;
    if (waiting_) return;
    const AVRational unit = demuxer_.format().streams[packet_->stream_index]->time_base;
    const double origin = static_cast<double>(demuxer_.start()) * av_q2d(demuxer_.stream().time_base);
    const auto shift = static_cast<std::int64_t>(std::llround((offset - origin) / av_q2d(unit)));
    if (packet_->pts != AV_NOPTS_VALUE) packet_->pts += shift;
    packet_->dts = packet_->dts != AV_NOPTS_VALUE ? packet_->dts + shift : packet_->pts;
    write(*packet_, output);
  }
}

std::string SoundCopy::note() const {
  const bool late = late_ || sound_.any_left_out();
  if (!has_written() && late) return left_out;
  const std::string how = "sound copied";
  return note_of(filter_came_ ? how + " without the filter that was turned on after the recording had begun" : how) +
         (late ? left_out : "");
}

}  // namespace convoscope
