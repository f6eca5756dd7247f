#pragma once
// CUDA's errors as sentences for a person: what happened and what to do.
#include <cuda_runtime_api.h>

#include <string>

namespace convoscope::cuda {

std::string version_text(int version);     // 13020 → "13.2"
std::string explain_start(cudaError_t);    // of the driver or a device at the start of the program
std::string explain_failure(cudaError_t);  // of a device that worked until now

}  // namespace convoscope::cuda
