#pragma once
// What is heard beside the pictures of a recording, while the source plays on at normal pace; left out while it does
// not.
#include <cstdint>
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
  void follow(double position, double seconds, bool in_step, FileOutput&);
  void finish(double duration, FileOutput&);  // what sounds while the last picture is on screen
  virtual std::string note() const = 0;       // what became of it: "; sound copied"; a sentence's end, may be empty

 protected:
  // A span that is in step, from the picture at `position` of the source on, which is at `seconds` of the recording;
  // its sound up to a later position; and no more of it. `offset`: from the source's time to the recording's.
  virtual void begin(double position, double seconds) = 0;
  virtual void write_until(double position, double offset, FileOutput&) = 0;
  virtual void end(FileOutput&) {}
  virtual void flush(FileOutput&) {}  // nothing comes any more

  void write(AVPacket&, FileOutput&);
  bool has_written() const { return packets_ > 0; }
  std::string note_of(const std::string& how) const;  // "; how", or why there is none, or not all

 private:
  double last_ = 0, last_seconds_ = 0;  // of the last picture
  bool in_step_ = false;
  std::int64_t pictures_ = 0, packets_ = 0, breaks_ = 0;
};

}  // namespace convoscope
