#include "app/ui/actions/strategy_actions.h"

#include <algorithm>
#include <optional>
#include <set>

#include "app/ui/actions/filter_actions.h"
#include "app/ui/actions/pane_actions.h"
#include "app/ui/actions/workbench_actions.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/format.h"
#include "app/ui/parts/key_names.h"

namespace convoscope::ui {
namespace {

bool is_current(const UiState::Fitness& f, const Stats& stats, const Settings& settings) {
  const PaneSettings& pane = settings.active();
  return f.valid && f.workbench == settings.workbench && f.ladder_is_of == stats.ladder_is_of &&
         f.width == stats.source.width && f.height == stats.source.height && f.format == settings.format &&
         f.device == stats.device.name && f.libraries == libraries_opened && f.reasons.size() == stats.ladder.size() &&
         (has_bank(settings) ? f.layer == settings.layer && f.precision == pane.precision
                             : f.border == pane.border && f.frames == pane.frames && f.filter == pane.filter.filter);
}

// `invalid`: why no strategy can; empty where some may.
std::string reason(const StrategyRow& row, const Problem& problem, const std::string& invalid, const Stats& stats) {
  if (row.available && !invalid.empty()) return invalid;
  const bool on_device = stats.device.backend != Backend::cpu && row.backend != Backend::cpu;
  std::string why = why_cannot_run(row, problem, on_device ? stats.device : Device{});
  // The panel shows which filter it is, and may call it by another name.
  const std::string named = "The filter '" + problem.filter.name + "' ";
  if (why.starts_with(named)) why.replace(0, named.size(), "The filter ");
  return capitalised(std::move(why));
}

// Of the chosen one's backend, those that can do the active pane's filter; the chosen one is among them.
std::vector<std::size_t> rows_beside(const StrategyRow* chosen, const Stats& stats, const Settings& settings) {
  const Backend group = chosen && chosen->available ? chosen->backend : stats.device.backend;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < stats.ladder.size(); ++i) {
    const StrategyRow& row = stats.ladder[i];
    if (row.strategy && row.backend == group && (&row == chosen || why_unfit(i, stats, settings).empty()))
      rows.push_back(i);
  }
  return rows;
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

std::string title_here(const Stats& stats, const StrategyRow& row) {
  const bool timed = stats.device.backend != Backend::emulated || row.strategy->backend == Backend::cpu;
  return row.strategy->chooses && !timed ? "Best by the cost model" : std::string(row.strategy->title);
}

bool is_emulated(const Stats& stats, const PaneStats& pane) {
  if (stats.device.backend != Backend::emulated || pane.strategy == "source" || !pane.problem.empty()) return false;
  const StrategyRow* const row = find_row(stats, pane.substitute.empty() ? pane.strategy : pane.substitute);
  return row && row->strategy->backend != Backend::cpu;
}

const std::string& why_unfit(std::size_t row, const Stats& stats, const Settings& settings) {
  UiState::Fitness& fitness = ui_state().fitness;
  if (!is_current(fitness, stats, settings)) {
    const PaneSettings& pane = settings.active();
    fitness = {true,
               settings.workbench,
               stats.ladder_is_of,
               pane.filter.filter,
               has_bank(settings) ? settings.layer : LayerSettings(),
               pane.precision,
               pane.frames,
               stats.source.width,
               stats.source.height,
               settings.format,
               pane.border,
               stats.device.name,
               libraries_opened,
               std::vector<std::string>(stats.ladder.size())};
    // For a frame after the workbench was switched, the rows are still those of another kind.
    const bool of_this_kind = stats.ladder_is_of.empty() || stats.ladder_is_of == settings.workbench;
    const Problem problem = problem_of(pane, stats, settings);
    const std::string invalid = why_invalid(pane, stats, settings);
    for (std::size_t i = 0; of_this_kind && i < stats.ladder.size(); ++i)
      fitness.reasons[i] = reason(stats.ladder[i], problem, invalid, stats);
  }
  return fitness.reasons[row];
}

void choose_strategy(PaneSettings& pane, std::string_view id) {
  if (pane.strategy == id) return;
  pane.strategy = id;
  pane.tuning.clear();
}

void choose_type(PaneSettings& pane, const LayerSettings& layer, Precision type) {
  pane.precision = type;
  if (type == layer.precision) pane.precision.reset();
}

void choose_next_strategy(const Stats& stats, Settings& settings, int direction) {
  const StrategyRow* const chosen = find_row(stats, settings.active().strategy);
  const std::vector<std::size_t> rows = rows_beside(chosen, stats, settings);
  if (rows.empty()) return;
  const auto now = std::ranges::find_if(rows, [&](std::size_t i) { return &stats.ladder[i] == chosen; });
  const auto count = static_cast<std::ptrdiff_t>(rows.size());
  const std::ptrdiff_t at = now != rows.end() ? now - rows.begin() : direction > 0 ? -1 : count;
  const auto next = static_cast<std::size_t>((at + direction + count) % count);
  choose_strategy(settings.active(), stats.ladder[rows[next]].strategy->id);
}

void choose_strategy_to_compare_with(const Stats& stats, Settings& settings) {
  const std::string chosen = settings.active().strategy;
  std::string from = chosen;
  std::set<std::string, std::less<>> shown{PaneSettings{}.strategy};  // `auto` is one of the others
  for (const PaneSettings& pane : settings.group().panes) {
    shown.insert(pane.strategy);
    const PaneStats* const measured = stats_of(stats, pane);
    if (!measured || measured->strategy != pane.strategy) continue;
    shown.insert(measured->runs);
    if (pane.strategy == chosen && !measured->runs.empty()) from = measured->runs;
  }
  std::optional<std::size_t> found;
  bool after = false;
  for (const std::size_t i : rows_beside(find_row(stats, from), stats, settings)) {
    const std::string_view id = stats.ladder[i].strategy->id;
    after |= id == from;
    if (shown.contains(id)) continue;
    found = i;
    if (after) break;
  }
  if (found) {
    choose_strategy(settings.active(), stats.ladder[*found].strategy->id);
    return;
  }
  choose_next_strategy(stats, settings, 1);
  give_feedback("Every strategy that can run here is shown already, so this pane repeats one", stats.now);
}

std::string other_that_runs(const Stats& stats, const PaneSettings& pane) {
  const PaneStats* const measured = stats_of(stats, pane);
  const bool other = measured && measured->strategy == pane.strategy && measured->runs != pane.strategy;
  return other ? measured->runs : std::string();
}

void choose_what_runs(const Stats& stats, PaneSettings& pane) {
  if (const std::string other = other_that_runs(stats, pane); !other.empty()) choose_strategy(pane, other);
}

std::string offer_explained(const PaneSettings& pane, Precision type) {
  return "Computes this pane alone in " + std::string(to_string(type)) + ", so that " + pane.strategy +
         " runs. The other panes stay as they are. The Layer panel has all types.";
}

std::optional<PixelFormat> format_taken(const Stats& stats, const Settings& settings, const PaneSettings& pane) {
  const PaneStats* const measured = stats_of(stats, pane);
  const StrategyRow* const row = find_row(stats, pane.strategy);
  const bool refused = measured && measured->strategy == pane.strategy && !measured->why_substitute.empty();
  if (!refused || !row || !row->available || !row->strategy->refuses || has_bank(settings)) return std::nullopt;
  // Asked in every frame: what would have to look at all weights is asked only where the pixels are in the way.
  if (measured->why_substitute.find("this image is " + std::string(to_string(settings.format))) == std::string::npos)
    return std::nullopt;
  Problem problem = problem_of(pane, stats, settings);
  problem.format = settings.format == PixelFormat::rgba8 ? PixelFormat::gray32f : PixelFormat::rgba8;
  const bool on_cpu = row->strategy->backend == Backend::cpu;
  const std::string why = row->strategy->unsupported(problem, on_cpu ? Device{} : stats.device, pane.tuning);
  return why.empty() ? std::optional(problem.format) : std::nullopt;
}

std::string offer_of_format(PixelFormat format) {
  return (format == PixelFormat::gray32f ? "Show it grey (" : "Show it in colour (") +
         first_key_of(action::next_format) + ")";
}

std::string offer_explained(const PaneSettings& pane, PixelFormat format) {
  return std::string("Filters ") + (format == PixelFormat::gray32f ? "grey pixels, gray32f" : "colours, rgba8") +
         ", in all panes, so that " + pane.strategy + " runs.";
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

bool is_all_unfiltered(const Settings& settings) {
  return std::ranges::all_of(settings.group().panes,
                             [](const PaneSettings& pane) { return pane.strategy == "source"; });
}

std::string show_changed_filter(const FilterSpec& before, Settings& settings) {
  if (!is_all_unfiltered(settings) || same_filter(before, settings.active().filter)) return {};
  toggle_source(settings);
  return "Filter: " + work_text(settings.active(), settings) + " · strategy: " + settings.active().strategy;
}

void step_tunable(const Stats& stats, PaneSettings& pane, std::size_t index, int direction) {
  const StrategyRow* const row = find_row(stats, pane.strategy);
  if (!row || index >= row->strategy->tunables.size()) return;
  const Tunable& tunable = row->strategy->tunables[index];
  if (tunable.values.empty()) return;
  const int value = Tuned(*row->strategy, pane.tuning)[tunable.id];
  auto at = std::ranges::find(tunable.values, value) - tunable.values.begin();
  const auto count = static_cast<std::ptrdiff_t>(tunable.values.size());
  at = at == count ? 0 : std::clamp<std::ptrdiff_t>(at + direction, 0, count - 1);
  pane.tuning[std::string(tunable.id)] = tunable.values[static_cast<std::size_t>(at)];
}

}  // namespace convoscope::ui
