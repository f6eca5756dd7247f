#pragma once
// The backend that a command line asks for.
#include <memory>
#include <string>

#include "app/cli/arguments.h"
#include "kernels/compute/compute.h"

namespace convoscope {

// Throws Error when what was asked for by name, --backend or --device, is not there. What nobody asked for by name is
// the GPU where there is one, else the CPU, and then `why_not_cuda` says why.
std::unique_ptr<Compute> compute_for(const Invocation&, std::string* why_not_cuda = nullptr);

// Throws likewise, without opening anything.
void check_device(const Invocation&);

}  // namespace convoscope
