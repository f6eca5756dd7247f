#pragma once
// Which frame is shown when: a file's packets read once in the background by a second demuxer, so that frames have
// exact numbers and any of them can be found.
#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "app/media/ffmpeg/interrupt.h"
#include "app/state/settings.h"

namespace convoscope {

class FrameIndex {
 public:
  explicit FrameIndex(const SourceSettings&);  // starts reading
  ~FrameIndex();                               // stops it
  FrameIndex(const FrameIndex&) = delete;
  FrameIndex& operator=(const FrameIndex&) = delete;

  bool ready() const { return ready_.load(std::memory_order_acquire); }
  // Until ready, `milliseconds` have passed, or the interrupt asks to abandon; ready().
  bool wait(const Interrupt&, std::int64_t milliseconds) const;

  // All below: once ready().
  bool timed() const { return timed_; }  // false: packets without times; frames can only be counted
  std::int64_t frames() const { return static_cast<std::int64_t>(times_.size()); }
  std::int64_t packets() const { return packets_; }  // read, also those that are not shown
  std::int64_t time(std::int64_t number) const { return times_[static_cast<std::size_t>(number)]; }
  std::int64_t number(std::int64_t time) const;  // of the frame shown at that time; 0 before the first
  // Where to begin to decode the frame of that time: of the last key frame at or before it, or `earlier` ones before
  // that. Empty when there is none.
  struct Key {
    std::int64_t time, decoding_time;
  };
  std::optional<Key> key(std::int64_t time, int earlier) const;

 private:
  void read(const SourceSettings&);
  Interrupt interrupt_;
  std::atomic<bool> ready_{false};
  bool timed_ = true;
  std::int64_t packets_ = 0;
  std::vector<std::int64_t> times_;  // ascending, the stream's units
  std::vector<Key> keys_;            // ascending
  std::jthread thread_;              // last: it uses all of the above, and is joined before they go
};

}  // namespace convoscope
