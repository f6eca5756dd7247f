// The CUDA half of feature_map_pixels.h where there was no nvcc.
#include "kernels/convert/feature_map_pixels.h"
#include "kernels/text/error.h"

namespace convoscope {

void enqueue_split(const Image&, const Tensor&, Stream) { throw Error(why_unavailable(Backend::cuda)); }
void enqueue_numbers(const Tensor&, const Tensor&, Stream) { throw Error(why_unavailable(Backend::cuda)); }
void enqueue_frames(const Tensor&, const Tensor&, bool, const Wall&, const Image&, Stream) {
  throw Error(why_unavailable(Backend::cuda));
}
void enqueue_paint(const Tensor&, const Wall&, const MapColours&, const Image&, Stream) {
  throw Error(why_unavailable(Backend::cuda));
}
void enqueue_pool(const Tensor&, const Tensor&, Stream) { throw Error(why_unavailable(Backend::cuda)); }

}  // namespace convoscope
