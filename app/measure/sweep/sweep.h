#pragma once
// A sweep while the window goes on: `convoscope bench` as a process of its own. In one process the strategies' constant
// memory, and a device that a broken kernel has lost, would be shared with the view.
#include <sys/types.h>

#include <string>
#include <vector>

#include "app/measure/sweep/sweep_plan.h"
#include "app/state/stats.h"

namespace convoscope {

// From the thread that made it; nothing waits but the destructor, which ends a running measurement.
class Sweep {
 public:
  Sweep() = default;
  ~Sweep();
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  void start(const SweepOrder&, SweepStats&, const std::string& program = "/proc/self/exe");  // throws Error
  void cancel();                                                                              // what came so far stays
  bool running() const { return process_ > 0; }
  bool measuring() const { return running() && measuring_; }  // a point, right now
  // Reads what has come. A sentence when it has ended: how.
  std::string poll(SweepStats&);
  bool failed() const { return failed_; }  // the last one, once poll() has told its end

  // One JSON object each, as bench writes them: the device, and the rows measured or not.
  const std::string& device_line() const { return device_; }
  const std::vector<std::string>& row_lines() const { return rows_; }

 private:
  void take_line(const std::string&, SweepStats&);
  void take_progress(const std::string&, SweepStats&);
  std::string end_of(int status, SweepStats&);

  pid_t process_ = -1;
  int rows_pipe_ = -1, progress_pipe_ = -1;
  std::string half_row_, half_progress_;  // lines that have not come to their end
  std::string device_, last_words_;
  std::vector<std::string> rows_;
  bool measuring_ = false, cancelled_ = false, failed_ = false;
};

}  // namespace convoscope
