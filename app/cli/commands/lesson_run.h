#pragma once
// A lesson in a terminal: its steps as text, and questions that are answered on standard input.
#include "app/cli/stop_signal.h"
#include "app/lessons/lesson.h"
#include "app/lessons/values.h"

namespace convoscope::lessons {

// Prints, and reads line by line until the lesson or its reader ends. `progress_name`: under which it is kept what was
// solved. Returns an exit code: 0 gone through and all solved, 3 not all of it. A signal ends it with Stopped.
int run_lesson_in_terminal(const Lesson&, Values&, const std::string& progress_name, const StopSignal&);

}  // namespace convoscope::lessons
