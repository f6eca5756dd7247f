#include "kernels/choose/ladder.h"

#include "kernels/compute/compute.h"
#include "kernels/contract/kind.h"

namespace convoscope {

std::vector<StrategyRow> ladder(const Kind& kind) {
  std::vector<StrategyRow> rows;
  const std::string reason = why_unavailable(Backend::cuda);
  const bool available = reason.empty() && built_with_cuda();
  // Both lists come from one list of ids; without nvcc only the emulated ones exist, without the emulator only CUDA's.
  const auto emulated = strategies(Backend::emulated, kind), built = strategies(Backend::cuda, kind);
  const auto listed = available || emulated.empty() ? built : emulated;
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
  return row.strategy && row.strategy->refuses ? row.strategy->unsupported(problem, device, {}) : std::string();
}

std::vector<StrategyRow> ladder_of(Backend backend, const Kind& kind) {
  std::vector<StrategyRow> rows;
  // What is in every backend's list is one row: of the backend that runs here.
  for (const Strategy* strategy : strategies(Backend::cpu, kind))
    if (backend == Backend::cpu || !find_strategy(backend, strategy->id, kind))
      rows.push_back({strategy, Backend::cpu, true, {}});
  if (backend != Backend::cpu) {
    for (const Strategy* strategy : strategies(backend, kind)) rows.push_back({strategy, backend, true, {}});
    return rows;
  }
  for (StrategyRow& row : ladder(kind)) {
    if (row.backend == Backend::cpu || find_strategy(Backend::cpu, row.strategy->id, kind)) continue;
    if (row.available) row.reason = "The CPU backend is in use. Choose another one in the View panel, or press K.";
    row.available = false;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace convoscope
