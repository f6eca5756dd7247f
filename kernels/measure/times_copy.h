#pragma once
#include <optional>

namespace convoscope {

// How many copies of the same frame a time is. A filter reads and writes what a copy does: less than one means that the
// copy was disturbed, and says nothing. A little of that is the spread of both.
inline std::optional<double> times_copy(double milliseconds, double copy_milliseconds) {
  constexpr double least = 0.95;
  if (!(copy_milliseconds > 0) || !(milliseconds >= least * copy_milliseconds)) return std::nullopt;
  return milliseconds / copy_milliseconds;
}

}  // namespace convoscope
