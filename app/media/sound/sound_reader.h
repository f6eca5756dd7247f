#pragma once
// The sound of a file, decoded from any position on, as the sound card takes it.
#include <memory>
#include <vector>

#include "app/media/ffmpeg/demuxer.h"

namespace convoscope {

class SoundReader {
 public:
  // Opens the file a second time, for its first or main track. Null: it has no sound, or is no file that can be sought.
  // Throws Error, a sentence: it cannot be opened or decoded. `interrupt` outlives it.
  static std::unique_ptr<SoundReader> open(const SourceSettings&, Interrupt& interrupt);
  virtual ~SoundReader() = default;

  // read() goes on from there, in seconds of the picture's time. `speed` leaves the pitch as it is. `rate`: frames a
  // second that read() gives.
  virtual void seek(double position, double speed, int rate) = 0;
  // Replaces `samples` by the next ones, left and right in turn, of some hundredths of a second: silence where the file
  // has none yet. Empty: the end. Throws Error, a sentence.
  virtual void read(std::vector<float>& samples) = 0;
  virtual bool damaged() const = 0;  // something since the last seek() could not be decoded, and was passed over
};

}  // namespace convoscope
