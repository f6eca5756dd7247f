#pragma once
// The stack that the system gives (ulimit -s): asked for before anything large is put on it, as what goes beyond it
// ends a program without a word.
#include <string>

namespace convoscope {

// Takes what may be taken for this thread, up to the usual, and for the threads to come. Why that is not enough, a
// sentence; empty when it is. Once, at the very start.
std::string take_stack();

}  // namespace convoscope
