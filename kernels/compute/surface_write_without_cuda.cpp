// Where there was no nvcc.
#include "kernels/compute/compute.h"
#include "kernels/compute/surface_write.h"
#include "kernels/text/error.h"

namespace convoscope {

void enqueue_surface_writes(std::span<const Image> images, std::span<const unsigned long long>, Stream) {
  if (!images.empty()) throw Error(why_unavailable(Backend::cuda));
}

}  // namespace convoscope
