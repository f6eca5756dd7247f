#pragma once
// How much freed memory malloc keeps for later.
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

namespace convoscope {

// Once, in main(), before there are threads. By itself glibc has a heap for every thread, up to eight a core, and takes
// from them even blocks of megabytes once a block of that size was freed. Of threads that come and go, as decoders and
// encoders do, each heap keeps some: videos opened and recorded twenty times left 270 MB for 2 MB in use with sixteen
// threads each, and with these bounds 30 to 90 MB at the same speed; a raw frame of 12 MB costs its reader 3 ms more.
inline constexpr int most_heaps = 8, smallest_block_of_its_own = 1 << 20;
void bound_heaps();

// Gives what lies free between the blocks in use back to the system, from a thread of its own, until it is destroyed:
// glibc gives back the end of a heap alone, and after half an hour of changing sources 180 of 295 MB lay free. To give
// back 300 MB of eight heaps took 40 to 90 ms, in which each heap is closed for its share: it is done before there is
// much, and not for little.
class HeapTrimmer {
 public:
  static constexpr std::size_t least_worth_it = 32 << 20;  // bytes
  explicit HeapTrimmer(std::chrono::milliseconds between = std::chrono::seconds(20));

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: it uses the others, and is stopped and joined before them
};

}  // namespace convoscope
