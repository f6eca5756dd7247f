#include "app/stages/sound_stage.h"

#include <system_error>

#include "app/state/message_list.h"

namespace convoscope {
namespace {

constexpr const char* subject = "sound";

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
  sound_->follow(player.clock(), settings.playback.muted ? 0 : settings.playback.volume);
  stats.sound = sound_->stats();
  if (stats.sound.why_not.empty()) withdraw_message(stats.messages, subject);
}

}  // namespace convoscope
