#pragma once
// Threads that are stuck in the system when their owner goes: a decoder that waits for a name to be resolved, or for a
// disk that has gone to sleep, which nothing interrupts.
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace convoscope {

// Made by main, whose last word is leave(). Threads are joined as soon as they are back; while there is no such object,
// their owners wait for them.
class StuckThreads {
 public:
  StuckThreads();
  ~StuckThreads();  // waits for all
  StuckThreads(const StuckThreads&) = delete;
  StuckThreads& operator=(const StuckThreads&) = delete;

  // Takes a thread that sets `finished` as the last thing that it does, and uses nothing but what it owns.
  static void add(std::thread, std::shared_ptr<const std::atomic<bool>> finished);
  bool are_back_within(std::chrono::milliseconds);
  // When all else has ended: the code for main to return. While some are still stuck, and may be for a minute, it ends
  // the program instead, so that nothing is torn down under them.
  int leave(int exit_code);

 private:
  struct Stuck {
    // No longer its starter's, and joined here: once it has set the flag, or by the destructor, which waits for it.
    std::thread thread;
    std::shared_ptr<const std::atomic<bool>> finished;
  };
  void join_finished();  // with the lock held

  std::mutex mutex_;
  std::vector<Stuck> threads_;
};

}  // namespace convoscope
