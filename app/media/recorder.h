#pragma once
// Writes composed frames to a video file from a thread of its own.
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "kernels/image.h"

namespace convoscope {

struct RecordingSettings {
  std::string path;           // .mkv, .mp4 (fragmented, so that a killed program leaves a playable file)
  int width = 0, height = 0;  // odd sizes are padded to even where the codec needs it
  double rate = 30;
  bool lossless = false;  // FFV1 (in .mkv)
  bool prefer_nvenc = false;
  int tick_numerator = 1,
      tick_denominator = 60000;  // seconds; every usual rate in whole units, as fine as mpeg4 allows
  int pixel_aspect_width = 1, pixel_aspect_height = 1;
  std::map<std::string, std::string> metadata;
};

class Recorder {
 public:
  static std::unique_ptr<Recorder> open(const RecordingSettings&);  // throws Error: codec, folder, permission
  virtual ~Recorder() = default;                                    // finishes the file
  // Takes a copy of an rgba image in host memory, top row first. `wait`: blocks while the queue is full (offscreen);
  // otherwise the frame is refused, counted by the caller, and false is returned.
  virtual bool add(const Image& rgba, double seconds, bool wait) = 0;
  virtual std::int64_t frames_written() const = 0;
  virtual std::string error() const = 0;    // disk full, encoder lost; what was written stays playable
  virtual std::string encoder() const = 0;  // "libx264", "h264_nvenc"
  virtual void finish() = 0;                // flushes and closes; throws Error when the file is not whole
};

void write_png(const std::string& path, const Image& rgba,
               const std::map<std::string, std::string>& text);  // throws Error

}  // namespace convoscope
