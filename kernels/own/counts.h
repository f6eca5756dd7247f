#pragma once
// What the emulator counted, in words: why a kernel is slower than a rung of the ladder. No times: those take a GPU.
#include <string>
#include <vector>

#include "kernels/own/tally.h"
#include "kernels/own/trial.h"

namespace convoscope::own {

struct LineTally {
  int line = 0;  // 0: nobody knows
  PlaceTally tally;
};

struct Counts {
  bool counted = false;
  std::string problem;              // "96 × 64 rgba8, gaussian:radius=2"
  double loads_per_output = 0;      // elements of global memory
  double shared_per_output = 0;     // accesses of shared memory
  double loads_again = 0;           // of the loads of a block, those of what it has loaded before: 0 to 1
  double sectors_per_least = 0;     // 1: every sector of 32 bytes that is touched is needed
  double conflicts_per_access = 0;  // of shared memory, by a warp
  double idle_threads = 0;          // the share that writes no output
  double lanes = 0;                 // of 32, that take part in a load or a store, on average
  std::vector<LineTally> lines;     // most loads first
  std::string nearest;              // the rung that loads about as much
  double nearest_loads = 0;         // an output, by the model
};

// What is counted with: of the kind's usual filter, and of several blocks.
Asked asked_for_counts(const KernelFile&);
// `lines`: of the tally's places, in their order.
Counts counts_of(const Tally&, const std::vector<int>& lines, const Asked&);
// Up to three sentences, the largest cause first, each with its number and, where it is known, its line.
std::vector<std::string> why_slower(const Counts&, const Asked&);

}  // namespace convoscope::own
