// The CUDA half of compute_backends.h where there was no nvcc.
#include "kernels/compute/compute_backends.h"
#include "kernels/compute/device_clocks.h"
#include "kernels/text/error.h"

namespace convoscope {

std::string why_cuda_unavailable() {
  return "This convoscope was built without the CUDA Toolkit (nvcc was not found), so it has no CUDA strategies. "
         "Install the CUDA Toolkit and build again to have them.";
}

std::string cuda_versions() { return {}; }

DeviceClocks device_clocks(const Device&) { return {}; }

std::vector<Device> list_cuda_devices() { return {}; }

std::unique_ptr<Compute> make_cuda_compute(int) { throw Error(why_cuda_unavailable()); }

std::shared_ptr<void> allocate_pinned(int, std::size_t) { throw Error(why_cuda_unavailable()); }

}  // namespace convoscope
