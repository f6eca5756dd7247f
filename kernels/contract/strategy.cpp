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

Tuned::Tuned(const Strategy& strategy, const Tuning& tuning) : strategy_(strategy.id), tunables_(strategy.tunables) {
  if (tunables_.size() > most_tunables) throw std::logic_error(std::string(strategy.id) + " has too many tunables");
  for (std::size_t i = 0; i < tunables_.size(); ++i) {
    const auto chosen = tuning.find(tunables_[i].id);
    values_[i] = chosen == tuning.end() ? tunables_[i].initial : chosen->second;
  }
}

int Tuned::operator[](std::string_view tunable_id) const {
  for (std::size_t i = 0; i < tunables_.size(); ++i)
    if (tunables_[i].id == tunable_id) return values_[i];
  throw std::logic_error(std::string(strategy_) + " has no tunable " + std::string(tunable_id));
}

std::string Strategy::unsupported(const Problem& problem, const Device& device, const Tuning& tuning) const {
  return refuses(problem, device, Tuned(*this, tuning));
}

std::unique_ptr<Plan> Strategy::plan(const Problem& problem, const Device& device, const Tuning& tuning) const {
  return plans(problem, device, Tuned(*this, tuning));
}

Cost Strategy::model(const Problem& problem, const Tuning& tuning) const {
  return costs(problem, Tuned(*this, tuning));
}

Explanation Strategy::explain(const Problem& problem, const Device& device, const Tuning& tuning,
                              const OutputIndex& at) const {
  return explains(problem, device, Tuned(*this, tuning), at);
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
