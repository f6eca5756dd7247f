#pragma once
// The pictures that are at hand to be shown: one of each pane, and behind them, while its key is held and no pane shows
// it anyway, the unfiltered source.
#include <algorithm>

#include "app/state/settings.h"

namespace convoscope {

// Where the unfiltered picture is among the pictures while its key is held: a pane's position, else the number of
// panes. −1: the key is not held.
inline int source_position(const Settings& settings) {
  if (settings.flick_pane != flick_source) return -1;
  const auto found = std::ranges::find(settings.panes, "source", &PaneSettings::strategy);
  return static_cast<int>(found - settings.panes.begin());
}

inline bool shows_source_behind_panes(const Settings& settings) {
  return source_position(settings) == static_cast<int>(settings.panes.size());
}

}  // namespace convoscope
