#pragma once
// What filters instead of a strategy that cannot. Host only.
#include <string>
#include <string_view>
#include <vector>

#include "kernels/contract/device.h"
#include "kernels/contract/strategy.h"

namespace convoscope {

// The strategy of the kind that `id` names for this backend: its own first, else the CPU's. Null where there is none.
const Strategy* strategy_for(Backend, std::string_view id, const Kind& = image_kind);

// Those that take the problem, at their initial tuning, the likely fastest first: what `auto` remembers as the winner,
// then in the order of the cost model. None that loads a library or chooses, and plain loops only where nothing else
// takes it: so never empty on the CPU, of whatever kind.
std::vector<const Strategy*> able_strategies(const Problem&, const Device&);

// Why there is no strategy_for(backend, id); a sentence without its full stop.
std::string why_not_here(Backend, std::string_view id, const Kind& = image_kind);

}  // namespace convoscope
