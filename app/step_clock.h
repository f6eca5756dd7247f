#pragma once
// Says, with --verbose, where the time of an unusually slow frame went, and which frames were never shown: with it a
// dropped frame can be traced to the step, or to the decoder, that was late.
#include <array>
#include <chrono>
#include <cstdint>
#include <string>

namespace convoscope {

class StepClock {
 public:
  void begin_frame() {
    used_ = 0;
    last_ = Clock::now();
  }
  // The time since the last call belongs to the step `name`, which must outlive the frame. Milliseconds.
  double passed(const char* name) {
    const Clock::time_point now = Clock::now();
    const double milliseconds = std::chrono::duration<double, std::milli>(now - last_).count();
    if (used_ < steps_.size()) steps_[used_++] = {name, milliseconds};
    last_ = now;
    return milliseconds;
  }
  // What is done while the result lives belongs to the step.
  [[nodiscard]] auto timed(const char* name) {
    struct Timed {
      StepClock& clock;
      const char* name;
      ~Timed() { clock.passed(name); }
    };
    return Timed{*this, name};
  }
  // Logs a frame whose steps, all but waiting for the next frame to fall due, took longer than `expected_ms`, and
  // frames that were dropped since the last call.
  void report(std::int64_t frames_shown, std::int64_t frames_dropped, int queue_length, double expected_ms);

 private:
  using Clock = std::chrono::steady_clock;
  struct Step {
    const char* name = "";
    double milliseconds = 0;
  };
  std::array<Step, 12> steps_;
  std::size_t used_ = 0;
  Clock::time_point last_ = Clock::now();
  std::int64_t dropped_before_ = 0;
};

}  // namespace convoscope
