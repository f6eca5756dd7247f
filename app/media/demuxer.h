#pragma once
// What the user named, opened: a file, an image sequence, an address, a camera or the screen; its packets in order.
#include <string>

#include "app/media/ffmpeg.h"
#include "app/media/interrupt.h"
#include "app/settings.h"

namespace convoscope {

enum class SourceKind { file, sequence, address, camera, screen, pattern };
SourceKind kind_of(const std::string& input);

class Demuxer {
 public:
  // Throws Error. `interrupt` outlives the demuxer. Not for the pattern. `whole_file`: the input "-" is y4m on standard
  // input, and the packets of sound are read as well.
  Demuxer(const SourceSettings&, Interrupt& interrupt, bool whole_file = false);

  // The next packet of the picture (of the sound too, with whole_file), 0; AVERROR_EOF at the end; AVERROR_EXIT when
  // interrupted; else what went wrong.
  int read(AVPacket&);
  // Goes to the last key frame at or before `timestamp` (decoding time, the stream's units). False when it cannot.
  bool seek(std::int64_t timestamp);
  // A sentence about what read() returned.
  std::string why_not(int status) const;
  // What the source gives instead of what was asked for, a sentence; empty when it gives just that.
  const std::string& warning() const { return warning_; }

  const AVStream& stream() const { return *stream_; }
  AVFormatContext& format() const { return *format_; }
  SourceKind kind() const { return kind_; }
  bool live() const { return live_; }          // no end, no way back
  bool still() const { return still_; }        // a single picture
  bool seekable() const { return seekable_; }  // anywhere
  // The stream's declared beginning, in its units.
  std::int64_t start() const { return stream_->start_time == AV_NOPTS_VALUE ? 0 : stream_->start_time; }

 private:
  void open(const SourceSettings&);
  int open_format(const std::string& address, const AVInputFormat*, const AVDictionary* options);
  std::string set_camera(const SourceSettings&, AVDictionary*& options) const;
  std::string substitution(const SourceSettings& asked) const;
  void set_deadline();
  std::string name_, warning_;
  Interrupt& interrupt_;
  SourceKind kind_;
  bool whole_file_ = false;
  Owned<AVFormatContext> format_;
  AVStream* stream_ = nullptr;
  bool live_ = false, still_ = false, seekable_ = false;
};

}  // namespace convoscope
