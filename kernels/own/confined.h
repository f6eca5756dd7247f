#pragma once
// A process in which somebody else's code runs.
#include <string>

namespace convoscope::own {

// From here on this process opens no file for writing, starts no program and knows no network; it leaves no core and
// ends with its parent. Returns what could not be had, as a sentence; empty: all of it.
std::string confine_this_process();

}  // namespace convoscope::own
