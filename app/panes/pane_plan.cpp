#include "app/panes/pane_plan.h"

#include <vector>

#include "kernels/choose/auto_candidates.h"
#include "kernels/choose/stand_in.h"
#include "kernels/contract/kind.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

const Device& device_of(const Strategy& strategy, const Device& device) {
  return strategy.backend == device.backend ? device : typical_device(strategy.backend);
}

std::vector<const Strategy*> stand_ins(const Strategy* chosen, const Problem& problem, const Device& device) {
  std::vector<const Strategy*> all;
  const auto add = [&](const Device& where) {
    for (const Strategy* strategy : able_strategies(problem, where))
      if (strategy != chosen) all.push_back(strategy);
  };
  // Like for like first; the CPU takes what nothing else does.
  if (chosen && chosen->backend != device.backend) add(device_of(*chosen, device));
  add(device);
  if (device.backend != Backend::cpu) add(typical_device(Backend::cpu));
  return all;
}

// Why it cannot be started; empty when `into` has its plan.
std::string start(const Strategy& strategy, const Tuning& tuning, const Problem& problem, const Device& device,
                  PanePlan& into) {
  try {
    into.plan = strategy.plan(problem, device_of(strategy, device), tuning);
    into.strategy = &strategy;
    into.tuning = tuning;
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

std::string why_chosen_cannot(const PaneSettings& pane, const Problem& problem, const Device& device,
                              const FailedStrategies& failed) {
  const Strategy* const chosen = strategy_for(device.backend, pane.strategy, *problem.kind);
  if (const auto found = failed.find(chosen); found != failed.end()) return found->second;
  return chosen ? chosen->unsupported(problem, device_of(*chosen, device), pane.tuning)
                : why_not_here(device.backend, pane.strategy, *problem.kind);
}

std::optional<Precision> type_taken(const PaneSettings& pane, const Problem& problem, const Device& device,
                                    const FailedStrategies& failed) {
  if (!problem.filter.is_bank()) return std::nullopt;
  Problem other = problem;
  for (const Precision precision : all_precisions) {
    other.layer.precision = precision;
    if (precision != problem.layer.precision && why_chosen_cannot(pane, other, device, failed).empty())
      return precision;
  }
  return std::nullopt;
}

PanePlan make_pane_plan(const PaneSettings& pane, const Problem& problem, const Device& device,
                        const FailedStrategies& failed) {
  PanePlan made;
  if (pane.strategy == "source") return made;
  if (!problem.kind->invalid_can_be_seen) made.why_not = problem.kind->invalid(problem);
  if (!made.why_not.empty()) return made;
  const Strategy* const chosen = strategy_for(device.backend, pane.strategy, *problem.kind);
  std::string refusal = why_chosen_cannot(pane, problem, device, failed);
  if (refusal.empty()) refusal = start(*chosen, pane.tuning, problem, device, made);
  if (made.plan) return made;
  for (const Strategy* other : stand_ins(chosen, problem, device)) {
    if (!failed.contains(other)) start(*other, {}, problem, device, made);
    if (!made.plan) continue;
    made.why_substitute = refusal;
    return made;
  }
  made.why_not = pane.strategy + " cannot run, nor can any other strategy: " + refusal;
  return made;
}

std::string substitute_sentence(const std::string& chosen, const std::string& why, const Strategy* instead) {
  if (why.empty() || !instead) return {};
  const std::string stop = why.ends_with('.') ? "" : ".";  // reasons come with and without
  return chosen + " cannot run: " + why + stop + " " + std::string(instead->id) + " runs instead.";
}

}  // namespace convoscope
