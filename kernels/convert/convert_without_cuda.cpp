// The CUDA half of frame_converters.h where there was no nvcc.
#include "kernels/convert/frame_converters.h"
#include "kernels/text/error.h"

namespace convoscope {

std::unique_ptr<FrameConverter> make_cuda_frame_converter(Compute&) { throw Error(why_unavailable(Backend::cuda)); }

std::unique_ptr<Conveyor> make_cuda_conveyor(Compute&, int) { throw Error(why_unavailable(Backend::cuda)); }

}  // namespace convoscope
