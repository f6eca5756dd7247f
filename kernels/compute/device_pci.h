#pragma once
// How a device is called outside of CUDA, whose numbering depends on CUDA_VISIBLE_DEVICES.
#include <string>

#include "kernels/contract/device.h"

namespace convoscope {

std::string pci_bus_id(const Device&);  // "0000:65:00.0"; empty for what is no CUDA device, and when CUDA does not say

}  // namespace convoscope
