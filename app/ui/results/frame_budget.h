#pragma once
// Where the time of a frame went: its steps, waiting, and what neither accounts for.
#include <algorithm>

#include "app/state/stats.h"

namespace convoscope::ui {

struct FrameBudget {
  double used = 0, waiting = 0, not_measured = 0;  // milliseconds; what is not measured is used
};

// What the steps do while the window waits is theirs.
inline FrameBudget frame_budget(double steps, const StepTimes& times) {
  const double left = std::max(times.frame.median() - steps, 0.0);
  const double waiting = std::min(times.waiting.median(), left);
  return {steps + left - waiting, waiting, left - waiting};
}

}  // namespace convoscope::ui
