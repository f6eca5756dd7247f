#pragma once
// How far a file that is made frame by frame has come.
#include <chrono>
#include <cstdint>

namespace convoscope {

// On standard error: a bar on a terminal, else a line each few seconds.
class FrameProgress {
 public:
  static bool has_terminal();
  void show(std::int64_t frames, std::int64_t expected);  // expected 0: nobody knows
  void clear();                                           // before anything else is printed
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count(); }

 private:
  const bool terminal_ = has_terminal();
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point shown_at_ = started_;
};

}  // namespace convoscope
