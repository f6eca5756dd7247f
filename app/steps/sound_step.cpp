#include "app/steps/sound_step.h"

#include <cmath>
#include <system_error>

#include "app/media/play/decoder_thread.h"
#include "app/state/message_list.h"

namespace convoscope {
namespace {

constexpr const char *subject = "sound", *subject_of_filter = "sound filter";

SoundLoop loop_of(const PlaybackSettings& playback, const SourceStats& source) {
  if (!playback.loop) return {};
  const PlayerRange range{playback.loop, playback.loop_a, playback.loop_b};
  const double rate = source.rate;
  if (!range.ends())
    return {range.start(), source.frames > 0 && rate > 0 ? static_cast<double>(source.frames) / rate : source.duration};
  // The last frame that begins before B is seen to its end.
  return {range.start(), rate > 0 ? std::ceil(*range.b * rate - 0.01) / rate : *range.b};
}

}  // namespace

void SoundStep::obey(const Requests& asked, const Stats& stats) {
  if (!asked.retry_sound) return;
  poster_.post(MessageLevel::warning, stats.sound.why_not, subject);
  if (sound_) sound_->retry();
}

void SoundStep::begin_source(Stats& stats) {
  if (sound_) sound_->close();
  opened_ = false;
  stats.sound = {};
}

void SoundStep::follow(const Player& player, const Settings& settings, Stats& stats) {
  if (!opened_) {
    if (!stats.source.seekable || stats.source.still || stats.source.live) return;
    opened_ = true;
    try {
      if (!sound_) sound_ = std::make_unique<SoundPlayer>();
      sound_->open(settings.source);
    } catch (const std::system_error&) {
      stats.sound.why_not = "The system has no thread left for the sound of the video. Close other programs.";
    }
  }
  if (!sound_) return;
  const PlaybackSettings& playback = settings.playback;
  if (work_.settings != settings.sound) work_.settings = settings.sound;
  work_.gpu.reset();
  if (stats.device.backend == Backend::cuda) work_.gpu = stats.device.ordinal;
  sound_->follow(player.clock(), playback.muted ? 0 : playback.volume,
                 stats.clips.goes_on ? SoundLoop{} : loop_of(playback, stats.source), work_);
  const bool was_heard = stats.sound.why_not.empty() && !stats.sound.card.empty();
  sound_->report(stats.sound);
  if (stats.sound.why_not.empty())
    withdraw_message(stats.messages, subject);
  else if (was_heard)
    poster_.post(MessageLevel::warning, stats.sound.why_not, subject);
  // The panel that says it may be closed.
  if (stats.sound.filter.why_not == told_other_filter_) return;
  told_other_filter_ = stats.sound.filter.why_not;
  if (told_other_filter_.empty())
    withdraw_message(stats.messages, subject_of_filter);
  else
    poster_.post(MessageLevel::warning, "Sound: " + told_other_filter_, subject_of_filter);
}

}  // namespace convoscope
