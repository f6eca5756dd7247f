#pragma once
// How often `auto` tries its candidates, and which of them are so near to the best that they go on.
#include <algorithm>
#include <cstddef>
#include <vector>

namespace convoscope::trials {

// Trials of each candidate: the first loads its code and is left out. Six at least tell an interval of the winner's.
// Those near the best go on, in turns, so that clocks, heat and other loads fall on all of them alike. Between those
// that take the same time, launches one after the other decide, as other panes' and a benchmark's follow one another:
// some begin while the one before ends.
struct Patience {
  int first, final, runs;
};
constexpr Patience on_gpu{3, 15, 9}, on_cpu{2, 6, 2};
constexpr int most_repeats = 3;  // on a machine that others use
// More launches tell better what overlaps; longer ones would be felt in the frame that they are tried in.
constexpr int launches_in_a_row(double ms) { return ms < 0.05 ? 12 : 4; }
// Before the first of these that is timed, so that the host, which queues them, is ahead of the device.
constexpr int launches_ahead(double ms) { return launches_in_a_row(ms) / 2; }
static_assert(on_gpu.first <= on_gpu.final && on_cpu.first <= on_cpu.final, "finalists go on, nobody goes back");
// Launches that follow one another overlap where single ones do not: of 0.012 ms and 0.0145 alone the second may win.
constexpr double near_the_best = 1.25, the_same = 1.03, events_tell_ms = 0.004, felt_ms = 1;

// Whether single launches of so many milliseconds take the same time.
inline bool too_near(double one, double best) { return one <= std::max(the_same * best, best + events_tell_ms); }
inline bool is_near(double one, double best) { return one <= near_the_best * best || too_near(one, best); }

inline double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace convoscope::trials
