#include "app/media/write/recording_clock.h"

#include <algorithm>
#include <cmath>

namespace convoscope {
namespace {

constexpr double slack = 0.25;   // seconds that a frame may come early or late and still be in step
constexpr double longest = 2.0;  // seconds from frame to frame of a source that plays on, where no clock tells

}  // namespace

RecordingClock::Moment RecordingClock::next(double now, double position, double speed) {
  if (!started_) {
    started_ = true;
    start_ = now;
    offset_ = -position;
    last_position_ = position;
    return {0, true};
  }
  const double in_step = position + offset_;
  const bool live = now >= 0;
  const bool forward = position > last_position_ && in_step > last_;
  const bool near = live ? std::abs(in_step - (now - start_)) < slack : position - last_position_ < longest;
  last_position_ = position;
  if (forward && near && (speed == 1 || !live)) {
    last_ = in_step;
    return {last_, true};
  }
  // Two pictures never share a time, however fast they come.
  last_ = live ? std::max(now - start_, last_ + frame_ / 8) : last_ + frame_;
  offset_ = last_ - position;
  return {last_, false};
}

}  // namespace convoscope
