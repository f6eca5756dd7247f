#pragma once
// The panes that are there, in the order of the settings.
#include <algorithm>
#include <memory>
#include <vector>

#include "app/panes/pane_runner.h"

namespace convoscope {

struct IdentifiedPane {
  int id;  // PaneSettings::id, which stays while its position changes
  std::unique_ptr<PaneRunner> runner;
};
using PaneList = std::vector<IdentifiedPane>;

inline PaneRunner& pane_at(const PaneList& panes, int position) {
  return *panes[static_cast<std::size_t>(position)].runner;
}
inline bool any_has_failed(const PaneList& panes) {  // see PaneRunner::has_failed()
  return std::ranges::any_of(panes, [](const IdentifiedPane& each) { return each.runner->has_failed(); });
}

}  // namespace convoscope
