#pragma once
// Which strategies `auto` chooses from, and in which order it tries them. Host only.
#include <string>
#include <vector>

#include "kernels/contract/strategy.h"
#include "kernels/measure/device_limits.h"

namespace convoscope {

struct Candidate {
  const Strategy* strategy = nullptr;
  double predicted_ms = 0;  // by the cost model: see predicted_ms()
};

struct Candidates {
  std::vector<Candidate> likely;  // fastest prediction first, then those that load a library
  std::vector<Candidate> pruned;  // predicted so slow that trying them is not worth a frame
};

// The device's other strategies of the problem's kind that take it, at their initial tuning. Those that load a library
// (cuFFT, cuBLAS) are not asked whether they do: that would load it. No peers, and plain loops only where nothing else
// takes it.
Candidates find_candidates(const Problem&, const Device&, const DeviceLimits&);

// Why none takes it, with the first one's reason; empty when one does.
std::string why_no_candidate(const Problem&, const Device&);

// Why the cleverest of those that are no plain loops does not take the problem. Empty where one of them does, or where
// there are none.
std::string why_only_plain(const Problem&, const Device&);

// Milliseconds of a frame if bytes, arithmetic and loads went one after another, each at the device's limit. Short of
// the truth by the strategy's own efficiency, but in the same order for like strategies.
double predicted_ms(const Strategy&, const Problem&, const DeviceLimits&);

// The measured limits where there are some in the cache folder, else what a device of this many cores has.
DeviceLimits assumed_limits(const Device&);

// A device to ask where the contract names none: this machine's first, or what the emulator says of itself.
const Device& typical_device(Backend);

}  // namespace convoscope
