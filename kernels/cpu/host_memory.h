#pragma once
// Memory of the host that a device copies from without waiting.
#include <cstddef>
#include <memory>

#include "kernels/contract/device.h"

namespace convoscope {

// As Compute::allocate_host(), for those who may outlive the Compute, or are on another thread. Throws Error.
std::shared_ptr<void> allocate_host(const Device&, std::size_t);

}  // namespace convoscope
