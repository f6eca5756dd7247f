#pragma once
// Which sound of a file can be copied. Some files name a stream long before it is heard, some not before: those are
// read through once, so that the output can be told of every stream at its beginning.
#include <memory>
#include <string>
#include <vector>

#include "app/media/ffmpeg/demuxer.h"
#include "app/media/write/file_output.h"

namespace convoscope {

// Whether FFmpeg's container of that name holds such sound as it is. Only its writer knows: it is given the header to
// write, into memory.
bool container_holds(const char* container, const AVCodecParameters&);

class SoundStreams {
 public:
  // `demuxer` outlives this. `whole`: may take the time to read all of it. Throws Error as Demuxer does.
  SoundStreams(const Demuxer& demuxer, const SourceSettings&, Interrupt&, bool whole);

  const std::vector<CopiedSound>& streams() const { return streams_; }
  // Whether a packet of the demuxer belongs to one of them.
  bool holds(int stream_index) const;
  // Streams whose parameters are not known, so that no container takes them.
  bool any_left_out() const { return any_left_out_; }

 private:
  void collect(const AVFormatContext&);
  std::unique_ptr<Demuxer> looked_through_;
  std::vector<CopiedSound> streams_;
  bool any_left_out_ = false;
};

}  // namespace convoscope
