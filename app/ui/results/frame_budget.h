#pragma once
// Where the time of a frame went: its stages, waiting, and what neither accounts for.
#include <algorithm>

#include "app/state/stats.h"

namespace convoscope::ui {

struct FrameBudget {
  double used = 0, waiting = 0, not_measured = 0;  // milliseconds; what is not measured is used
};

// What the stages do while the window waits is theirs.
inline FrameBudget frame_budget(double stages, const StageTimes& times) {
  const double left = std::max(times.frame.median() - stages, 0.0);
  const double waiting = std::min(times.waiting.median(), left);
  return {stages + left - waiting, waiting, left - waiting};
}

}  // namespace convoscope::ui
