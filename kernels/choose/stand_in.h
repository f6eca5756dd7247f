#pragma once
// What filters instead of a strategy that cannot, and how the rows of the ladder stand while one backend is at work.
// Host only.
#include <string>
#include <string_view>
#include <vector>

#include "kernels/contract/device.h"
#include "kernels/contract/strategy.h"

namespace convoscope {

// The strategy that `id` names for this backend: its own first, else the CPU's. Null where there is none.
const Strategy* strategy_for(Backend, std::string_view id);

// Those that take the problem, at their initial tuning, the likely fastest first: what `auto` remembers as the winner,
// then in the order of the cost model. No library and none that chooses. Never empty on the CPU.
std::vector<const Strategy*> able_strategies(const Problem&, const Device&);

// Why there is no strategy_for(backend, id); a sentence without its full stop.
std::string why_not_here(Backend, std::string_view id);

// ladder() as the user of this backend sees it: the CPU's rows and those of the backend can be chosen; on the CPU
// CUDA's are listed with a reason why they cannot.
std::vector<StrategyRow> ladder_of(Backend);

}  // namespace convoscope
