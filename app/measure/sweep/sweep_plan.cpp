#include "app/measure/sweep/sweep_plan.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/state/workbench.h"
#include "kernels/choose/ladder.h"
#include "kernels/contract/sweep.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

const Kind& kind_of(const Settings& settings) { return *workbench_of(settings.workbench).kind; }

// The rows of the ladder that run on the device at work.
std::vector<const StrategyRow*> rows_here(const Kind& kind, const Stats& stats) {
  std::vector<const StrategyRow*> rows;
  for (const StrategyRow& row : stats.ladder)
    if (row.strategy && row.strategy->kind == &kind && row.available && row.backend == stats.device.backend)
      rows.push_back(&row);
  return rows;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ",") + text;
  return all;
}

bool is_swept_by(const Kind& kind, const FilterParameter& parameter) { return find_parameter(kind, parameter.id); }

// A filter that cannot be swept is replaced; what it shares with the new one stays.
Problem start_of(const Settings& settings, const Stats& stats) {
  const Work work = work_of(settings);
  const auto problem = [&](const PaneSettings& pane) {
    return problem_of(pane, work, std::max(stats.source.width, 1), std::max(stats.source.height, 1), settings.format);
  };
  const Problem own = problem(settings.active());
  if (work.kind->problem) return own;
  PaneSettings pane = settings.active();
  pane.filter = parse_filter(sweep_filter(settings));
  const Problem start = problem(pane);
  const std::vector<int> values = sweep_values(own);
  return why_not_with(start, values).empty() ? with_values(start, values) : start;
}

std::vector<std::string> strategies_for(const Problem& start, const Settings& settings, const Stats& stats) {
  const std::vector<const StrategyRow*> rows = rows_here(*start.kind, stats);
  const std::vector<std::string>& chosen = sweep_choices(settings).strategies;
  std::vector<std::string> usable;
  const auto take = [&](std::string_view id) {
    const bool runs = std::ranges::any_of(rows, [&](const StrategyRow* row) { return row->strategy->id == id; });
    if (runs && std::ranges::find(usable, id) == usable.end()) usable.emplace_back(id);
  };
  for (const std::string& id : chosen) take(id);
  if (!chosen.empty()) return usable;
  for (const PaneSettings& pane : settings.group().panes) take(pane.strategy);
  std::vector<const StrategyRow*> fit;
  std::ranges::copy_if(rows, std::back_inserter(fit),
                       [&](const StrategyRow* row) { return why_cannot_run(*row, start, stats.device).empty(); });
  const auto is_usable = [&](const StrategyRow* row) {
    return std::ranges::find(usable, row->strategy->id) != usable.end();
  };
  if (std::ranges::count_if(fit, is_usable) < 2)
    for (const StrategyRow* row : fit)
      if (!row->strategy->chooses && !row->strategy->plain) take(row->strategy->id);
  if (usable.empty()) take("auto");
  return usable;
}

// Where nobody has chosen: what the pane has, and along the axis the usual ones that it could have.
std::vector<int> values_for(const Problem& start, std::size_t place, const SweepChoices& choices) {
  const SweepParameter& parameter = start.kind->parameters[place];
  std::vector<int> values;
  if (const auto chosen = choices.values.find(std::string(parameter.id)); chosen != choices.values.end())
    values = chosen->second;
  if (!parameter.words.empty())  // a file may say anything
    std::erase_if(values, [&](int value) { return value >= static_cast<int>(parameter.words.size()); });
  const bool is_axis = &parameter == &sweep_axis(*start.kind, choices);
  if (values.empty() && !(is_axis && choices.values.contains(std::string(parameter.id)))) {
    std::vector<int> point = sweep_values(start);
    values = {point[place]};
    if (is_axis)
      for (const int usual : parameter.usual) {
        point[place] = usual;
        if (why_not_with(start, point).empty()) values.push_back(usual);
      }
  }
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  return values;
}

std::string why_no_point(const SweepPlan& plan) {
  std::vector<std::size_t> at(plan.values.size());
  for (;;) {
    std::vector<int> point;
    for (std::size_t i = 0; i < at.size(); ++i) point.push_back(plan.values[i][at[i]]);
    if (std::string why_not = why_not_with(plan.start, point); !why_not.empty()) return why_not;
    std::size_t place = 0;
    while (place < at.size() && ++at[place] == plan.values[place].size()) at[place++] = 0;
    if (place == at.size()) return {};
  }
}

std::size_t points_of(const SweepPlan& plan) {
  std::size_t points = 1;
  for (const std::vector<int>& values : plan.values) points *= values.size();
  return points;
}

std::string why_none(const SweepPlan& plan, const Settings& settings, const Stats& stats) {
  const Kind& kind = *plan.start.kind;
  const Backend backend = stats.device.backend;
  if (backend == Backend::emulated)
    return "The emulator is never timed, so there is nothing to sweep. Choose the backend cuda or cpu.";
  if (stats.source.width < 1 || stats.source.height < 1)
    return "The source has no size yet. Open one that plays before you sweep.";
  if (plan.strategies.empty())
    return "None of the chosen strategies runs on the backend " + std::string(to_string(backend)) +
           ". Choose others for the sweep.";
  const std::size_t points = points_of(plan);
  if (points == 0)
    return "Choose at least one value of the " + std::string(sweep_axis(kind, sweep_choices(settings)).title) +
           " for the sweep.";
  if (points > most_sweep_points)
    return "This makes " + std::to_string(points) + " points for each strategy. A sweep has up to " +
           std::to_string(most_sweep_points) + ": choose fewer values.";
  return why_no_point(plan);
}

}  // namespace

