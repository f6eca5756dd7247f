#pragma once
// The subcommands, one file each. Results on stdout, progress on stderr. They return the exit code: 0 done, 1 failed
// check, 3 the input was cut off, 128 + n stopped by signal n; bad arguments and missing backends are thrown as Error,
// for 2.
#include "app/cli/arguments.h"
#include "app/cli/stop_signal.h"

namespace convoscope {

int run_list(const Invocation&);
int run_verify(const Invocation&, const StopSignal&);
int run_compute(const Invocation&);
int run_listing(const Invocation&);
int run_lesson(const Invocation&, const StopSignal&);
int run_bench(const Invocation&, const StopSignal&);
int run_file_bench(const Invocation&, StopSignal&);
int run_filter(const Invocation&, StopSignal&);
int run_experiment(const Invocation&, const StopSignal&);
int run_report(const Invocation&);
int run_grade(const Invocation&, const StopSignal&);
int run_new_kernel(const Invocation&);

}  // namespace convoscope
