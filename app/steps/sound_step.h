#pragma once
// The sound of the source, in step with the picture, where there is somebody to hear it.
#include <memory>
#include <string>

#include "app/media/play/player.h"
#include "app/media/sound/sound_player.h"
#include "app/state/settings.h"
#include "app/state/stats.h"
#include "app/steps/message_poster.h"

namespace convoscope {

class SoundStep {
 public:
  explicit SoundStep(const MessagePoster& poster) : poster_(poster) {}

  void obey(const Requests&, const Stats&);
  void begin_source(Stats&);  // another one plays, or the same one anew
  // Once a frame. Only a file that can be sought is opened for its sound: what comes through a pipe is there once.
  void follow(const Player&, const Settings&, Stats&);
  void end() { sound_.reset(); }  // joins its thread

 private:
  const MessagePoster& poster_;
  std::unique_ptr<SoundPlayer> sound_;  // from the first source on that may have some
  SoundWork work_;
  bool opened_ = false;            // for the source that plays, or tried to
  std::string told_other_filter_;  // what was said of a strategy that filters in place of the chosen one
};

}  // namespace convoscope