const SweepChoices& sweep_choices(const Settings& settings) {
  static const SweepChoices none;
  const auto found = settings.sweep.of.find(settings.workbench);
  return found == settings.sweep.of.end() ? none : found->second;
}
SweepChoices& sweep_choices(Settings& settings) { return settings.sweep.of[settings.workbench]; }

const SweepParameter& sweep_axis(const Kind& kind, const SweepChoices& choices) {
  const SweepParameter* const chosen = find_parameter(kind, choices.along);
  return chosen && chosen->words.empty() ? *chosen : kind.parameters.front();
}

std::string sweep_filter(const Settings& settings) {
  const FilterKind* const filter = find_filter_kind(settings.active().filter.kind);
  const bool can = filter && std::ranges::any_of(filter->parameters, [&](const FilterParameter& parameter) {
                     return is_swept_by(kind_of(settings), parameter);
                   });
  return can ? std::string(filter->id) : "gaussian";
}

SweepPlan sweep_plan(const Settings& settings, const Stats& stats) {
  SweepPlan plan{.start = start_of(settings, stats), .values = {}, .strategies = {}, .why_not = {}};
  for (std::size_t i = 0; i < plan.start.kind->parameters.size(); ++i)
    plan.values.push_back(values_for(plan.start, i, sweep_choices(settings)));
  plan.strategies = strategies_for(plan.start, settings, stats);
  plan.why_not = why_none(plan, settings, stats);
  return plan;
}

const SweepPlan& SweepPlans::of(const Settings& settings, const Stats& stats) {
  const SweepChoices& choices = sweep_choices(settings);
  const PaneSettings& active = settings.active();
  const LayerSettings& layer = settings.layer;
  std::string now = settings.workbench + '\n' + sweep_filter(settings) + '\n' + stats.device.name + '\n' +
                    choices.along + '\n' + joined(choices.strategies);
  for (const auto& [id, values] : choices.values) {
    now += '\n' + id;
    for (const int value : values) now += ' ' + std::to_string(value);
  }
  for (const PaneSettings& pane : settings.group().panes) now += '\n' + pane.strategy;
  for (const int part :
       {stats.source.width, stats.source.height, static_cast<int>(settings.format), static_cast<int>(active.border),
        active.filter.filter.width, active.filter.filter.height, active.frames, layer.weights.maps,
        layer.weights.channels, layer.weights.width, layer.stride, layer.dilation, static_cast<int>(layer.padded),
        static_cast<int>(precision_of(active, layer)), static_cast<int>(layer.layout),
        static_cast<int>(layer.depthwise), static_cast<int>(stats.device.backend), libraries_opened.load()})
    now += '\n' + std::to_string(part);
  for (const StrategyRow* const row : rows_here(kind_of(settings), stats)) now.append("\n").append(row->strategy->id);
  if (now != depend_on_) {
    found_ = sweep_plan(settings, stats);
    depend_on_ = std::move(now);
  }
  return found_;
}

SweepOrder sweep_order(const Settings& settings, const Stats& stats) {
  const SweepPlan plan = sweep_plan(settings, stats);
  if (!plan.why_not.empty()) throw Error(plan.why_not);
  const Problem& start = plan.start;
  const Kind& kind = *start.kind;
  SweepOrder order;
  order.kind = &kind;
  const auto say = [&](std::string name, std::string value) {
    order.arguments.push_back(std::move(name));
    order.arguments.push_back(std::move(value));
  };
  order.arguments = {"bench", "--lines"};
  say("--kind", std::string(kind.id));
  say("--backend", to_string(stats.device.backend));
  if (stats.device.backend == Backend::cuda) say("--device", std::to_string(stats.device.ordinal));
  say("--strategy", joined(plan.strategies));
  if (kind.problem) {
    say("--shape", kind.shape(start));
    say("--pass", std::string(to_string(start.layer.pass)));
    say("--layout", std::string(to_string(start.layer.layout)));
  } else {
    say("--filter", start.filter.name);
    say("--size", std::to_string(start.width) + "x" + std::to_string(start.height));
    say("--format", to_string(start.format));
    say("--border", std::string(to_string(start.border)));
  }
  const SweepParameter& axis = sweep_axis(kind, sweep_choices(settings));
  const auto vary = [&](const SweepParameter& parameter) {
    std::vector<std::string> texts;
    for (const int value : plan.values[static_cast<std::size_t>(&parameter - kind.parameters.data())])
      texts.push_back(parameter.words.empty() ? std::to_string(value) : value_text(parameter, start, value));
    say("--over", std::string(parameter.id) + "=" + joined(texts));
  };
  for (const SweepParameter& parameter : kind.parameters)
    if (&parameter != &axis) vary(parameter);
  vary(axis);  // last, so that a line is drawn from one end to the other before the next
  order.rows = static_cast<int>(plan.strategies.size() * points_of(plan));
  return order;
}

}  // namespace convoscope
