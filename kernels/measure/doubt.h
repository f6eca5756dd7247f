#pragma once
// Whether a time can be believed: one rule for the benchmark, the sweep, `auto` and the panes of the window.
#include "kernels/compute/processor_use.h"

namespace convoscope {

enum class Doubt {
  none,
  processor,  // other programs took most of the processor
  spread,     // it is known less well than by itself
};

struct TimeSeen {
  double median_ms = 0;
  double low_ms = 0, high_ms = 0;  // the interval that the median lies in; both 0: not known
  ProcessorUse use;                // of one sample; spent_ms 0: not computed by the processor, or not known
  int cores = 1;                   // that this process may use
};

// Of one sample of `ms` milliseconds. Something of ours ran through all of it, so that by an idle machine one core at
// least was busy for that long, and nobody waited for one. What this process has taken itself was not taken by others.
bool others_took_most(double ms, const ProcessorUse&, int cores);
Doubt doubt_of(const TimeSeen&);

// What to say about a time, a sentence: empty for none.
const char* why_doubtful(Doubt);
const char* to_string(Doubt);  // "", "processor", "spread"

}  // namespace convoscope
