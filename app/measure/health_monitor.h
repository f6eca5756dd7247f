#pragma once
// Watches the device while it is timed: twice a second, on a thread of its own.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "app/measure/nvml.h"
#include "app/state/stats.h"

namespace convoscope {

// Whether a clock moved by more than 5 % of its highest among the samples of the last `seconds`.
class ClockHistory {
 public:
  void add(double now, int sm_mhz, int memory_mhz);
  bool moved(double now, double seconds) const;
  void forget_before(double time);

 private:
  struct At {
    double time;
    int sm, memory;
  };
  std::deque<At> samples_;
};

class HealthMonitor {
 public:
  // Returns at once. Where there is nothing to watch, read() says so.
  explicit HealthMonitor(const Device&, const char* library = "libnvidia-ml.so.1", double seconds_between = 0.5);
  HealthMonitor(const HealthMonitor&) = delete;
  HealthMonitor& operator=(const HealthMonitor&) = delete;

  // The newest sample; clocks_moved looks at the last `window_seconds`, but not before the last reset(). Any thread.
  void read(DeviceHealth&, double window_seconds) const;
  void reset();  // the statistics begin anew

 private:
  void watch(std::stop_token, std::string pci_bus_id, std::string library);

  const double seconds_between_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  DeviceHealth health_;
  ClockHistory clocks_;
  std::jthread thread_;  // last: it uses all of the above, and is stopped and joined before them
};

}  // namespace convoscope
