// The CUDA half of floor.h where there was no nvcc.
#include "kernels/compute/compute.h"
#include "kernels/measure/floor.h"
#include "kernels/text/error.h"

namespace convoscope::cuda::measure {

void enqueue_floor(const Image&, const Image&, Stream) { throw Error(why_unavailable(Backend::cuda)); }
void enqueue_nothing(Stream) { throw Error(why_unavailable(Backend::cuda)); }

}  // namespace convoscope::cuda::measure
