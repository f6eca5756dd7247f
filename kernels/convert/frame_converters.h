#pragma once
// Internal to convert/: what make_frame_converter() chooses from. convert_without_cuda.cpp defines the CUDA one when
// nvcc was not there.
#include <memory>

#include "kernels/convert/video_frame.h"

namespace convoscope {

std::unique_ptr<FrameConverter> make_host_frame_converter(Compute&);  // cpu and emulated
std::unique_ptr<FrameConverter> make_cuda_frame_converter(Compute&);

}  // namespace convoscope
