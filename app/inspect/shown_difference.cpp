#include "app/inspect/shown_difference.h"

#include "app/state/difference.h"
#include "app/ui/ui.h"

namespace convoscope {
namespace {

bool compares_panes(const PaneSet& panes, const Settings& settings) {
  const std::size_t count = settings.group().panes.size();
  return shown_view(settings) == View::difference && count > 1 && static_cast<int>(count) <= panes.size();
}

ComparedPanes compared_of(const Settings& settings) {
  return compared_panes(settings.difference, static_cast<int>(settings.group().panes.size()));
}

}  // namespace

bool ShownDifference::may_stay(PaneSet& panes, const Settings& settings) {
  if (!compares_panes(panes, settings)) return false;
  const auto [first, second] = compared_of(settings);
  return panes.runner(first).on_cores() || panes.runner(second).on_cores();
}

bool ShownDifference::takes(PaneSet& panes, const Settings& settings, int pictures, const Image& shape) {
  if (!compares_panes(panes, settings)) {
    there_.reset();
    return true;
  }
  const auto [first, second] = compared_of(settings);
  const auto id = [&](int position) { return settings.group().panes[static_cast<std::size_t>(position)].id; };
  const Pictures now{id(first), id(second), first, second, pictures, shape.width, shape.height, shape.format};
  // What does not run shows the source.
  const bool both_run = panes.runner(first).why_not().empty() && panes.runner(second).why_not().empty();
  if (both_run && panes.show_one_frame(first, second)) {
    there_ = now;
    return true;
  }
  if (both_run && there_ == now && may_stay(panes, settings)) return false;
  there_.reset();
  return true;
}

}  // namespace convoscope
