#pragma once
// Whether a file is sooner done on the cores than a GPU is ready to begin.
#include <memory>
#include <stop_token>

#include "app/cli/arguments.h"
#include "app/media/write/whole_file.h"
#include "kernels/compute/compute.h"

namespace convoscope {

// compute_for(); where nobody chose a backend, a device or a strategy and there seems to be a GPU, the cores take what
// is short, by a measurement of what a picture of the file costs them, and `few_frames` says so. Throws Error likewise.
std::unique_ptr<Compute> compute_for_file(const Invocation&, const WholeFile&, const std::stop_token&,
                                          bool& few_frames);

}  // namespace convoscope
