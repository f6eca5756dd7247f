#pragma once
// How fast a device does nothing but FP32 multiply-adds, many independent chains of them. Internal to
// device_limits.cpp.
#include "kernels/compute/compute.h"

namespace convoscope {

// One run: FLOP per second, two to a multiply-add. Waits for the device. Throws Error.
double cpu_fma_rate();           // every core that this process may use
double cuda_fma_rate(Compute&);  // of the CUDA backend; the one without CUDA returns 0

}  // namespace convoscope
