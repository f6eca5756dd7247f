#include "app/media/write/constant_rate.h"

#include <cmath>

namespace convoscope {
namespace {

// Frames that a picture may come early or late. Less than a whole one, as a picture that is missing leaves a gap of
// about that; more than the rounding of times to milliseconds, and than the 2 and 3 fields of a film on television.
constexpr double off_by = 0.9;
constexpr double longest_gap = 60;  // seconds without a picture

}  // namespace

ConstantRate::Step ConstantRate::next(std::int64_t time, std::int64_t duration) {
  if (shown_ == 0) start_ = time;
  double ahead = frames_until(time) - moved_ - static_cast<double>(shown_);
  if (shown_ > 0 && std::abs(ahead) > longest_gap * rate_) {
    moved_ += ahead;
    ahead = 0;
    jumped_ = true;
  }
  end_ = time + duration;
  Step step;
  if (ahead >= off_by) step.repeats = std::llround(ahead);
  step.shown = ahead > -off_by;
  repeat(step.repeats);
  shown_ += step.shown ? 1 : 0;
  left_out_ += step.shown ? 0 : 1;
  last_shown_ = step.shown;
  return step;
}

std::int64_t ConstantRate::repeats_at_end() {
  const double ahead = frames_until(end_) - moved_ - static_cast<double>(shown_);
  if (shown_ == 0 || ahead < off_by || ahead > longest_gap * rate_) return 0;
  const std::int64_t repeats = std::llround(ahead);
  repeat(repeats);
  return repeats;
}

// One that was left out, as it came too soon, is shown by the first of them.
void ConstantRate::repeat(std::int64_t times) {
  if (times == 0) return;
  shown_ += times;
  repeated_ += times - (last_shown_ ? 0 : 1);
  left_out_ -= last_shown_ ? 0 : 1;
  last_shown_ = true;
}

}  // namespace convoscope
