// The CUDA half of alpha_pixels.h where there was no nvcc.
#include "kernels/compute/compute.h"
#include "kernels/convert/alpha_pixels.h"
#include "kernels/text/error.h"

namespace convoscope {

void enqueue_take_plane(const Image&, int, const Image&, Stream) { throw Error(why_unavailable(Backend::cuda)); }
void enqueue_join(const AlphaJoin&, const Image&, const Image&, Stream) { throw Error(why_unavailable(Backend::cuda)); }

}  // namespace convoscope
