#pragma once
// The sound of a file beside a recording of its picture: packets are copied while the picture plays on at normal pace,
// and left out while it does not.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/media/ffmpeg/demuxer.h"
#include "app/media/write/recorded_sound.h"
#include "app/media/write/sound_streams.h"

namespace convoscope {

// Used by the recorder's thread.
class SoundCopy : public RecordedSound {
 public:
  // Opens the file a second time. Empty when it is no file or has no sound; then, or when the container cannot hold the
  // sound, `note` ends the sentence that reports on the recording. `patient`: sound that begins late is looked for.
  static std::unique_ptr<SoundCopy> open(const SourceSettings&, const std::string& output, bool patient,
                                         std::string& note);

  SoundCopy(const SourceSettings&, Interrupt&, bool patient);
  const std::vector<CopiedSound>& streams() const override { return sound_.streams(); }
  void filter(const SoundSettings& sound) override { filter_came_ |= sound.filtered; }
  void follow(double position, double seconds, bool in_step, FileOutput&) override;
  void finish(double duration, FileOutput&) override;
  std::string note() const override;

 private:
  void copy_until(double position, FileOutput&);
  void jump(double position);
  bool next();
  double position_of(const AVPacket&) const;

  Interrupt& interrupt_;
  Demuxer demuxer_;
  SoundStreams sound_;
  Owned<AVPacket> packet_;
  bool waiting_ = false;  // packet_ belongs to a time to come
  double from_ = 0;       // of the span that is being copied, source time
  double offset_ = 0;     // from the source's time to the recording's
  double last_ = 0;       // position of the last picture
  bool in_step_ = false, at_end_ = false;
  bool filter_came_ = false;  // it is heard through one
  bool late_ = false;         // a stream has appeared that the recording was not told of
  std::int64_t pictures_ = 0, packets_ = 0, breaks_ = 0;
};

}  // namespace convoscope
