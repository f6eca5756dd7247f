#pragma once
// convoscope bench --frame: runs the program itself, offscreen, and reports where each frame's time went.
#include "app/cli/arguments.h"
#include "app/cli/stop_signal.h"

namespace convoscope {

// Table on stdout, JSON in invocation.json_file. 0, or 2 when the input could not be shown.
int run_frame_bench(const Invocation&, const StopSignal&);

}  // namespace convoscope
