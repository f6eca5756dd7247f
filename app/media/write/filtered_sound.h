#pragma once
// The sound of a file through the filter that is heard, encoded beside a recording of its picture.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/media/sound/sound_filter.h"
#include "app/media/sound/sound_reader.h"
#include "app/media/write/recorded_sound.h"

namespace convoscope {

// Used by the recorder's thread; filtered on its core, whichever strategy is heard.
class FilteredSound : public RecordedSound {
 public:
  // Opens the file a second time. Empty when it is no file or has no sound; then, or where there is no encoder for the
  // recording's container, `note` ends the sentence that reports on the recording. `lossless`: FLAC, else AAC.
  static std::unique_ptr<FilteredSound> open(const SourceSettings&, const SoundSettings&, bool lossless,
                                             std::string& note);

  FilteredSound(std::unique_ptr<SoundReader>, const SoundSettings&, bool lossless);  // throws Error

  const std::vector<CopiedSound>& streams() const override { return streams_; }
  void filter(const SoundSettings&) override;
  std::string note() const override;

 private:
  void begin(double position, double seconds) override;
  void write_until(double position, double offset, FileOutput&) override;
  void end(FileOutput&) override;
  void flush(FileOutput&) override;
  void make(std::size_t frames);
  void encode(FileOutput&);
  void take_packets(FileOutput&);

  std::unique_ptr<SoundReader> reader_;
  SoundFilter filter_;
  std::string asked_for_by_name_;  // the strategy; empty: none
  Owned<AVCodecContext> encoder_;
  Owned<AVFormatContext> description_;  // that owns the stream by which an output knows the sound
  std::vector<CopiedSound> streams_;
  Owned<AVPacket> packet_ = make_packet();
  std::vector<float> samples_, made_;  // as in the file; filtered, and not encoded yet
  std::size_t left_out_ = 0;           // of these, at the beginning
  double from_ = 0;                    // position at which the span that is recorded begins
  std::int64_t asked_for_ = 0;         // frames of it up to now
  std::int64_t encoded_ = 0;           // of these
  std::int64_t next_ = 0;              // time of the next frame in the recording, in frames
  bool at_end_ = false, filter_ended_ = false;
};

}  // namespace convoscope
