#pragma once
// What is heard beside the pictures of a recording.
#include <string>
#include <vector>

#include "app/media/write/file_output.h"
#include "app/state/settings.h"

namespace convoscope {

// Used by the recorder's thread.
class RecordedSound {
 public:
  virtual ~RecordedSound() = default;
  virtual const std::vector<CopiedSound>& streams() const = 0;
  // What is done to it from the next picture on, where it is not copied as it is.
  virtual void filter(const SoundSettings&) = 0;
  // The picture at `position` of the source is written at `seconds` of the recording: what sounds before it follows.
  // `in_step`: the source has played on at normal pace since the picture before.
  virtual void follow(double position, double seconds, bool in_step, FileOutput&) = 0;
  virtual void finish(double duration, FileOutput&) = 0;  // what sounds while the last picture is on screen
  virtual std::string note() const = 0;  // what became of it: "; sound copied"; a sentence's end, may be empty
};

}  // namespace convoscope
