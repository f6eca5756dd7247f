#pragma once
// A recording of the composed view: pixels leave the GPU through a ring of buffers and reach the encoder frames later.
#include <cstdint>
#include <memory>
#include <string>

#include "app/gl/compositor.h"
#include "app/media/recorder.h"

namespace convoscope {

class Recording {
 public:
  // `patient`: no frame is refused, the caller waits for the encoder (offscreen). Throws Error as Recorder::open does.
  Recording(const RecordingSettings&, bool patient);

  void take(unsigned framebuffer, double seconds);  // the frame just drawn; counted as missed when it cannot be taken
  void pass_on();                                   // what the GPU has delivered by now, to the encoder
  std::string finish();  // everything still under way, then the end of the file; a sentence on what was recorded

  bool fits(int width, int height) const { return width == settings_.width && height == settings_.height; }
  const std::string& path() const { return settings_.path; }
  std::int64_t frames_taken() const { return taken_; }
  std::int64_t frames_written() const { return recorder_->frames_written(); }
  std::int64_t frames_missed() const { return missed_; }
  std::string error() const { return recorder_->error(); }

 private:
  void pass_on(bool wait);

  RecordingSettings settings_;
  bool patient_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<ReadBack> read_back_;
  ReadBack::Pixels pixels_;  // reused
  std::int64_t taken_ = 0, missed_ = 0;
};

}  // namespace convoscope
