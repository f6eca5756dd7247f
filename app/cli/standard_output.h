#pragma once
// Results go to standard output, whose reader may take nothing for ever: a pager, a program that hangs. That must not
// hold up the end that a signal asks for.
#include <cstdio>

#include "app/cli/stop_signal.h"

namespace convoscope {

// Made by main, one at a time. While it lives it is in the place of stdout, so that whoever prints there waits as it
// does. Its file stays open when it goes: libraries that were loaded meanwhile may flush what was stdout then when the
// process exits, as NVRTC does.
class StandardOutput {
 public:
  explicit StandardOutput(const StopSignal&);
  ~StandardOutput();
  StandardOutput(const StandardOutput&) = delete;
  StandardOutput& operator=(const StandardOutput&) = delete;

  // Sends what was printed. 0, or the errno of the first write that failed, after which nothing was sent any more:
  // ECANCELED where a signal came and the reader took nothing.
  int send();

 private:
  std::FILE* const before_ = stdout;
};

}  // namespace convoscope
