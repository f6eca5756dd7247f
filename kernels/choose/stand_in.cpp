#include "kernels/choose/stand_in.h"

#include <algorithm>

#include "kernels/choose/auto_candidates.h"
#include "kernels/choose/auto_memory.h"
#include "kernels/compute/compute.h"

namespace convoscope {

const Strategy* strategy_for(Backend backend, std::string_view id, const Kind& kind) {
  if (const Strategy* strategy = find_strategy(backend, id, kind)) return strategy;
  return find_strategy(Backend::cpu, id, kind);
}

std::vector<const Strategy*> able_strategies(const Problem& problem, const Device& device) {
  const Candidates found = find_candidates(problem, device, assumed_limits(device));
  std::vector<const Strategy*> able;
  for (const auto* group : {&found.likely, &found.pruned})
    for (const Candidate& candidate : *group)
      if (!loads_library(*candidate.strategy)) able.push_back(candidate.strategy);
  if (able.size() < 2 || device.backend == Backend::emulated) return able;  // nothing is timed in the emulator
  if (const auto choice = recall_choice(auto_key(problem, device)))
    if (const auto winner = std::ranges::find(able, choice->strategy, &Strategy::id); winner != able.end())
      std::rotate(able.begin(), winner, winner + 1);
  return able;
}

std::string why_not_here(Backend backend, std::string_view id, const Kind& kind) {
  const bool of_cuda = find_strategy(Backend::cuda, id, kind) || find_strategy(Backend::emulated, id, kind);
  return of_cuda && backend == Backend::cpu ? "it needs CUDA" : "there is no strategy with this name";
}

}  // namespace convoscope
