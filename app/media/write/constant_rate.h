#pragma once
// What becomes of pictures that come at any time where only a constant rate can be written: some are repeated, some
// left out.
#include <cstdint>

namespace convoscope {

class ConstantRate {
 public:
  ConstantRate(double rate, double tick) : rate_(rate), frames_a_tick_(rate * tick) {}  // frames a second; seconds

  struct Step {
    std::int64_t repeats = 0;  // of the picture before, also where that was not shown, before this one
    bool shown = true;         // else this one is left out, for now
  };
  // Times ascend; in ticks. Pictures that come at the rate are all shown once, also where their times are a little off.
  Step next(std::int64_t time, std::int64_t duration);
  std::int64_t repeats_at_end();  // of the last picture, likewise, until its duration has passed

  std::int64_t repeated() const { return repeated_; }
  std::int64_t left_out() const { return left_out_; }
  bool jumped() const { return jumped_; }  // for longer than a minute there was no picture; that was left out

 private:
  void repeat(std::int64_t times);
  double frames_until(std::int64_t time) const { return static_cast<double>(time - start_) * frames_a_tick_; }

  const double rate_, frames_a_tick_;
  std::int64_t start_ = 0, end_ = 0, shown_ = 0, repeated_ = 0, left_out_ = 0;
  double moved_ = 0;  // frames by which what follows comes earlier, as times jumped
  bool jumped_ = false, last_shown_ = true;
};

}  // namespace convoscope
