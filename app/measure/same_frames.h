#pragma once
// The steps of a frame and the frame itself are told by their medians: these have to be of the same frames. When the
// panes' times begin anew, after a change, so do those of the steps.
#include <algorithm>
#include <utility>
#include <vector>

#include "app/state/stats.h"

namespace convoscope {

class SameFrames {
 public:
  // Once a frame, after the panes' times were collected. Whether the times that arrive now are of such frames: those of
  // the device arrive some frames late.
  bool begin(const std::vector<PaneStats>& panes, StepTimes& steps) {
    const auto is_known = [](const std::pair<int, int>& known, const PaneStats& pane) {
      return known.first == pane.id && known.second == pane.kernel.generation();
    };
    if (!std::ranges::equal(panes_, panes, is_known)) {
      panes_.clear();
      for (const PaneStats& pane : panes) panes_.emplace_back(pane.id, pane.kernel.generation());
      if (steps.frame.count() > 0) on_their_way_ = most_on_their_way;
      for (RollingTimes* const times : steps.all())
        if (times != &steps.decode) times->clear();  // ahead of the frames, on a thread of its own
    }
    if (on_their_way_ == 0) return true;
    --on_their_way_;
    return false;
  }
  // The frame at hand is none of them, and none of theirs is lost for it.
  void leave_out() { on_their_way_ = most_on_their_way; }

 private:
  static constexpr int most_on_their_way = 4;
  std::vector<std::pair<int, int>> panes_;  // id and generation of their times
  int on_their_way_ = 0;
};

}  // namespace convoscope
