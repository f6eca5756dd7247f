#pragma once
// A recording of the view: pictures leave the GPU in the encoder's layout and reach its thread frames later, in place.
#include <cstdint>
#include <memory>
#include <string>

#include "app/gl/compositor/picture_tap.h"
#include "app/media/write/recorder.h"
#include "app/media/write/recording_clock.h"

namespace convoscope {

// All calls with the context current.
class Recording {
 public:
  // `patient`: no picture is refused, the caller waits for the encoder (offscreen, rendering). `renders`: what is told
  // of it says so. The tap is used by nobody else meanwhile and outlives this. Throws Error as Recorder::open and
  // PictureTap::start do.
  Recording(const RecordingSettings&, bool patient, bool renders, PictureTap& tap);
  ~Recording();

  // What is recorded next is drawn or copied into the tap's canvas; take_picture() then takes it, or counts it as
  // missed. `now` is the program's clock; position and speed are the source's.
  void take_picture(double now, double position, double speed);
  void pass_on();                                           // what the GPU has delivered by now, to the encoder
  void wait_until_open() { recorder_->wait_until_open(); }  // throws Error
  // Begins to finish the file; only for closed() after it. Not `whole`: it stays a part, and an older file as it is.
  void close(bool whole = true);
  bool closed() const { return recorder_->closed(); }
  void filter_sound(const SoundSettings& sound) { recorder_->filter_sound(sound); }
  // Waits for the end of the file; a sentence on what was recorded. Throws Error when the file is not whole.
  std::string finish();
  // Where OpenGL can no longer be asked: the pictures that are still with the GPU are lost, the file is finished.
  std::string finish_without_gl();

  bool patient() const { return patient_; }
  bool closing() const { return closing_; }
  const RecordingSettings& settings() const { return settings_; }
  std::string file() const;  // what was recorded, once it is finished
  std::int64_t frames_taken() const { return taken_; }
  std::int64_t frames_written() const { return recorder_->frames_written(); }
  std::int64_t frames_missed() const { return missed_; }
  double seconds() const { return seconds_; }    // of the last picture, in the recording's time
  double last_now() const { return last_now_; }  // the program's clock at the last take_picture()
  std::string encoder() const { return recorder_->encoder(); }
  std::string error() const { return recorder_->error(); }

 private:
  void pass_on(bool wait);

  const RecordingSettings settings_;
  const bool patient_, renders_;
  PictureTap& tap_;
  RecordingClock clock_;
  std::unique_ptr<Recorder> recorder_;
  std::int64_t taken_ = 0, missed_ = 0;
  double seconds_ = 0, last_now_ = 0;
  bool broken_ = false;  // the picture that was not in step with the source was missed
  bool closing_ = false, whole_ = true;
};

// Instead of what was recorded or rendered; null: because no picture came.
std::string nothing_recorded(const char* why = nullptr, bool renders = false);

}  // namespace convoscope
