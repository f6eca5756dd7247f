#pragma once
// The pictures that are at hand to be shown: one of each pane, and behind them, while its key is held and no pane shows
// it anyway, the unfiltered source. `flick`: what a key shows while it is held, as Momentary::flick_pane.
#include <algorithm>

#include "app/state/difference.h"
#include "app/state/momentary.h"
#include "app/state/settings.h"

namespace convoscope {

// Where the unfiltered picture is among the pictures while its key is held: a pane's position, else the number of
// panes. −1: the key is not held.
inline int source_position(const Settings& settings, int flick) {
  if (flick != flick_source) return -1;
  const auto found = std::ranges::find(settings.group().panes, "source", &PaneSettings::strategy);
  return static_cast<int>(found - settings.group().panes.begin());
}

inline bool shows_source_behind_panes(const Settings& settings, int flick) {
  return source_position(settings, flick) == static_cast<int>(settings.group().panes.size());
}

// Whether the view that is shown has this pane in it, be it in turn with others.
inline bool is_seen(const Settings& settings, View shown, int pane, int flick) {
  const int count = static_cast<int>(settings.group().panes.size());
  if (shown == View::single) {
    const int source = source_position(settings, flick);
    const int alone = flick >= 0 ? flick : source < count ? source : -1;
    return pane == (alone >= 0 ? alone : settings.group().active_pane);
  }
  if (shown != View::difference || count < 2) return true;
  const ComparedPanes compared = compared_panes(settings.difference, count);
  return pane == compared.first || pane == compared.second;
}

// The pane whose pixel is explained: the active one, but in the difference of the source and a filtered pane the
// filtered one, where there is something to explain.
inline int explained_pane(const Settings& settings) {
  const auto is_filtered = [&](int position) {
    return position >= 0 && position < static_cast<int>(settings.group().panes.size()) &&
           settings.group().panes[static_cast<std::size_t>(position)].strategy != "source";
  };
  if (settings.group().view != View::difference || is_filtered(settings.group().active_pane))
    return settings.group().active_pane;
  for (const int position : {settings.difference.first, settings.difference.second})
    if (is_filtered(position)) return position;
  return settings.group().active_pane;
}

}  // namespace convoscope
