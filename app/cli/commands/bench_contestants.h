#pragma once
// Who is measured: the strategies that a command line names, each with the tunings that it asks for.
#include <vector>

#include "app/cli/arguments.h"
#include "kernels/measure/benchmark.h"

namespace convoscope {

// Tunings of `start` in which a block makes side × side outputs, of one row: `side` outputs. Of several that do, the
// one nearest to the initial values. Empty where there is none, or where the strategy does not say how it works.
// `device` need not be there: the emulated one stands for a GPU. Plain arithmetic.
std::optional<Tuning> tuning_with_tile(const Strategy&, const Problem&, const Device&, const Tuning& start, int side);

// Every tuning that is asked for of this strategy, for this problem. Throws Error where they are too many.
std::vector<Tuning> tunings_of(const Strategy&, const Problem&, const Device&, const Invocation&);

// In the order of the ladder, and each strategy's tunings one after the other. Throws Error for a strategy that does
// not run on this backend, and where --over leaves nothing to measure.
std::vector<Contestant> contestants_of(const Invocation&, const Problem&, const Device&);

}  // namespace convoscope
