#include "app/panes/pane_request.h"

#include <tuple>

namespace convoscope {
namespace {

bool have_same_reach(const Work& a, const Work& b) { return !over_frames(a) || a.reach == b.reach; }

bool have_same_bank(const Work& a, const Work& b) {
  return !has_bank(a) || (*a.layer == *b.layer && *a.wall == *b.wall);
}

auto filtered_with(const PaneSettings& pane) {
  return std::tie(pane.border, pane.precision, pane.filter.filter, pane.frames);
}

auto filtered_by(const PaneSettings& pane) { return std::tie(pane.strategy, pane.tuning, pane.layers); }

}  // namespace

bool operator==(const PaneRequest& a, const PaneRequest& b) {
  return differ_in_problem_only(a, b) && filtered_with(*a.pane) == filtered_with(*b.pane) &&
         have_same_bank(a.work, b.work);
}

bool differ_in_problem_only(const PaneRequest& a, const PaneRequest& b) {
  return a.shape == b.shape && a.work.kind == b.work.kind && have_same_reach(a.work, b.work) &&
         filtered_by(*a.pane) == filtered_by(*b.pane);
}

KeptRequest::KeptRequest(const PaneRequest& asked)
    : pane_(*asked.pane), kind_(asked.work.kind), reach_(asked.work.reach), shape_(asked.shape) {
  if (!has_bank(asked.work)) return;
  layer_ = *asked.work.layer;
  wall_ = *asked.work.wall;
}

}  // namespace convoscope
