#pragma once
// Says that a file is still being finished where that takes more than a moment: nothing else happens meanwhile.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace convoscope {

// There while the file is being finished.
class SlowFinish {
 public:
  // `file`: as it begins a sentence, "'out.mkv'".
  explicit SlowFinish(const std::string& file, std::chrono::milliseconds moment = std::chrono::seconds(1));

 private:
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;  // last: it uses all of the above, and is stopped and joined before they go
};

}  // namespace convoscope
