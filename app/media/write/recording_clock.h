#pragma once
// When a picture of a recording is shown. While the source plays on at normal pace its own times are kept, exact to the
// tick, and its sound stays in step; pause, seek, loop and other speeds go by the caller's clock.
namespace convoscope {

class RecordingClock {
 public:
  explicit RecordingClock(double rate) : frame_(1 / rate) {}

  struct Moment {
    double seconds = 0;    // from the first picture on, ascending
    bool in_step = false;  // the source has played on since the picture before
  };
  // `now`: a clock that never stops, or without one (nothing is shown live) less than 0. `position`: of the source.
  Moment next(double now, double position, double speed);

 private:
  double frame_;
  bool started_ = false;
  double start_ = 0, last_ = 0, last_position_ = 0;
  double offset_ = 0;  // from positions to the recording's time
};

}  // namespace convoscope
