#include "app/ui/strategy_actions.h"

#include <algorithm>

#include "app/ui/ui_state.h"

namespace convoscope::ui {
namespace {

bool is_current(const UiState::Fitness& f, const Stats& stats, const Settings& settings) {
  const PaneSettings& pane = settings.active();
  return f.valid && f.width == stats.source.width && f.height == stats.source.height && f.format == settings.format &&
         f.border == pane.border && f.device == stats.device.name && f.reasons.size() == stats.ladder.size() &&
         f.filter == pane.filter.filter;
}

std::string reason(const StrategyRow& row, const Problem& problem, const Stats& stats) {
  if (!row.available) return row.reason.empty() ? "It is not available here." : row.reason;
  if (!row.strategy || !row.strategy->unsupported) return {};
  const bool on_device = stats.device.backend != Backend::cpu && row.backend != Backend::cpu;
  return row.strategy->unsupported(problem, on_device ? stats.device : Device{}, {});
}

}  // namespace

const StrategyRow* find_row(const Stats& stats, std::string_view id) {
  const StrategyRow* found = nullptr;
  for (const StrategyRow& row : stats.ladder) {
    if (!row.strategy || row.strategy->id != id) continue;
    if (row.available) return &row;
    if (!found) found = &row;
  }
  return found;
}

const std::string& why_unfit(std::size_t row, const Stats& stats, const Settings& settings) {
  UiState::Fitness& fitness = ui_state().fitness;
  if (!is_current(fitness, stats, settings)) {
    const PaneSettings& pane = settings.active();
    fitness = {true,
               pane.filter.filter,
               stats.source.width,
               stats.source.height,
               settings.format,
               pane.border,
               stats.device.name,
               {}};
    // Before a frame has arrived any size will do to say what a strategy can.
    const Problem problem{std::max(stats.source.width, 1), std::max(stats.source.height, 1), settings.format,
                          pane.border, pane.filter.filter};
    for (const StrategyRow& each : stats.ladder) fitness.reasons.push_back(reason(each, problem, stats));
  }
  return fitness.reasons[row];
}

void choose_strategy(PaneSettings& pane, std::string_view id) {
  if (pane.strategy == id) return;
  pane.strategy = id;
  pane.tuning.clear();
}

void choose_next_strategy(const Stats& stats, Settings& settings, int direction) {
  const int count = static_cast<int>(stats.ladder.size());
  int at = direction > 0 ? -1 : count;
  for (int i = 0; i < count; ++i)
    if (const StrategyRow& row = stats.ladder[static_cast<std::size_t>(i)];
        row.strategy && row.strategy->id == settings.active().strategy)
      at = i;
  for (int tried = 0; tried < count; ++tried) {
    at = (at + direction + count) % count;
    const auto row = static_cast<std::size_t>(at);
    if (!stats.ladder[row].strategy || !why_unfit(row, stats, settings).empty()) continue;
    choose_strategy(settings.active(), stats.ladder[row].strategy->id);
    return;
  }
}

void toggle_source(Settings& settings) {
  PaneSettings& active = settings.active();
  std::string& before = ui_state().strategy_before_source[active.id];
  if (active.strategy != "source") {
    before = active.strategy;
    active.strategy = "source";
  } else {
    active.strategy = before.empty() ? PaneSettings{}.strategy : before;
  }
}

void step_tunable(const Stats& stats, PaneSettings& pane, std::size_t index, int direction) {
  const StrategyRow* const row = find_row(stats, pane.strategy);
  if (!row || index >= row->strategy->tunables.size()) return;
  const Tunable& tunable = row->strategy->tunables[index];
  if (tunable.values.empty()) return;
  const auto chosen = pane.tuning.find(tunable.id);
  const int value = chosen == pane.tuning.end() ? tunable.initial : chosen->second;
  auto at = std::ranges::find(tunable.values, value) - tunable.values.begin();
  const auto count = static_cast<std::ptrdiff_t>(tunable.values.size());
  at = at == count ? 0 : std::clamp<std::ptrdiff_t>(at + direction, 0, count - 1);
  pane.tuning[std::string(tunable.id)] = tunable.values[static_cast<std::size_t>(at)];
}

}  // namespace convoscope::ui
