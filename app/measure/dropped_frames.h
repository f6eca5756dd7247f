#pragma once
// How many frames never came to be seen, of all sources that played one after another.
#include <cstdint>

namespace convoscope {

class DroppedFrames {
 public:
  // From now on the counts are those of another source, which stands at `count`.
  void begin_source(std::int64_t count) { taken_ = count; }
  // What this source has dropped so far; the sum of all of them.
  std::int64_t follow_count(std::int64_t count) {
    total_ += count - taken_;
    taken_ = count;
    return total_;
  }

 private:
  std::int64_t total_ = 0, taken_ = 0;
};

}  // namespace convoscope
