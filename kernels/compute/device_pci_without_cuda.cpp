#include "kernels/compute/device_pci.h"

namespace convoscope {

std::string pci_bus_id(const Device&) { return {}; }

}  // namespace convoscope
