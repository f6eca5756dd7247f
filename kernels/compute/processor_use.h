#pragma once
// How much of the processor an interval had, beside how long it took by the clock: where the two part, something else
// ran on the cores meanwhile.

namespace convoscope {

struct ProcessorUse {
  double spent_ms = 0;   // by all threads of this process together
  double waited_ms = 0;  // by the calling thread, ready to run and without a core; 0 where the system does not say
};

// The use so far. Two of them, of one thread, say what came between. A few microseconds.
ProcessorUse processor_use();
inline ProcessorUse operator-(const ProcessorUse& later, const ProcessorUse& earlier) {
  return {later.spent_ms - earlier.spent_ms, later.waited_ms - earlier.waited_ms};
}

}  // namespace convoscope
