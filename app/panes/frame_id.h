#pragma once
// Which frame a picture is of, and how far that is from another one where they can be counted.
#include <compare>
#include <cstdint>

namespace convoscope {

// `source`: another one for each source. `course`: another one after each jump, be it to another source, a seek or the
// next round of a loop: how many frames lie between those of different courses says nothing about who lags.
struct FrameId {
  std::int64_t number = 0;  // in its source
  int course = 0, source = 0;
  bool operator==(const FrameId&) const = default;
  // As they came, oldest first: courses follow each other, and in one of them numbers never fall.
  std::strong_ordering operator<=>(const FrameId& other) const {
    return course != other.course ? course <=> other.course : number <=> other.number;
  }
};

// How many frames the picture is behind the newest; below 0: older by what cannot be counted.
inline std::int64_t frames_behind(const FrameId& picture, const FrameId& newest) {
  if (picture.source == newest.source && picture.number == newest.number) return 0;
  return picture.course == newest.course && picture.number < newest.number ? newest.number - picture.number : -1;
}

}  // namespace convoscope
