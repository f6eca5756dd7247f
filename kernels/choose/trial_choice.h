#pragma once
// A strategy for many frames of one problem, from a few trials before the first: for who must not change it half way.
#include <cstdint>
#include <optional>
#include <string>

#include "kernels/compute/compute.h"
#include "kernels/contract/strategy.h"

namespace convoscope {

struct TrialChoice {
  const Strategy* strategy = nullptr;
  std::string text;  // "the best of 4 tried, 0.026 ms a frame"
};

// Times the likely fastest of able_strategies() on these images of the Compute, each a few times; what is remembered
// from thorough trials is not doubted. Empty: nothing to choose from, `frames` are too few to repay it (0: unknown, as
// though they were many), nothing is timed on this backend, or it was asked to stop.
std::optional<TrialChoice> choose_by_trials(Compute&, const Problem&, const Image& in, const Image& out,
                                            std::int64_t frames);

}  // namespace convoscope
