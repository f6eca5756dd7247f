#pragma once
// Bytes are written by a thread of its own while the next ones are made, in two buffers that take turns: copying
// pictures to where the system keeps them takes as long as filtering them.
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace convoscope {

// All calls from one thread.
class WriteBehind {
 public:
  // An open file, which outlives the object; bytes of a buffer; when its reader is no longer waited for, asked from the
  // thread: see write_all_until().
  WriteBehind(int file, std::size_t bytes, std::function<bool()> stopped);
  WriteBehind(const WriteBehind&) = delete;
  WriteBehind& operator=(const WriteBehind&) = delete;

  std::uint8_t* buffer() { return buffers_[filling_].data(); }  // to be filled, as a whole, before each send()
  // The buffer is on its way when the one before has been written, for which this waits. 0, or the errno of a write
  // that has failed: nothing is written any more.
  int send();
  int finish();  // waits until all is written

 private:
  void run(const std::stop_token&);

  const int file_;
  const std::function<bool()> stopped_;
  std::vector<std::uint8_t> buffers_[2];
  int filling_ = 0;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool on_its_way_ = false;  // the buffer that is not being filled
  int problem_ = 0;
  std::jthread thread_;  // last: it uses all of the above; before they go, it writes what was sent and is joined
};

}  // namespace convoscope
