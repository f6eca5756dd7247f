#include "app/media/sound/sound_reader.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "app/media/sound/sound_ring.h"
#include "app/media/sound/tempo_graph.h"
#include "app/media/sources/source.h"

namespace convoscope {
namespace {

constexpr double before = 0.15;                 // seconds that a decoder is given to find its way into a stream
constexpr double in_order = 0.05;               // seconds that times may be apart from what was decoded until then
constexpr std::int64_t silence_at_once = 2048;  // frames

class FileSound : public SoundReader {
 public:
  FileSound(const SourceSettings& source, Interrupt& interrupt)
      : name_(source.input), demuxer_(source, interrupt, Demuxer::Sound::or_alone) {
    if (!demuxer_.seekable() || demuxer_.from() != MediaInput::From::file) return;
    AVFormatContext& format = demuxer_.format();
    const AVCodec* codec = nullptr;
    const int best = av_find_best_stream(&format, AVMEDIA_TYPE_AUDIO, -1, -1, &codec, 0);
    if (best < 0 || !codec) return;
    for (int i = 0; i < static_cast<int>(format.nb_streams); ++i)
      if (i != best) format.streams[i]->discard = AVDISCARD_ALL;
    context_.reset(avcodec_alloc_context3(codec));
    if (!context_) throw std::bad_alloc();
    check_sound(avcodec_parameters_to_context(context_.get(), format.streams[best]->codecpar), name_);
    context_->pkt_timebase = format.streams[best]->time_base;
    context_->thread_count = 1;
    check_sound(avcodec_open2(context_.get(), codec, nullptr), name_);
    stream_ = format.streams[best];
  }
  bool has_sound() const { return stream_ != nullptr; }

  void seek(double position, double speed, int rate) override {
    position_ = position;
    speed_ = speed;
    rate_ = rate;
    graph_.reset();
    silence_ = cut_ = 0;
    ended_ = fed_all_ = packet_waits_ = frame_waits_ = damaged_ = false;
    av_packet_unref(packet_.get());
    avcodec_flush_buffers(context_.get());
    const double unit = av_q2d(stream_->time_base), from = std::max(0.0, position - before) + origin();
    if (av_seek_frame(&demuxer_.format(), stream_->index, std::llround(from / unit), AVSEEK_FLAG_BACKWARD) < 0)
      av_seek_frame(&demuxer_.format(), -1, 0, AVSEEK_FLAG_BACKWARD);
  }

  void read(std::vector<float>& samples) override {
    samples.clear();
    while (samples.empty() && !(ended_ && silence_ <= 0)) {
      if (silence_ > 0) {
        const std::int64_t some = std::min(silence_, silence_at_once);
        samples.assign(static_cast<std::size_t>(some * sound_channels), 0.0f);
        silence_ -= some;
      } else if (!std::exchange(frame_waits_, false) && !decode()) {
        if (graph_) end_graph(samples);
        ended_ = true;
      } else {
        take_frame(samples);
      }
      cut_beginning(samples);
    }
  }

  bool damaged() const override { return damaged_; }

 private:
  double origin() const { return static_cast<double>(demuxer_.start()) * av_q2d(demuxer_.stream().time_base); }

  // The next frame; false: there is none. What cannot be decoded is passed over.
  bool decode() {
    while (true) {
      av_frame_unref(frame_.get());
      const int status = avcodec_receive_frame(context_.get(), frame_.get());
      if (status >= 0) return true;
      damaged_ |= status != AVERROR_EOF && status != AVERROR(EAGAIN);
      if (status == AVERROR_EOF || fed_all_) return false;
      if (!packet_waits_) {
        av_packet_unref(packet_.get());
        if (demuxer_.read(*packet_) < 0) {
          fed_all_ = true;
          if (avcodec_send_packet(context_.get(), nullptr) < 0) return false;
          continue;
        }
        if (packet_->stream_index != stream_->index) continue;
      }
      const int sent = avcodec_send_packet(context_.get(), packet_.get());
      packet_waits_ = sent == AVERROR(EAGAIN);
      damaged_ |= sent < 0 && !packet_waits_;
    }
  }

  // Where the decoded frame begins, in the picture's time; where the one before ended, if it does not say.
  double frame_position() const {
    const std::int64_t time = frame_->best_effort_timestamp;
    return time == AV_NOPTS_VALUE ? decoded_ : static_cast<double>(time) * av_q2d(stream_->time_base) - origin();
  }

  void take_frame(std::vector<float>& samples) {
    if (frame_->sample_rate <= 0 || frame_->nb_samples <= 0) return;
    const double length = static_cast<double>(frame_->nb_samples) / frame_->sample_rate;
    if (!graph_) decoded_ = position_;  // of a frame without a time
    const double at = frame_position();
    if (!graph_ && !(at + length > position_)) return;
    if (graph_ && (!graph_->takes(*frame_) || std::abs(at - decoded_) > in_order)) {
      end_graph(samples);
      position_ = decoded_;
      frame_waits_ = true;  // behind what that gave
      return;
    }
    if (!graph_) {
      const double apart = std::clamp((at - position_) / speed_ * rate_, -1e9, 1e9);  // frames of the card
      (apart > 0 ? silence_ : cut_) = static_cast<std::int64_t>(std::llround(std::abs(apart)));
      graph_.emplace(*frame_, speed_, rate_, name_);
      decoded_ = at;
    }
    decoded_ += length;
    frame_->pts = AV_NOPTS_VALUE;
    graph_->give(frame_.get());
    if (silence_ <= 0) graph_->take_samples(samples);
  }

  void end_graph(std::vector<float>& samples) {
    graph_->give(nullptr);
    graph_->take_samples(samples);
    graph_.reset();
  }

  void cut_beginning(std::vector<float>& samples) {
    const std::int64_t frames = std::min(cut_, static_cast<std::int64_t>(samples.size()) / sound_channels);
    samples.erase(samples.begin(), samples.begin() + frames * sound_channels);
    cut_ -= frames;
  }

  const std::string name_;
  Demuxer demuxer_;
  const AVStream* stream_ = nullptr;
  Owned<AVCodecContext> context_;
  Owned<AVPacket> packet_ = make_packet();
  Owned<AVFrame> frame_ = make_frame();
  std::optional<TempoGraph> graph_;  // from a position on, as long as times go on from one frame to the next
  double position_ = 0, speed_ = 1, decoded_ = 0;
  int rate_ = 0;
  std::int64_t silence_ = 0, cut_ = 0;  // frames of the card before what the graph gives; of it that are too early
  bool packet_waits_ = false, frame_waits_ = false, fed_all_ = false, ended_ = false, damaged_ = false;
};

}  // namespace

std::unique_ptr<SoundReader> SoundReader::open(const SourceSettings& source, Interrupt& interrupt) {
  if (source.input.empty() || source.input == "-" || !source_for(source.input).has_sound) return {};
  auto sound = std::make_unique<FileSound>(source, interrupt);
  if (!sound->has_sound()) return {};
  return sound;
}

}  // namespace convoscope
