#pragma once
// What the expressions of lessons come to: each is one of the commands, with its options as they are on its command
// line.
#include "app/cli/arguments.h"
#include "app/lessons/values.h"
#include "app/state/settings.h"

namespace convoscope::lessons {

// What its command line says, before anything is computed. Throws Error where it is none of the command.
Invocation lesson_invocation(const Expression&);

// On this backend and device. What it returns may be called by another thread, one at a time.
Evaluate lesson_evaluation(BackendChoice, int device);

}  // namespace convoscope::lessons
