#pragma once
// A sweep over radius × strategy × size while the window goes on: `convoscope bench` as a process of its own. In one
// process the strategies' constant memory, and a device that a broken kernel has lost, would be shared with the view.
#include <sys/types.h>

#include <string>
#include <vector>

#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope {

// What will be measured: as chosen, else the panes' strategies and the source's size. Fewer than two that can do the
// filter are joined by all others that can, but for plain loops on one core and auto: one line compares nothing.
std::vector<std::string> sweep_strategies(const Settings&, const Stats&);
std::vector<PixelAddress> sweep_picture_sizes(const Settings&, const Stats&);
std::string sweep_filter(const Settings&);  // kind: the active pane's if it has a radius, else a Gaussian
// Why it cannot start with these strategies, a sentence; empty when it can.
std::string why_no_sweep(const Settings&, const Stats&, const std::vector<std::string>& strategies);

// sweep_strategies() for who asks in every frame: found anew when something has changed that they depend on.
class SweepStrategies {
 public:
  const std::vector<std::string>& of(const Settings&, const Stats&);

 private:
  std::string depend_on_;
  std::vector<std::string> found_;
};

// The arguments of bench for what the user chose. Throws Error with a plain sentence when there is nothing to measure.
struct SweepOrder {
  std::vector<std::string> arguments;
  int rows = 0;  // that will come
};
SweepOrder sweep_order(const Settings&, const Stats&);

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
