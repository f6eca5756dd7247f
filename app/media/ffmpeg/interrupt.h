#pragma once
// How the player's owner stops what its decoder thread is in the middle of. FFmpeg asks from its own threads too.
#include <atomic>
#include <chrono>
#include <cstdint>

namespace convoscope {

struct Interrupt {
  std::atomic<bool> stop{false};          // the player is being destroyed
  std::atomic<bool> superseded{false};    // a newer seek waits: give up the one in progress
  std::atomic<std::int64_t> deadline{0};  // steady milliseconds after which blocking I/O gives up; 0: none

  static std::int64_t now() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
  }
  bool abandon_seek() const { return stop || superseded; }
};

// For AVIOInterruptCB; opaque is an Interrupt.
inline int interrupted(void* opaque) {
  const auto* interrupt = static_cast<const Interrupt*>(opaque);
  const std::int64_t deadline = interrupt->deadline;
  return interrupt->stop || (deadline > 0 && Interrupt::now() > deadline);
}

}  // namespace convoscope
