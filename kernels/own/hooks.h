#pragma once
// What a compiled kernel file calls, on its way to the emulator and to whoever watches.
#include "kernels/own/watch.h"

namespace convoscope::own {

// For this watch, which outlives the result's use; one at a time. `file`: its name in messages.
ConvoscopeHooks hooks_for(Watch& watch, const std::string& file);

}  // namespace convoscope::own
