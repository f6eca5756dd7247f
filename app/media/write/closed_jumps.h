#pragma once
// Times that go on where they were when they jump by hours, as where recordings were joined, and the container has too
// few ticks for that; or when they begin anew, which no container has.
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
  // Where times go back by more than a moment, and only there. Streams that jump together stay in step.
  void begin_ascending(const AVFormatContext& input);
  void close(AVPacket&);                       // its stream, times and duration are those of the file given
  double longest() const { return longest_; }  // seconds; 0: none

 private:
  struct Track {
    AVRational unit{};
    std::optional<std::int64_t> last;
    std::int64_t duration = 0;
    std::int64_t back = 0;  // its packets are moved by that
  };
  std::map<int, Track> tracks_;
  void find_tracks(const AVFormatContext&);
  double limit_ = 0, most_back_ = 0;  // seconds forward and back that are no jump
  double least_ = 0;                  // seconds on from the packet before, for a stream that jumps as another has
  double back_ = 0;  // of the track that has jumped last, seconds: those of joined recordings keep in step
  double longest_ = 0;
};

}  // namespace convoscope
