#include <cuda_runtime.h>

#include "kernels/compute/device_pci.h"

namespace convoscope {

std::string pci_bus_id(const Device& device) {
  if (device.backend != Backend::cuda) return {};
  char text[32] = {};
  if (cudaDeviceGetPCIBusId(text, sizeof text, device.ordinal) == cudaSuccess) return text;
  static_cast<void>(cudaGetLastError());  // dealt with: must not surface in a later call
  return {};
}

}  // namespace convoscope
