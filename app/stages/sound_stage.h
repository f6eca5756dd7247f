#pragma once
// The sound of the source, in step with the picture, where there is somebody to hear it.
#include <memory>
#include <optional>
#include <utility>

#include "app/media/play/player.h"
#include "app/media/sound/sound_player.h"
#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope {

class SoundStage {
 public:
  // Another source plays, or the same one anew.
  void begin_source() {
    if (sound_) sound_->close();
    opened_ = false;
  }
  // Once a frame. Only a file that can be sought is opened for its sound: what comes through a pipe is there once.
  void follow(const Player& player, const SourceSettings& source, const PlaybackSettings& playback, Stats& stats) {
    if (!opened_) {
      if (!stats.source.seekable || stats.source.still || stats.source.live) return;
      if (!sound_) sound_ = std::make_unique<SoundPlayer>();
      sound_->open(source);
      opened_ = true;
    }
    sound_->follow(player.clock(), playback.muted ? 0 : playback.volume);
    stats.sound = sound_->stats();
  }
  void retry() {
    if (sound_) sound_->retry();
  }
  void end() { sound_.reset(); }

 private:
  std::unique_ptr<SoundPlayer> sound_;  // from the first source on that may have some
  bool opened_ = false;                 // for the source that plays
};

}  // namespace convoscope
