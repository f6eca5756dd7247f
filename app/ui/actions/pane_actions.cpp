#include "app/ui/actions/pane_actions.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

#include "app/panes/split_lines.h"
#include "app/state/difference.h"
#include "app/ui/actions/strategy_actions.h"
#include "app/ui/memory/ui_state.h"

namespace convoscope::ui {
namespace {

int count_of(const Settings& settings) { return static_cast<int>(settings.group().panes.size()); }

// `order`: for each new position the old one, −1 for a pane that is new.
void rearrange(Settings& settings, const std::vector<int>& order) {
  std::vector<PaneSettings> panes;
  for (const int old : order)
    panes.push_back(old >= 0 ? settings.group().panes[static_cast<std::size_t>(old)] : PaneSettings{});
  const auto follow = [&](int& position) {
    const auto found = std::find(order.begin(), order.end(), position);
    position = found != order.end() ? static_cast<int>(found - order.begin())
                                    : std::clamp(position, 0, static_cast<int>(order.size()) - 1);
  };
  settings.group().panes = std::move(panes);
  for (int* position : {&settings.group().active_pane, &settings.difference.first, &settings.difference.second,
                        &settings.group().baseline_pane})
    follow(*position);
  if (int& flick = momentary().flick_pane; flick >= 0) follow(flick);
}

std::vector<int> order_now(const Settings& settings) {
  std::vector<int> order(settings.group().panes.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

void take_away(Settings& settings, int position) {
  std::vector<int> order = order_now(settings);
  order.erase(order.begin() + position);
  rearrange(settings, order);
  if (settings.group().panes.size() == 1) settings.group().view = View::single;
}

void remember(PaneStep::What what, const Settings& settings, int position) {
  UiState& state = ui_state();
  const PaneSettings& pane = settings.group().panes[static_cast<std::size_t>(position)];
  const DifferenceSettings& difference = settings.difference;
  state.pane_steps.push_back(
      {what, pane, position, settings.group().view, difference.first, difference.second, ++state.turns});
  state.undone_pane_steps.clear();
}

void link_pane(Settings& settings, PaneSettings& pane) {
  pane.linked = true;
  for (const PaneSettings& other : settings.group().panes) {
    if (!other.linked || &other == &pane) continue;
    pane.filter = other.filter;
    pane.border = other.border;
    pane.frames = other.frames;
    return;
  }
}

// A closed one is back at its place, one that was linked has the filter that it had.
void take_step_back(const PaneStep& step, Settings& settings) {
  if (step.what == PaneStep::What::closed) {
    if (settings.group().panes.size() >= max_panes) return;
    const int at = std::min(step.position, count_of(settings));
    const bool had_pair =
        settings.difference.first == step.first_after && settings.difference.second == step.second_after;
    std::vector<int> order = order_now(settings);
    order.insert(order.begin() + at, -1);
    rearrange(settings, order);
    PaneSettings& pane = settings.group().panes[static_cast<std::size_t>(at)];
    pane = step.pane;
    if (pane.linked) link_pane(settings, pane);
    settings.group().active_pane = at;
    if (settings.group().view != step.view_after) return;
    settings.group().view = step.view;
    if (had_pair && std::max(step.first, step.second) < count_of(settings))
      std::tie(settings.difference.first, settings.difference.second) = std::pair(step.first, step.second);
    return;
  }
  const auto pane = std::ranges::find(settings.group().panes, step.pane.id, &PaneSettings::id);
  if (pane == settings.group().panes.end()) return;
  settings.group().active_pane = static_cast<int>(pane - settings.group().panes.begin());
  pane->linked = false;
  pane->filter = step.pane.filter;
  pane->border = step.pane.border;
  pane->frames = step.pane.frames;
}

void step_again(const PaneStep& step, Settings& settings) {
  const auto pane = std::ranges::find(settings.group().panes, step.pane.id, &PaneSettings::id);
  if (pane == settings.group().panes.end()) return;
  if (step.what == PaneStep::What::linked) return link_pane(settings, *pane);
  if (settings.group().panes.size() > 1) take_away(settings, static_cast<int>(pane - settings.group().panes.begin()));
}

std::string pane_step_text(const PaneStep& step) {
  return std::string(step.what == PaneStep::What::closed ? "closing" : "linking") + " pane " +
         std::to_string(step.position + 1) + ".";
}

// Takes the nearest step of one history to the other; says which.
std::string turn_step(std::vector<PaneStep>& from, std::vector<PaneStep>& to, void (*apply)(const PaneStep&, Settings&),
                      Settings& settings) {
  PaneStep step = std::move(from.back());
  from.pop_back();
  apply(step, settings);
  step.turn = ++ui_state().turns;
  to.push_back(std::move(step));
  return pane_step_text(to.back());
}

}  // namespace

std::string undo_pane_step(Settings& settings) {
  UiState& state = ui_state();
  return "Undone: " + turn_step(state.pane_steps, state.undone_pane_steps, take_step_back, settings);
}

std::string redo_pane_step(Settings& settings) {
  UiState& state = ui_state();
  return "Redone: " + turn_step(state.undone_pane_steps, state.pane_steps, step_again, settings);
}

void add_pane(const Stats& stats, Settings& settings) {
  if (settings.group().panes.size() >= max_panes) return;
  PaneSettings copy = settings.active();
  copy.id = 0;
  copy.card = {};
  const int at = settings.group().active_pane + 1;
  std::vector<int> order = order_now(settings);
  order.insert(order.begin() + at, -1);
  rearrange(settings, order);
  settings.group().panes[static_cast<std::size_t>(at)] = copy;
  if (settings.group().panes.size() == 2) settings.difference.first = 0, settings.difference.second = 1;
  settings.group().active_pane = at;
  choose_strategy_to_compare_with(stats, settings);
  if (settings.group().view == View::single) settings.group().view = View::grid;
  if (settings.group().view == View::difference) compare_active_pane(settings);
}

void close_pane(Settings& settings, int position) {
  if (settings.group().panes.size() <= 1 || position < 0 || position >= count_of(settings)) return;
  remember(PaneStep::What::closed, settings, position);
  take_away(settings, position);
  PaneStep& step = ui_state().pane_steps.back();
  step.view_after = settings.group().view;
  step.first_after = settings.difference.first, step.second_after = settings.difference.second;
}

void move_pane(Settings& settings, int from, int to) {
  const int count = count_of(settings);
  if (from < 0 || from >= count || to < 0 || to >= count || from == to) return;
  std::vector<int> order = order_now(settings);
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  rearrange(settings, order);
}

void swap_panes(Settings& settings, int a, int b) {
  const int count = count_of(settings);
  if (a < 0 || a >= count || b < 0 || b >= count || a == b) return;
  std::vector<int> order = order_now(settings);
  std::swap(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]);
  rearrange(settings, order);
}

void toggle_link(Settings& settings, int position) {
  if (position < 0 || position >= count_of(settings)) return;
  PaneSettings& pane = settings.group().panes[static_cast<std::size_t>(position)];
  if (!pane.linked) {
    remember(PaneStep::What::linked, settings, position);
    return link_pane(settings, pane);
  }
  pane.linked = false;  // from here on it has its own
  UiState& state = ui_state();
  state.histories[pane.id] = state.histories[UiState::linked_panes];
}

void spread_links(Settings& settings) {
  const PaneSettings& active = settings.active();
  if (!active.linked) return;
  for (PaneSettings& pane : settings.group().panes) {
    if (!pane.linked || &pane == &active) continue;
    pane.border = active.border;
    pane.frames = active.frames;
    if (!(pane.filter.filter == active.filter.filter) || pane.filter.kind != active.filter.kind ||
        pane.filter.values != active.filter.values)
      pane.filter = active.filter;
  }
}

void compare_active_pane(Settings& settings) {
  const ComparedPanes compared = compared_panes(settings.difference, count_of(settings));
  if (compared.first == settings.group().active_pane || compared.second == settings.group().active_pane) return;
  settings.difference.first = compared.first;
  settings.difference.second = settings.group().active_pane;
}

void show_view(Settings& settings, View view) {
  if (view == View::difference && settings.group().view != view) compare_active_pane(settings);
  settings.group().view = view;
}

const PaneStats* stats_of(const Stats& stats, const PaneSettings& pane) {
  const auto found = std::ranges::find_if(stats.panes, [&](const PaneStats& row) { return row.id == pane.id; });
  return found == stats.panes.end() ? nullptr : &*found;
}

void set_split_lines_apart(Settings& settings) {
  const int panes = count_of(settings);
  SplitSettings& split = settings.split;
  if (static_cast<int>(split.lines.size()) == panes - 1) return;
  split.lines.clear();
  for (int k = 1; k < panes; ++k) split.lines.push_back(static_cast<double>(k) / panes);
}

void turn_split(Settings& settings, double degrees) {
  double& angle = settings.split.angle;
  angle = std::remainder(angle + degrees, 360.0);
  if (settings.group().panes.size() > 1) settings.group().view = View::split;
}

void shift_split(Settings& settings, double by) {
  set_split_lines_apart(settings);
  for (double& line : settings.split.lines) line = std::clamp(line + by, 0.0, 1.0);
  if (settings.group().panes.size() > 1) settings.group().view = View::split;
}

void compare_with(Settings& settings, int position) {
  if (position < 0 || position >= count_of(settings) || position == settings.group().active_pane) return;
  // In the panes' order, whichever of them is active.
  std::tie(settings.difference.first, settings.difference.second) = std::minmax(settings.group().active_pane, position);
  settings.group().view = View::difference;
}

const PaneStats* active_stats(const Stats& stats, const Settings& settings) {
  return stats_of(stats, settings.active());
}

}  // namespace convoscope::ui
