#include "app/files/slow_finish.h"

#include <system_error>

#include "app/files/log.h"

namespace convoscope {

SlowFinish::SlowFinish(const std::string& file, std::chrono::milliseconds moment) {
  try {
    thread_ = std::jthread([this, file, moment](const std::stop_token& stop) {
      std::unique_lock lock(mutex_);
      ended_.wait_for(lock, stop, moment, [] { return false; });
      if (stop.stop_requested()) return;
      log::say(log::Level::information,
               file + " is still being finished: its last pictures are being written. The program ends after that.");
    });
  } catch (const std::system_error&) {  // no more threads: the file matters more than the word
  }
}

}  // namespace convoscope
