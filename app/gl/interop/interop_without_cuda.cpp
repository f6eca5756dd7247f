#include "app/gl/interop/present_path.h"

namespace convoscope {

std::unique_ptr<PresentPath> make_cuda_path(Compute&) {
  throw InteropFailure("This program was built without CUDA. Install the CUDA Toolkit and build it again.");
}

std::shared_ptr<void> pin_for_cuda(void*, std::size_t) { return nullptr; }

}  // namespace convoscope
