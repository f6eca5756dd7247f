#include "kernels/contract/strategy.h"

#include <algorithm>
#include <stdexcept>

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

}  // namespace convoscope
