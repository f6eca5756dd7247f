#pragma once
// A source read frame by frame, on the decoder thread. What a camera, a file and the pattern have in common.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/media/ffmpeg/interrupt.h"
#include "app/media/play/player.h"

namespace convoscope {

class FrameReader {
 public:
  struct Frame {
    VideoFrame picture;
    double duration = 0;  // seconds on screen; 0: unknown
  };

  virtual ~FrameReader() = default;
  // The next frame; false at the end. Throws Error when the source has failed and cannot go on.
  virtual bool read(Frame&) = 0;
  // The next read() gives the frame shown at that time or of that number (past the end: nothing). False when it was
  // abandoned for a newer request. Asked only of one that is seekable by describe(), or still().
  virtual bool seek_seconds(double) = 0;
  virtual bool seek_frame(std::int64_t) = 0;
  // What is known by now; position, ended, error and queue are not the reader's.
  virtual SourceStats describe() const = 0;
  virtual bool still() const { return false; }                      // one picture, for ever
  virtual bool shown_on_arrival() const { return false; }           // a camera: its own clock, not ours
  virtual bool changed() { return false; }                          // describe() says something new since the last call
  virtual std::optional<std::string> take_warning() { return {}; }  // read on, but the user should know
};

struct ReaderOptions {
  SourceSettings source;
  DecodeTarget target;
  int frames_in_flight = 8;  // that may be held by the queue and the caller at once
};

// Throws Error when the arguments cannot be right for any machine.
void check_source(const SourceSettings&);
bool worth_retrying(const SourceSettings&);  // a stream or a camera

// Opens; may take long; gives up when interrupted. Throws Error. `interrupt` outlives the reader.
std::unique_ptr<FrameReader> open_reader(const ReaderOptions&, Interrupt& interrupt);
std::unique_ptr<FrameReader> open_file_reader(const ReaderOptions&, Interrupt&);  // whatever FFmpeg reads

}  // namespace convoscope
