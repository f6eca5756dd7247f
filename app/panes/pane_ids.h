#pragma once
// Names for panes: what belongs to a pane (its runner, times, history) goes by its id, for its position may change.
#include <algorithm>
#include <vector>

#include "app/state/settings.h"

namespace convoscope {

// Gives an id to every pane that has none, or that was copied with another's. Ids are positive and never used twice
// while a pane with a higher one is there.
inline void name_panes(std::vector<PaneSettings>& panes) {
  int last = 0;
  for (const PaneSettings& pane : panes) last = std::max(last, pane.id);
  for (auto pane = panes.begin(); pane != panes.end(); ++pane) {
    const bool taken =
        std::any_of(panes.begin(), pane, [&](const PaneSettings& other) { return other.id == pane->id; });
    if (pane->id <= 0 || taken) pane->id = ++last;
  }
}

}  // namespace convoscope
