#include "app/stages/sound_stage.h"

#include <cmath>
#include <system_error>

#include "app/state/message_list.h"

namespace convoscope {
namespace {

constexpr const char* subject = "sound";

SoundLoop loop_of(const PlaybackSettings& playback, const SourceStats& source) {
  if (!playback.loop) return {};
  const double a = playback.loop_a.value_or(0), rate = source.rate;
  if (!playback.loop_b || *playback.loop_b <= a)
    return {a, source.frames > 0 && rate > 0 ? static_cast<double>(source.frames) / rate : source.duration};
  // The last frame that begins before B is seen to its end.
  return {a, rate > 0 ? std::ceil(*playback.loop_b * rate - 0.01) / rate : *playback.loop_b};
}

}  // namespace

void SoundStage::obey(const Requests& asked, const Stats& stats) {
  if (!asked.retry_sound) return;
  teller_.tell(MessageLevel::warning, stats.sound.why_not, subject);
  if (sound_) sound_->retry();
}

void SoundStage::begin_source(Stats& stats) {
  if (sound_) sound_->close();
  opened_ = false;
  stats.sound = {};
}

void SoundStage::follow(const Player& player, const Settings& settings, Stats& stats) {
  if (!opened_) {
    if (!stats.source.seekable || stats.source.still || stats.source.live) return;
    try {
      if (!sound_) sound_ = std::make_unique<SoundPlayer>();
    } catch (const std::system_error&) {
      stats.sound.why_not = "The system has no thread left for the sound of the video. Close other programs.";
      return;
    }
    sound_->open(settings.source);
    opened_ = true;
  }
  const PlaybackSettings& playback = settings.playback;
  sound_->follow(player.clock(), playback.muted ? 0 : playback.volume, loop_of(playback, stats.source));
  const bool was_heard = stats.sound.why_not.empty() && !stats.sound.card.empty();
  stats.sound = sound_->stats();
  if (stats.sound.why_not.empty())
    withdraw_message(stats.messages, subject);
  else if (was_heard)
    teller_.tell(MessageLevel::warning, stats.sound.why_not, subject);
}

}  // namespace convoscope
