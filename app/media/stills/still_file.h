#pragma once
// A file of one of the kinds behind the door, as the packets that a demuxer would give: the whole file for each picture
// in it, without a copy. Used by one thread.
#include <optional>
#include <string>

#include "app/media/ffmpeg/ffmpeg.h"
#include "app/media/ffmpeg/interrupt.h"
#include "app/media/stills/still.h"

namespace convoscope {

class StillFile {
 public:
  // Nothing where it is of no kind that is read here, or not there. Throws Error as open_still().
  static std::optional<StillFile> open(const std::string& path, const std::string& name, std::int64_t max_pixels,
                                       const Interrupt&);

  const StillInfo& info() const { return info_; }
  bool animated() const { return !info_.durations.empty(); }
  // As FFmpeg's own, with one stream for the pictures; their times are milliseconds where they are an animation, else
  // each is one of `rate` a second. Reading is this object's business.
  Owned<AVFormatContext> make_format(AVRational rate) const;
  void go_to(std::int64_t) { next_ = 0; }  // its only key frame
  int read(AVPacket&, int stream_index);   // AVERROR_EOF after the last

 private:
  StillInfo info_;
  Owned<AVPacket> whole_;  // the bytes
  std::size_t next_ = 0;
  std::int64_t time_ = 0;
};

// Whether a stream is that of make_format(): its packets are decoded by StillDecoder.
bool is_still_stream(const AVStream&);

}  // namespace convoscope
