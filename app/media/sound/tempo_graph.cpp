#include "app/media/sound/tempo_graph.h"

extern "C" {
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
}

#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/sound/sound_ring.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr double slowest = 0.5;  // that FFmpeg's atempo takes at a time
constexpr int least_rate = 2000, most_rate = 768000, most_channels = 8;

std::string tempo(double speed) {
  std::string chain;
  for (; speed < slowest; speed /= slowest) chain += "atempo=" + number_text(slowest) + ",";
  return speed == 1 ? chain : chain + "atempo=" + number_text(speed) + ",";
}

// Of a stream that does not say which loudspeaker each of its channels is for: the usual ones.
std::string layout_text(const AVFrame& frame) {
  AVChannelLayout layout{};
  if (frame.ch_layout.order == AV_CHANNEL_ORDER_UNSPEC)
    av_channel_layout_default(&layout, frame.ch_layout.nb_channels);
  else if (av_channel_layout_copy(&layout, &frame.ch_layout) < 0)
    throw std::bad_alloc();
  char text[256] = "";
  av_channel_layout_describe(&layout, text, sizeof text);
  av_channel_layout_uninit(&layout);
  return text;
}

}  // namespace

void check_sound(int status, const std::string& name) {
  if (status == AVERROR(ENOMEM)) throw std::bad_alloc();
  if (status < 0) throw Error("The sound of " + in_quotes(name) + " cannot be played: " + ffmpeg_text(status) + ".");
}

TempoGraph::TempoGraph(const AVFrame& like, double speed, int rate, const std::string& name)
    : name_(name), format_(like.format), rate_(like.sample_rate), channels_(like.ch_layout.nb_channels) {
  const char* const format = av_get_sample_fmt_name(static_cast<AVSampleFormat>(format_));
  const auto refuse = [&](const std::string& why) {
    throw Error("The sound of " + in_quotes(name_) + " is not played: " + why + ".");
  };
  // Of one second that is said to be an hour, an hour would have to be made.
  if (rate_ < least_rate || rate_ > most_rate)
    refuse("it is said to have " + std::to_string(rate_) + " samples a second, and from " + std::to_string(least_rate) +
           " to " + std::to_string(most_rate) + " are taken");
  if (channels_ > most_channels)
    refuse("it has " + std::to_string(channels_) + " channels, and up to " + std::to_string(most_channels) +
           " are mixed to two");
  if (!format || channels_ <= 0) check_sound(AVERROR_INVALIDDATA, name_);
  const std::string in = "time_base=1/" + std::to_string(rate_) + ":sample_rate=" + std::to_string(rate_) +
                         ":sample_fmt=" + format + ":channel_layout=" + layout_text(like);
  // FFmpeg's own mix would make it 3 dB quieter than it is elsewhere.
  const std::string both = channels_ == 1 ? "pan=stereo|c0=c0|c1=c0," : "";
  const std::string chain = tempo(speed) + both + "aresample=" + std::to_string(rate) +
                            ",aformat=sample_fmts=flt:channel_layouts=stereo:sample_rates=" + std::to_string(rate);
  graph_.emplace(FilterGraph::Of::sound, in, chain, [this](int status) { check_sound(status, name_); });
}

bool TempoGraph::takes(const AVFrame& frame) const {
  return frame.format == format_ && frame.sample_rate == rate_ && frame.ch_layout.nb_channels == channels_;
}

void TempoGraph::give(AVFrame* frame) {
  check_sound(av_buffersrc_add_frame_flags(graph_->source(), frame, AV_BUFFERSRC_FLAG_PUSH), name_);
}

void TempoGraph::take_samples(std::vector<float>& samples) {
  while (true) {
    const int status = av_buffersink_get_frame(graph_->sink(), out_.get());
    if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return;
    check_sound(status, name_);
    const auto* const first = reinterpret_cast<const float*>(out_->data[0]);
    samples.insert(samples.end(), first, first + static_cast<std::ptrdiff_t>(out_->nb_samples) * sound_channels);
    av_frame_unref(out_.get());
  }
}

}  // namespace convoscope
