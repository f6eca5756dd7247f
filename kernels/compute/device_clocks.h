#pragma once
#include "kernels/contract/device.h"

namespace convoscope {

// What a CUDA device may run at; 0 where it is not known. What it does run at depends on load and heat.
struct DeviceClocks {
  int highest_core_mhz = 0, highest_memory_mhz = 0;
  int lanes_a_multiprocessor = 0;  // FP32 multiply-adds in a cycle
};
DeviceClocks device_clocks(const Device&);  // never throws

}  // namespace convoscope
