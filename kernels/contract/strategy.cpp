#include "kernels/contract/strategy.h"

#include <algorithm>
#include <stdexcept>

#include "kernels/compute/compute.h"
#include "kernels/contract/kind.h"

namespace convoscope {

std::string surely_unsupported(const Strategy& strategy, const Problem& problem, const Device& device,
                               const Tuning& tuning) {
  std::string reason = strategy.unsupported(problem, device, tuning);
  if (!reason.empty() || !strategy.open_library) return reason;
  strategy.open_library();
  return strategy.unsupported(problem, device, tuning);
}

int tuned(const Strategy& strategy, const Tuning& tuning, std::string_view tunable_id) {
  if (const auto chosen = tuning.find(tunable_id); chosen != tuning.end()) return chosen->second;
  for (const Tunable& tunable : strategy.tunables)
    if (tunable.id == tunable_id) return tunable.initial;
  throw std::logic_error(std::string(strategy.id) + " has no tunable " + std::string(tunable_id));
}

const Strategy* find_strategy(Backend backend, std::string_view id, const Kind& kind) {
  const auto list = strategies(backend, kind);
  const auto found = std::ranges::find(list, id, &Strategy::id);
  return found == list.end() ? nullptr : *found;
}

const Kind* find_kind(std::string_view id) {
  const auto found = std::ranges::find(kinds(), id, &Kind::id);
  return found == kinds().end() ? nullptr : *found;
}

std::vector<StrategyRow> ladder(const Kind& kind) {
  std::vector<StrategyRow> rows;
  const std::string reason = why_unavailable(Backend::cuda);
  const bool available = reason.empty() && built_with_cuda();
  // Both lists come from one list of ids; without nvcc only the emulated twins exist, without the emulator only CUDA's.
  const auto twins = strategies(Backend::emulated, kind), built = strategies(Backend::cuda, kind);
  const auto listed = available || twins.empty() ? built : twins;
  // What is in every backend's list is one row: of the backend that runs here.
  for (const Strategy* strategy : strategies(Backend::cpu, kind))
    if (!available || !find_strategy(Backend::cuda, strategy->id, kind))
      rows.push_back({strategy, Backend::cpu, true, {}});
  for (const Strategy* strategy : listed) {
    if (!available && find_strategy(Backend::cpu, strategy->id, kind)) continue;
    rows.push_back({strategy, Backend::cuda, available,
                    available        ? std::string()
                    : reason.empty() ? std::string("Built without the CUDA Toolkit: install it and build again")
                                     : reason});
  }
  return rows;
}

std::string why_cannot_run(const StrategyRow& row, const Problem& problem, const Device& device) {
  if (!row.available) return row.reason.empty() ? "It is not available here." : row.reason;
  return row.strategy && row.strategy->unsupported ? row.strategy->unsupported(problem, device, {}) : std::string();
}

}  // namespace convoscope
