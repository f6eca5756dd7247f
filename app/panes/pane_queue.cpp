#include "app/panes/pane_queue.h"

#include <algorithm>
#include <utility>

#include "app/panes/overtaking.h"

namespace convoscope {
namespace {

bool is_too_long_unseen(const PaneRunner& pane) {
  return pane.expected_seconds() >= std::chrono::duration<double>(unseen_pane_patience).count();
}

// Quick ones in the order in which they are.
bool comes_before(const PaneRunner* a, const PaneRunner* b) {
  return is_slow(b) && (!is_slow(a) || a->expected_seconds() < b->expected_seconds());
}

}  // namespace

void PaneQueue::add(const PaneTurn& turn) {
  next_.all_made &= turn.is_made;
  (turn.is_seen ? next_.panes : is_too_long_unseen(turn.pane) ? slow_unseen_ : unseen_).push_back(&turn.pane);
}

PaneQueue::Order PaneQueue::take_order(bool unhurried) {
  std::ranges::stable_sort(next_.panes, comes_before);
  next_.seen = next_.panes.size();
  next_.panes.insert(next_.panes.end(), unseen_.begin(), unseen_.end());
  if (next_.panes.empty() && unhurried) next_.panes.swap(slow_unseen_);
  unseen_.clear();
  slow_unseen_.clear();
  return std::exchange(next_, {});
}

}  // namespace convoscope
