#pragma once
// Which frame a picture is of, and how far that is from another one where they can be counted.
#include <cstdint>

namespace convoscope {

// `source`: another one for each source. `course`: another one after each jump, be it a seek or the next round of a
// loop: how many frames lie between those of different courses says nothing about who lags.
struct FramePlace {
  std::int64_t number = 0;  // in its source
  int course = 0, source = 0;
  bool operator==(const FramePlace&) const = default;
};

// How many frames the picture is behind the newest; below 0: older by what cannot be counted.
inline std::int64_t frames_behind(const FramePlace& picture, const FramePlace& newest) {
  if (picture.source == newest.source && picture.number == newest.number) return 0;
  return picture.course == newest.course && picture.number < newest.number ? newest.number - picture.number : -1;
}

}  // namespace convoscope
