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
  std::string note() const override;

 private:
  void begin(double position, double seconds) override;
  void write_until(double position, double offset, FileOutput&) override;
  bool next();
  bool is_sound(const AVPacket&) const;
  double position_of(const AVPacket&) const;

  Interrupt& interrupt_;
  Demuxer demuxer_;
  SoundStreams sound_;
  Owned<AVPacket> packet_;
  bool waiting_ = false;  // packet_ belongs to a time to come
  double from_ = 0;       // of the span that is being copied, source time
  bool at_end_ = false;
  bool filter_came_ = false;  // it is heard through one
  bool late_ = false;         // a stream has appeared that the recording was not told of
};

}  // namespace convoscope
