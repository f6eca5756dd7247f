#pragma once
// convoscope without a subcommand: the window, or the same frames offscreen.
#include <string>

#include "app/cli/arguments.h"
#include "app/cli/stop_signal.h"

namespace convoscope {

class Keeper;

// Empty where a window can be opened, else a plain sentence. Asked once: with another answer in between, there would be
// a window that keeps nothing. Leaves the program when a signal comes and the display does not answer.
const std::string& why_no_window(const StopSignal&);

// Until it is closed, stopped or done; the exit code. On main's thread. Without a display it renders offscreen, records
// that and says where. With no keeper, nothing is kept.
int run_window(Invocation, const StopSignal&, Keeper*);

}  // namespace convoscope
