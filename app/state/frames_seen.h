#pragma once
// Of a picture that several frames go into: which.
#include <algorithm>
#include <cstdint>

namespace convoscope {

struct FramesSeen {
  std::int64_t first = 0, middle = 0, last = 0;  // of those that are filtered
  int count = 0;                                 // of them; 0: the picture is of a single frame
  int same = 1;                                  // of the first ones, that are copies of one
  std::int64_t newest = 0;                       // that has gone in, and
  int before = 0;                                // how many before it are kept
  bool whole = true;  // these are the ones before it in the source, as far as there are any and they can be had
};

// How many frames before this one would have to go in so that its picture is made of its true neighbours.
inline int frames_lacking(const FramesSeen& seen, std::int64_t next) {
  if (seen.count == 0 || (seen.whole && (next == seen.newest || next == seen.newest + 1))) return 0;
  return static_cast<int>(std::min<std::int64_t>(seen.before, next));
}

}  // namespace convoscope
