#pragma once
// Times that go on where they were when they jump by hours, as where recordings were joined, and the container has too
// few ticks for that.
#include <cstdint>
#include <map>
#include <optional>

#include "app/media/ffmpeg/ffmpeg.h"

namespace convoscope {

class ClosedJumps {
 public:
  // Between two packets of a stream lie less than 2^31 of its units, as in .mp4 and .mov: FFmpeg ends the program where
  // there are more. A jump is one for all streams, so the finest unit counts.
  void begin(const AVFormatContext& output);
  void close(AVPacket&);                       // its stream, times and duration are the output's
  double longest() const { return longest_; }  // seconds; 0: none

 private:
  struct Track {
    AVRational unit{};
    std::optional<std::int64_t> last;
    std::int64_t duration = 0;
    std::int64_t back = 0;  // its packets are moved by that
  };
  std::map<int, Track> tracks_;
  double limit_ = 0;  // seconds
  double back_ = 0;   // of the track that has jumped last, seconds: those of joined recordings keep in step
  double longest_ = 0;
};

}  // namespace convoscope
