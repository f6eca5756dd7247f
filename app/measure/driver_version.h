#pragma once
// The number that NVIDIA gives its driver, "580.95.05": what a time was measured under, beside the newest CUDA that it
// runs.
#include <string>

namespace convoscope {

// From the management library, else from what the kernel's module says of itself. Empty where neither is there. Takes
// milliseconds, in the calling thread. Both names: for tests.
std::string nvidia_driver_number(const char* library = "libnvidia-ml.so.1",
                                 const char* module_file = "/proc/driver/nvidia/version");

}  // namespace convoscope
