#pragma once
// convoscope doctor: what this machine can do, tried rather than guessed, and what each missing thing would bring.
#include "app/cli/arguments.h"

namespace convoscope {

int run_doctor(const Invocation&);  // on stdout; returns the exit code

}  // namespace convoscope
