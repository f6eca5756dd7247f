#pragma once
// The subcommands, one file each. Results on stdout, progress on stderr. They return the exit code: 0 done, 1 failed
// check, 130 stopped with Ctrl+C; bad arguments and missing backends are thrown as Error, for 2.
#include "app/cli/arguments.h"

namespace convoscope {

int run_list(const Invocation&);
int run_verify(const Invocation&);
int run_bench(const Invocation&);
int run_filter(const Invocation&);

}  // namespace convoscope
